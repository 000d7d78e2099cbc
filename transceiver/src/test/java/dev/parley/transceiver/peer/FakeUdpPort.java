package dev.parley.transceiver.peer;

import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A socket whose network is a method call; the kernel drops a datagram whenever it is asked. */
public final class FakeUdpPort implements UdpPort {
    /** Takes what the owner of the port sends, on the owner's thread. */
    public interface Network {
        void sent(Address to, byte[] datagram);
    }

    /** An address as loops see it. */
    public record Address(long high, long low, int port) {
        /** {@code 10.0.0.last:port} */
        public static Address ipv4(int last, int port) {
            return new Address(0, 0xFFFF_0A00_0000L | last, port);
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Datagram(Address from, byte[] bytes) {}

    private final Queue<Datagram> arrived = new ConcurrentLinkedQueue<>();
    private final UdpCounters counters = new UdpCounters();
    private final Network network;
    private Runnable meanwhile = () -> {};
    private int taken;

    public FakeUdpPort(Network network) {
        this.network = network;
    }

    /** A datagram arrives; any thread. */
    public void arrive(Address from, byte[] bytes) {
        arrived.add(new Datagram(from, bytes));
    }

    /** Happens once, when the owner is about to receive. */
    public void meanwhile(Runnable happens) {
        meanwhile = happens;
    }

    /** Datagrams that the owner has received so far. */
    public int taken() {
        return taken;
    }

    public boolean isIdle() {
        return arrived.isEmpty();
    }

    @Override
    public InetSocketAddress localAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 7_000);
    }

    @Override
    public int receive(DatagramBatch batch) {
        Runnable happens = meanwhile;
        meanwhile = () -> {};
        happens.run();
        int count = 0;
        while (count < batch.capacity()) {
            Datagram next = arrived.poll();
            if (next == null) {
                break;
            }
            int at = batch.slotOffset(count) + batch.headroomBytes();
            batch.bytes().put(at, next.bytes());
            batch.datagram(count, at, next.bytes().length);
            batch.peer(count, next.from().high(), next.from().low(), next.from().port());
            count++;
        }
        taken += count;
        return count;
    }

    @Override
    public int send(DatagramBatch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            byte[] bytes = new byte[batch.length(i)];
            batch.bytes().get(batch.start(i), bytes);
            network.sent(
                    new Address(batch.addressHigh(i), batch.addressLow(i), batch.port(i)), bytes);
        }
        return to - from;
    }

    @Override
    public UdpCounters counters() {
        return counters;
    }

    @Override
    public int receiveBufferBytes() {
        return Integer.MAX_VALUE;
    }

    @Override
    public int sendBufferBytes() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void countKernelDrops() {
        counters.increment(UdpCounters.Reason.RECEIVE_QUEUE_FULL);
    }

    @Override
    public void close() {}
}
