package dev.parley.e2e.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Many clients whose media goes through a relay to a transceiver and back; all of them are sockets
 * of this process, so whatever gets lost is known. Strangers, whom nobody expects, may send as
 * well. Owned by one drill.
 */
final class SyntheticFlows implements AutoCloseable {
    private static final int BUFFER = 1 << 22;
    private static final int LONGEST = 2_000;
    private static final int MEDIA_BYTES = 160;
    private static final long TICK_NANOS = 1_000_000L;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final InetSocketAddress relay;
    private final DatagramChannel transceiver;
    private final Selector selector;
    private final List<DatagramChannel> clients = new ArrayList<>();
    private final List<DatagramChannel> strangers = new ArrayList<>();
    private final AtomicLong sentUp = new AtomicLong();
    private final AtomicLong arrivedUp = new AtomicLong();
    private final AtomicLong sentDown = new AtomicLong();
    private final AtomicLong arrivedDown = new AtomicLong();
    private volatile boolean stopping;
    private volatile boolean closed;
    private Thread sender = Thread.ofPlatform().unstarted(() -> {});

    SyntheticFlows(InetSocketAddress relay, int flows, int strangers) throws IOException {
        this.relay = relay;
        selector = Selector.open();
        transceiver = open();
        for (int i = 0; i < flows; i++) {
            DatagramChannel client = open();
            client.configureBlocking(false);
            client.register(selector, SelectionKey.OP_READ);
            clients.add(client);
        }
        for (int i = 0; i < strangers; i++) {
            this.strangers.add(open());
        }
        var _ = Thread.ofPlatform().daemon().name("transceiver").start(this::echo);
        var _ = Thread.ofPlatform().daemon().name("clients").start(this::listen);
    }

    private static DatagramChannel open() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return channel;
    }

    /** Each client sends its check; answers when all have arrived. */
    void establish() throws IOException {
        RouteChecks checks = new RouteChecks((InetSocketAddress) transceiver.getLocalAddress());
        for (int i = 0; i < clients.size(); i++) {
            long before = arrivedUp.get();
            clients.get(i).send(checks.check(i), relay);
            sentUp.incrementAndGet();
            long deadline = System.nanoTime() + 5 * NANOS_PER_SECOND;
            while (arrivedUp.get() == before) {
                if (deadline - System.nanoTime() <= 0) {
                    throw new IOException("the relay does not forward a check");
                }
                LockSupport.parkNanos(100_000);
            }
        }
    }

    /** Sends at a rate from now on, clients in turn, strangers a tenth of it. */
    void start(int packetsPerSecond) {
        sender = Thread.ofPlatform().daemon().name("sender").start(() -> send(packetsPerSecond));
    }

    private void send(int packetsPerSecond) {
        ByteBuffer media = ByteBuffer.allocateDirect(MEDIA_BYTES);
        media.put(0, (byte) 0x80).put(1, (byte) 111);
        long start = System.nanoTime();
        long count = 0;
        try {
            while (!stopping) {
                long due = (System.nanoTime() - start) * packetsPerSecond / NANOS_PER_SECOND;
                for (; count < due; count++) {
                    send(clients.get((int) (count % clients.size())), media);
                    sentUp.incrementAndGet();
                    if (!strangers.isEmpty() && count % 10 == 0) {
                        send(strangers.get((int) (count / 10 % strangers.size())), media);
                    }
                }
                LockSupport.parkNanos(TICK_NANOS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void send(DatagramChannel from, ByteBuffer media) throws IOException {
        try {
            from.send(media.clear(), relay);
        } catch (PortUnreachableException _) {
            // The relay is away.
        }
    }

    private void echo() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(LONGEST);
        try {
            while (!closed) {
                SocketAddress from = transceiver.receive(buffer.clear());
                arrivedUp.incrementAndGet();
                transceiver.send(buffer.flip(), from);
                sentDown.incrementAndGet();
            }
        } catch (ClosedChannelException _) {
            // The end.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void listen() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(LONGEST);
        try {
            while (!closed) {
                selector.select(
                        key -> {
                            DatagramChannel client = (DatagramChannel) key.channel();
                            try {
                                while (client.receive(buffer.clear()) != null) {
                                    arrivedDown.incrementAndGet();
                                }
                            } catch (ClosedChannelException _) {
                                // The end.
                            } catch (IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        });
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Stops sending and waits for what is on its way. */
    void finish() throws InterruptedException {
        stopping = true;
        sender.join();
        long last = -1;
        while (last != arrivedUp.get() + arrivedDown.get()) {
            last = arrivedUp.get() + arrivedDown.get();
            Thread.sleep(500);
        }
    }

    long sent() {
        return sentUp.get() + sentDown.get();
    }

    long lostUp() {
        return sentUp.get() - arrivedUp.get();
    }

    long lostDown() {
        return sentDown.get() - arrivedDown.get();
    }

    @Override
    public void close() {
        stopping = true;
        closed = true;
        selector.wakeup();
        List<DatagramChannel> all = new ArrayList<>(clients);
        all.addAll(strangers);
        all.add(transceiver);
        for (DatagramChannel channel : all) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
