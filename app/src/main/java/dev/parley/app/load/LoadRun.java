package dev.parley.app.load;

import dev.parley.app.load.CallRequests.Accepted;
import dev.parley.app.load.CallRequests.RefusedException;
import dev.parley.rtc.ice.IceCredentials;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One run: places calls at the rate that was asked for, and others in their place if there is to be
 * churn, and gathers what happens second by second. When a call is due is settled beforehand: a
 * server that is slow gets no fewer of them.
 */
public final class LoadRun implements AutoCloseable {
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long GOODBYE_NANOS = 4 * NANOS_PER_SECOND;
    private static final long LAST_WORDS_MILLIS = 200;
    private static final int MOST_RETRIES = 10;

    /** When nobody has got through: so many failures, or so long after the first, are enough. */
    private static final int HOPELESS_CALLS = 8;

    private static final long HOPELESS_NANOS = 3 * NANOS_PER_SECOND;

    private static final double WARM_UP_PER_SECOND = 8;
    private static final double WARM_UP_CALL_SECONDS = 0.5;

    private final LoadOptions options;
    private final CallRequests requests;
    private final long sampleNanos;
    private final List<LoadLoop> loops = new ArrayList<>();
    private final Tally total = new Tally();
    private final Tally steady = new Tally();
    private final List<LoadSample> samples = new ArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final AtomicInteger underway = new AtomicInteger();
    private final AtomicInteger placedEver = new AtomicInteger();
    private final SecureRandom random = new SecureRandom();
    private volatile boolean ending;
    private volatile boolean interrupted;
    private volatile @Nullable String hopeless;
    private Tally interval = new Tally();
    private boolean settled;
    private long startNanos;
    private int failedEver;
    private long firstFailedNanos;

    /**
     * @param requests how calls are placed
     * @param speech what callers say
     */
    public LoadRun(LoadOptions options, CallRequests requests, SpeechFrames speech) {
        this(options, requests, speech, NANOS_PER_SECOND);
    }

    /**
     * @param sampleNanos how often the listener is told
     */
    public LoadRun(
            LoadOptions options, CallRequests requests, SpeechFrames speech, long sampleNanos) {
        this.sampleNanos = sampleNanos;
        this.options = options;
        this.requests = requests;
        for (int i = 0; i < options.threads(); i++) {
            loops.add(new LoadLoop(options, speech, requests, i, this::over));
        }
    }

    /** Has the run end early, and the calls with it; from any thread. */
    public void interrupt() {
        interrupted = true;
    }

    /**
     * Runs to the end.
     *
     * @param listener told once a second, or as often as was asked for
     */
    public LoadResults run(Listener listener) throws InterruptedException {
        loops.forEach(LoadLoop::start);
        warmUp();
        startNanos = System.nanoTime();
        Thread ramp = Thread.ofVirtual().start(this::ramp);
        long wholeNanos =
                (long) ((options.sessions() - 1) / options.perSecond() * NANOS_PER_SECOND)
                        + options.seconds() * NANOS_PER_SECOND;
        long settledNanos =
                startNanos
                        + (long) ((options.sessions() - 1) / options.perSecond() * NANOS_PER_SECOND)
                        + (long) (options.settleSeconds() * NANOS_PER_SECOND);
        long nextNanos = startNanos + sampleNanos;
        while (System.nanoTime() - startNanos < wholeNanos && goesOn()) {
            long end = Math.min(nextNanos, startNanos + wholeNanos);
            sleepUntil(settled ? end : Math.min(end, settledNanos));
            if (!settled && settledNanos - System.nanoTime() <= 0) {
                settle();
            }
            if (nextNanos - System.nanoTime() <= 0) {
                nextNanos += sampleNanos;
                sample(listener, false);
            }
        }
        ending = true;
        ramp.interrupt();
        ramp.join();
        sample(listener, false);
        goodbye();
        sample(listener, true);
        total.closeOff();
        if (hopeless != null) {
            total.notTried(options.sessions());
        }
        return new LoadResults(options, total, steady, samples, hopeless);
    }

    /** Short calls that do not count, so that those that do find neither side cold. */
    private void warmUp() throws InterruptedException {
        double perSecond = Math.clamp(options.sessions() / 2.0, 1, WARM_UP_PER_SECOND);
        long until = System.nanoTime() + (long) (options.warmUpSeconds() * NANOS_PER_SECOND);
        while (until - System.nanoTime() > 0 && goesOn()) {
            placeSoon(System.nanoTime(), true);
            TimeUnit.NANOSECONDS.sleep((long) (NANOS_PER_SECOND / perSecond));
        }
        long patience = System.nanoTime() + GOODBYE_NANOS;
        while (underway.get() > 0 && patience - System.nanoTime() > 0 && goesOn()) {
            Thread.sleep(20);
        }
        if (hopeless == null) {
            var _ = gather();
        }
    }

    private boolean goesOn() {
        for (LoadLoop loop : loops) {
            if (loop.fault() != null) {
                return false;
            }
        }
        return !interrupted && hopeless == null;
    }

