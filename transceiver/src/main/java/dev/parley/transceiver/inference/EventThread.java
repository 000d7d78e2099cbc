package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call's virtual thread for its {@link EventSurface}: everything that the surface is to know
 * comes through one queue, so that neither the media loop nor the transport ever reads or writes
 * JSON. Made for calls that have a surface; any thread adds.
 */
final class EventThread {
    /** What waits beyond which clients and inference are not read. */
    private static final long ROOMY_BYTES = 256 * 1024;

    /** About what an input takes beside its content. */
    private static final int OVERHEAD_BYTES = 256;

    private sealed interface Input {
        record Attached(EventClient client) implements Input {}

        record Said(EventClient client, String text) implements Input {}

        record FromInference(ConverseResponse message) implements Input {}

        record FromEdge(ConverseRequest message) implements Input {}
    }

    private final EventSurface surface;
    private final LongSupplier clock;
    private final Runnable afterWork;
    private final Consumer<Throwable> onFault;
    private final Queue<Input> inputs = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();
    private final Thread thread;
    private volatile boolean stopped;

    // Guarded by inputs.
    private @Nullable Runnable last;
    private boolean over;

    /**
     * A thread that is not started yet.
     *
     * @param afterWork run when something was done, so that there may be room again
     * @param onFault told, once, when it dies of a fault of ours
     */
    EventThread(
            String name,
            EventSurface surface,
            LongSupplier clock,
            Runnable afterWork,
            Consumer<Throwable> onFault) {
        this.surface = surface;
        this.clock = clock;
        this.afterWork = afterWork;
        this.onFault = onFault;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    /** Whether more should be added of what can wait elsewhere. */
    boolean hasRoom() {
        return bytes.get() < ROOMY_BYTES;
    }

    void attached(EventClient client) {
        add(new Input.Attached(client));
    }

    void said(EventClient client, String text) {
        add(new Input.Said(client, text));
    }

    void fromInference(ConverseResponse message) {
        add(new Input.FromInference(message));
    }

    void fromEdge(ConverseRequest message) {
        add(new Input.FromEdge(message));
    }

    private void add(Input input) {
        if (!stopped) {
            bytes.addAndGet(charge(input));
            inputs.add(input);
            LockSupport.unpark(thread);
        }
    }

    private static long charge(Input input) {
        long content =
                switch (input) {
                    case Input.Attached _ -> 0;
                    case Input.Said(_, String text) -> text.length();
                    case Input.FromInference(ConverseResponse message) ->
                            message.getSerializedSize();
                    case Input.FromEdge(ConverseRequest message) -> message.getSerializedSize();
                };
        return content + OVERHEAD_BYTES;
    }

    /** Ends the thread when it has done what waits; the last thing that it does is given. */
    void close(Runnable toDoLast) {
        boolean late;
        synchronized (inputs) {
            late = over;
            last = toDoLast;
        }
        if (late) {
            toDoLast.run();
        }
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        try {
            // Asked before the queue is: what was added before the end is still done.
            for (boolean end = stopped; runOnce(clock.getAsLong()) || !end; end = stopped) {
                if (!end && inputs.isEmpty()) {
                    await();
                }
            }
        } catch (RuntimeException | Error e) {
            onFault.accept(e);
        } finally {
            finish();
        }
    }

    private void finish() {
        Runnable then;
        synchronized (inputs) {
            over = true;
            then = last;
        }
        if (then != null) {
            then.run();
        }
    }

    private boolean runOnce(long nowNanos) {
        long deadline = surface.deadlineNanos();
        boolean due = deadline != EventSurface.NEVER && deadline - nowNanos <= 0;
        if (due) {
            surface.onTimer(nowNanos);
        }
        Input input = inputs.poll();
        if (input != null) {
            handle(input, nowNanos);
            bytes.addAndGet(-charge(input));
            afterWork.run();
        }
        return due || input != null;
    }

    private void handle(Input input, long nowNanos) {
        switch (input) {
            case Input.Attached(EventClient client) -> surface.attached(client);
            case Input.Said(EventClient client, String text) ->
                    surface.said(client, text, nowNanos);
            case Input.FromInference(ConverseResponse message) ->
                    surface.fromInference(message, nowNanos);
            case Input.FromEdge(ConverseRequest message) -> surface.fromEdge(message, nowNanos);
        }
    }

    private void await() {
        long deadline = surface.deadlineNanos();
        if (deadline == EventSurface.NEVER) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, Math.max(1, deadline - clock.getAsLong()));
        }
    }
}
