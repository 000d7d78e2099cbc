package dev.parley.bench.relay;

import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The transceiver's place: sends every datagram back as it came. Owned by the load's thread. */
final class EchoSink {
    private static final int BATCH = 64;
    private static final int LONGEST = 1_500;

    private final UdpPort port;
    private final DatagramBatch batch = new DatagramBatch(BATCH, 0, LONGEST);

    EchoSink(UdpPoller poller) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        port = poller.bind(any, LoadGenerator.OPTIONS);
    }

    InetSocketAddress address() {
        return port.localAddress();
    }

    void turn() {
        int received = port.receive(batch);
        var _ = port.send(batch, 0, received);
    }
}