    /** What has ended the generator itself before its time; null when nothing has. */
    @Nullable Throwable fault() {
        return loops.stream()
                .map(LoadLoop::fault)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private void goodbye() throws InterruptedException {
        loops.forEach(LoadLoop::leaveAll);
        long until = System.nanoTime() + GOODBYE_NANOS;
        while (underway.get() > 0 && until - System.nanoTime() > 0) {
            Thread.sleep(20);
        }
        // What was said last is on its way yet.
        Thread.sleep(LAST_WORDS_MILLIS);
    }

    private static void sleepUntil(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(Math.max(0, nanos - System.nanoTime()));
    }

    // --- placing calls

    private void ramp() {
        try {
            for (int i = 0; i < options.sessions() && !ending; i++) {
                long due = startNanos + (long) (i / options.perSecond() * NANOS_PER_SECOND);
                sleepUntil(due);
                placeSoon(due, false);
            }
        } catch (InterruptedException _) {
            // The run is over before all calls were placed.
        }
    }

    private void placeSoon(long dueNanos, boolean warmUp) {
        underway.incrementAndGet();
        double seconds = warmUp ? WARM_UP_CALL_SECONDS : options.callSeconds();
        long endNanos = dueNanos + (seconds > 0 ? spread(seconds) : Long.MAX_VALUE / 2);
        Thread.ofVirtual().start(() -> place(dueNanos, endNanos, warmUp));
        if (!warmUp && options.callSeconds() > 0) {
            Thread.ofVirtual().start(() -> follow(endNanos));
        }
    }

    private long spread(double meanSeconds) {
        return (long) (meanSeconds * random.nextDouble(0.5, 1.5) * NANOS_PER_SECOND);
    }

    /** Places the call that comes after one, whatever has become of that one. */
    private void follow(long dueNanos) {
        try {
            sleepUntil(dueNanos);
            if (!ending && hopeless == null) {
                placeSoon(dueNanos, false);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void place(long dueNanos, long endNanos, boolean warmUp) {
        int number = numbers.incrementAndGet();
        LoadLoop loop = loops.get(number % loops.size());
        if (!warmUp) {
            loop.post(() -> loop.tally().offered++);
        }
        IceCredentials local = IceCredentials.random(random);
        String offer =
                CallOffer.text(
                        local, CallDtls.IDENTITY, options.messagesPerSecond() >= 0, options.nack());
        try {
            Accepted accepted = placePatiently(loop, offer, warmUp);
            CallAnswer answer = CallAnswer.parse(accepted.sdp());
            placedEver.incrementAndGet();
            loop.add(
                    new PlacedCall(
                            number,
                            local,
                            answer,
                            accepted.handle(),
                            dueNanos,
                            System.nanoTime(),
                            endNanos,
                            warmUp));
        } catch (RefusedException e) {
            String message = e.getMessage() == null ? e.reason() : e.getMessage();
            failed(loop, warmUp, e.reason(), message);
        } catch (IOException | IllegalArgumentException e) {
            failed(loop, warmUp, "bad_answer", String.valueOf(e.getMessage()));
        } catch (InterruptedException _) {
            failed(loop, warmUp, "interrupted", "interrupted");
        }
    }

    /** Comes again when the server says later, as its Retry-After has it. */
    private Accepted placePatiently(LoadLoop loop, String offer, boolean warmUp)
            throws IOException, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return requests.place(offer);
            } catch (RefusedException e) {
                if (e.retryMillis() < 0 || tries > MOST_RETRIES || ending) {
                    throw e;
                }
                if (!warmUp) {
                    loop.post(() -> loop.tally().refusal(e.reason()));
                }
                Thread.sleep(e.retryMillis());
            }
        }
    }

    private void failed(LoadLoop loop, boolean warmUp, String reason, String message) {
        if (placedEver.get() == 0 && isHopeless()) {
            hopeless = message;
        }
        if (!warmUp || hopeless != null) {
            // A warm-up that ends the run is all there is to tell.
            loop.post(
                    () -> {
                        loop.tally().offered += warmUp ? 1 : 0;
                        loop.tally().failed++;
                        loop.tally().error(reason);
                    });
        }
        underway.decrementAndGet();
    }

    /** Whether nobody has got through, and nobody will. */
    private synchronized boolean isHopeless() {
        long nowNanos = System.nanoTime();
        firstFailedNanos = failedEver == 0 ? nowNanos : firstFailedNanos;
        failedEver++;
        return failedEver >= Math.min(options.sessions(), HOPELESS_CALLS)
                || nowNanos - firstFailedNanos >= HOPELESS_NANOS;
    }

    private void over(LoadCall call) {
        underway.decrementAndGet();
    }

    // --- gathering

    /** All calls are due and have had their time to come about. */
    private void settle() throws InterruptedException {
        take(gather());
        settled = true;
        loops.forEach(LoadLoop::settle);
    }

    private void take(Tally gathered) {
        total.add(gathered);
        interval.add(gathered);
        if (settled) {
            steady.add(gathered);
        }
    }

    private void sample(Listener listener, boolean last) throws InterruptedException {
        take(gather());
        double seconds = (System.nanoTime() - startNanos) / (double) NANOS_PER_SECOND;
        int active = (int) (total.connected - total.hungUp - total.brokenOff);
        LoadSample sample = LoadSample.of(seconds, active, interval);
        if (!last) {
            samples.add(sample);
            listener.sampled(sample, interval, total);
        }
        interval = new Tally();
    }

    private Tally gather() throws InterruptedException {
        Tally gathered = new Tally();
        loops.forEach(LoadLoop::report);
        for (LoadLoop loop : loops) {
            Tally tally = loop.pollTally();
            // A loop answers within a turn.
            for (int tries = 0; tally == null && tries < 500 && loop.fault() == null; tries++) {
                Thread.sleep(1);
                tally = loop.pollTally();
            }
            if (tally != null) {
                gathered.add(tally);
            }
        }
        return gathered;
    }

    /** Sees the run go by. */
    public interface Listener {
        /**
         * A second has passed, or what was asked for in its place.
         *
         * @param interval what happened in it
         * @param total of the run so far; only during the call
         */
        void sampled(LoadSample sample, Tally interval, Tally total);
    }

    @Override
    public void close() {
        loops.forEach(LoadLoop::close);
    }
}
