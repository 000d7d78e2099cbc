package dev.parley.relay;

import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** A socket whose other side is the test. */
final class FakePort implements UdpPort {
    /** One datagram; local is where it was sent to, or leaves from, when the port is a wildcard. */
    @SuppressWarnings("ArrayRecordComponent") // Compared by what it holds, never by equals.
    record Datagram(Endpoint peer, Endpoint local, byte[] bytes) {}

    static final Endpoint UNTOLD = new Endpoint(0, 0, 0);

    private final InetSocketAddress local;
    private final Queue<Datagram> arriving = new ArrayDeque<>();
    private final List<Datagram> sent = new ArrayList<>();
    private final UdpCounters counters = new UdpCounters();
    private int room = Integer.MAX_VALUE;

    FakePort(Endpoint local) {
        this.local = local.toSocketAddress();
    }

    void arrive(Endpoint from, byte[] bytes) {
        arriving.add(new Datagram(from, UNTOLD, bytes));
    }

    void arriveAt(Endpoint local, Endpoint from, byte[] bytes) {
        arriving.add(new Datagram(from, local, bytes));
    }

    /** How many more datagrams the send buffer takes. */
    void room(int datagrams) {
        room = datagrams;
    }

    /** What was sent since the last call. */
    List<Datagram> takeSent() {
        List<Datagram> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public int receive(DatagramBatch batch) {
        int received = 0;
        while (received < batch.capacity() && !arriving.isEmpty()) {
            Datagram datagram = arriving.remove();
            int start = batch.slotOffset(received) + batch.headroomBytes();
            batch.bytes().put(start, datagram.bytes());
            batch.datagram(received, start, datagram.bytes().length);
            Endpoint peer = datagram.peer();
            batch.peer(received, peer.high(), peer.low(), peer.port());
            batch.local(received, datagram.local().high(), datagram.local().low());
            received++;
        }
        return received;
    }

    @Override
    public int send(DatagramBatch batch, int from, int to) {
        int count = Math.min(room, to - from);
        room -= count;
        for (int i = from; i < from + count; i++) {
            byte[] bytes = new byte[batch.length(i)];
            batch.bytes().get(batch.start(i), bytes);
            sent.add(
                    new Datagram(
                            new Endpoint(batch.addressHigh(i), batch.addressLow(i), batch.port(i)),
                            new Endpoint(batch.localHigh(i), batch.localLow(i), 0),
                            bytes));
        }
        return count;
    }

    @Override
    public int receiveBufferBytes() {
        return 0;
    }

    @Override
    public int sendBufferBytes() {
        return 0;
    }

    @Override
    public void countKernelDrops() {}

    @Override
    public UdpCounters counters() {
        return counters;
    }

    @Override
    public void close() {}
}
