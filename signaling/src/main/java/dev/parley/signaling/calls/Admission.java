package dev.parley.signaling.calls;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.load.Congestion;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.pool.ClusterPool;
import dev.parley.signaling.trace.Routes;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.Filter;
import io.helidon.webserver.http.FilterChain;
import io.helidon.webserver.http.RoutingRequest;
import io.helidon.webserver.http.RoutingResponse;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a request that would start a call passes first, before its body, its credential or anybody
 * else is looked at: when there is no room it is refused at once, and takes nothing from the calls
 * that were let in. Whatever concerns a call that exists passes freely. Any thread may ask.
 */
public final class Admission implements Filter {
    /** Clients that are refused together should not all come back together. */
    private static final int MAX_RETRY_SECONDS = 4;

    private final ClusterPool pool;
    private final Congestion congestion;
    private final StartingCalls starting;
    private final Overflow overflow;
    private final LongAdder noRoom = new LongAdder();

    /**
     * Lets calls in.
     *
     * @param pool knows whether there is room
     * @param congestion of this process
     * @param starting calls that were let in and wait; shown with what was refused here
     * @param overflow where clients go that are not let in
     */
    public Admission(
            ClusterPool pool, Congestion congestion, StartingCalls starting, Overflow overflow) {
        this.pool = pool;
        this.congestion = congestion;
        this.starting = starting;
        this.overflow = overflow;
    }

    /** Shows how many were refused. */
    public void register(Telemetry telemetry) {
        telemetry.counters(
                Metric.SIGNALING_ADMISSION_REFUSED,
                Map.of(
                        "congestion",
                        congestion::refused,
                        "starting",
                        starting::refused,
                        "transceivers",
                        noRoom::sum));
    }

    @Override
    public void filter(FilterChain chain, RoutingRequest request, RoutingResponse response) {
        if (!Routes.startsCall(request.prologue())) {
            chain.proceed();
            return;
        }
        try {
            requireRoom();
        } catch (RefusedException refusal) {
            if (!Routes.isWhip(request.prologue()) || !overflow.redirect(request, response)) {
                throw refusal;
            }
            return;
        }
        chain.proceed();
    }

    /**
     * Insists that a call may be started now.
     *
     * @throws RefusedException when not
     */
    public void requireRoom() {
        if (congestion.refuses()) {
            throw overloaded();
        }
        Optional<ErrorCode> why = pool.findRest();
        if (why.isPresent()) {
            noRoom.increment();
            throw later(
                    new RefusedException(
                            why.get(), "All voice servers are busy. Try again shortly."));
        }
    }

    static RefusedException overloaded() {
        return later(
                new RefusedException(
                        ErrorCode.OVERLOADED, "This server is busy. Try again shortly."));
    }

    private static RefusedException later(RefusedException refusal) {
        int seconds = ThreadLocalRandom.current().nextInt(1, MAX_RETRY_SECONDS + 1);
        return refusal.with(HeaderNames.RETRY_AFTER, String.valueOf(seconds));
    }
}
