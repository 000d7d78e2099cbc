package dev.parley.transceiver.inference;

import io.netty.channel.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * One thread of the transport, and those of its streams that have something to send: they wait for
 * a {@link #flush}, so that what a media loop has for many calls in one turn wakes the thread once
 * and leaves it in one piece. Sending on the thread itself spares gRPC a hand-over for each
 * message. Any thread may enter; owned by {@link Backends}.
 */
final class StreamThread {
    private final EventLoop thread;
    private final Queue<InferenceStream> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean woken = new AtomicBoolean();

    /** As one object, so that handing it over makes none. */
    private final Runnable drain = this::drain;

    StreamThread(EventLoop thread) {
        this.thread = thread;
    }

    /** What carries connections on this thread. */
    EventLoop eventLoop() {
        return thread;
    }

    /** Takes a stream that is not waiting yet. */
    void add(InferenceStream stream) {
        waiting.add(stream);
    }

    /** Has the thread send what waits. */
    void flush() {
        if (waiting.isEmpty() || !woken.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(drain);
        } catch (RejectedExecutionException _) {
            // It has been closed, and its streams with it.
            waiting.clear();
        }
    }

    private void drain() {
        // First: who adds from now on wakes it again.
        woken.set(false);
        for (InferenceStream next = waiting.poll(); next != null; next = waiting.poll()) {
            next.drainWaiting();
        }
    }
}
