package dev.parley.e2e.k8s;

import dev.parley.e2e.client.CallStats;
import dev.parley.e2e.client.LibwebrtcCaller;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Calls that go on while something happens, each watched for the longest time in which nothing came
 * down. Owned by one drill.
 */
final class LiveCalls implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofSeconds(2);
    private static final long LOOK_MILLIS = 20;

    /** One call, as it is watched by a thread of its own. */
    private static final class Call {
        final LibwebrtcCaller caller;
        volatile long received;
        volatile long lastNanos = System.nanoTime();
        volatile long longestNanos;

        Call(LibwebrtcCaller caller) {
            this.caller = caller;
        }

        void look() {
            CallStats stats = caller.stats();
            long now = System.nanoTime();
            if (stats.packetsReceived() != received) {
                received = stats.packetsReceived();
                longestNanos = Math.max(longestNanos, now - lastNanos);
                lastNanos = now;
            }
        }
    }

    private final URI base;
    private final List<Call> calls = new ArrayList<>();
    private final AtomicBoolean closed = new AtomicBoolean();

    LiveCalls(URI base) {
        this.base = base;
    }

    /** Adds a call with an agent that says back what it hears. */
    void add() {
        Call call = new Call(LibwebrtcCaller.call(base, "echo"));
        var _ = call.caller.awaitConnected(CONNECT_TIMEOUT);
        call.lastNanos = System.nanoTime();
        calls.add(call);
        Thread.ofPlatform().daemon().name("watch").start(() -> watch(call));
    }

    private void watch(Call call) {
        try {
            while (!closed.get()) {
                call.look();
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    int count() {
        return calls.size();
    }

    /** Calls that nothing has come from for a while. */
    long silent() {
        return calls.stream()
                .filter(call -> System.nanoTime() - call.lastNanos > QUIET.toNanos())
                .count();
    }

    /** The longest time without a packet in any call since this was asked last. */
    double longestGapMillis() {
        double longest = 0;
        for (Call call : calls) {
            longest = Math.max(longest, call.longestNanos / 1e6);
            call.longestNanos = 0;
        }
        return longest;
    }

    /** Ends all; answers how many of them were there to be ended. */
    long hangUp() {
        return calls.stream().filter(call -> call.caller.hangUp() == 200).count();
    }

    @Override
    public void close() {
        closed.set(true);
        calls.forEach(call -> call.caller.close());
    }
}
