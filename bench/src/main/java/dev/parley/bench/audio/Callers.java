package dev.parley.bench.audio;

import dev.parley.proto.control.v1.TransceiverGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clients with calls on one transceiver, and the one thread that receives for all of them. */
final class Callers implements AutoCloseable {
    private static final long CHECK_EVERY_NANOS = 100_000_000L;
    private static final int SELECT_MILLIS = 20;

    /** Handshakes at a time: they are not what is measured. */
    private static final int AT_ONCE = 10;

    private final List<Caller> callers = new ArrayList<>();
    private final Selector selector;
    private final Thread thread;
    private volatile boolean stopped;

    private Callers(Selector selector) {
        this.selector = selector;
        this.thread = Thread.ofPlatform().name("callers").unstarted(this::run);
    }

    /** Sets calls up, one after the other in the order of the list, and waits until media flows. */
    static Callers call(TransceiverProcess transceiver, String model, int count)
            throws IOException, InterruptedException {
        Callers callers = new Callers(Selector.open());
        callers.thread.start();
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(transceiver.control()).usePlaintext().build();
        try {
            TransceiverGrpc.TransceiverBlockingStub stub = TransceiverGrpc.newBlockingStub(channel);
            for (int i = 0; i < count; i++) {
                callers.add(Caller.call(stub, transceiver.media(), model, i));
                if (i % AT_ONCE == AT_ONCE - 1) {
                    callers.callers.getLast().awaitConnected();
                }
            }
            for (Caller caller : callers.callers) {
                caller.awaitConnected();
            }
        } finally {
            channel.shutdownNow();
        }
        return callers;
    }

    private void add(Caller caller) throws IOException {
        caller.channel().register(selector, SelectionKey.OP_READ, caller);
        synchronized (callers) {
            callers.add(caller);
        }
        selector.wakeup();
        caller.connect();
    }

    List<Caller> all() {
        return callers;
    }

    private void run() {
        ByteBuffer datagram = ByteBuffer.allocateDirect(2_048);
        ByteBuffer scratch = ByteBuffer.allocateDirect(2_048);
        long nextCheck = System.nanoTime();
        try {
            while (!stopped) {
                selector.select(key -> receive(key, datagram), SELECT_MILLIS);
                long now = System.nanoTime();
                if (now - nextCheck >= 0) {
                    nextCheck = now + CHECK_EVERY_NANOS;
                    check(scratch, now);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void check(ByteBuffer scratch, long now) throws IOException {
        synchronized (callers) {
            for (Caller caller : callers) {
                caller.check(scratch, now);
            }
        }
    }

    private static void receive(SelectionKey key, ByteBuffer datagram) {
        Caller caller = (Caller) key.attachment();
        try {
            datagram.clear();
            while (caller.channel().read(datagram) > 0) {
                long now = System.nanoTime();
                datagram.flip();
                caller.received(datagram, now);
                datagram.clear();
            }
        } catch (IOException _) {
            // The transceiver has gone; the run is over.
            key.cancel();
        }
    }

    @Override
    public void close() throws IOException {
        stopped = true;
        selector.wakeup();
        try {
            thread.join(TimeUnit.SECONDS.toMillis(2));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        selector.close();
        for (Caller caller : callers) {
            caller.channel().close();
        }
    }
}
