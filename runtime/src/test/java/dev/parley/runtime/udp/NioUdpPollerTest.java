package dev.parley.runtime.udp;

class NioUdpPollerTest extends UdpPollerContract {
    NioUdpPollerTest() {
        super(new NioUdpPoller());
    }
}
