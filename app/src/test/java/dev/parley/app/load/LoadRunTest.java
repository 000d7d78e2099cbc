package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoadRunTest {
    private static final int MORE_THAN_AT_ONCE = 6;

    /** A server that answers nobody until so many have called. */
    private static final class SlowServer implements CallRequests {
        private final CountDownLatch callers = new CountDownLatch(MORE_THAN_AT_ONCE);

        @Override
        public Accepted place(String offer) throws IOException, InterruptedException {
            callers.countDown();
            callers.await();
            throw new IOException("nobody is served here");
        }

        @Override
        public String restart(String handle, String offer) {
            throw new IllegalStateException("there is no call");
        }

        @Override
        public void hangUp(String handle) {}
    }

    @Test
    void placesCallsWhenTheyAreDueHoweverSlowTheServerIs() throws InterruptedException {
        SlowServer server = new SlowServer();
        LoadOptions options =
                LoadOptions.of(
                        Map.of(
                                "sessions", "2",
                                "ramp", "1000",
                                "seconds", "30",
                                "warm-up", "0",
                                "call-seconds", "0.1"));
        try (LoadRun run = new LoadRun(options, server, SpeechFrames.builtIn())) {
            LoadResults results = run.run((_, _, _) -> {});

            assertThat(server.callers.getCount()).isZero();
            assertThat(results.hopeless()).isEqualTo("nobody is served here");
        }
    }

    /** A server of which an instance is down: it refuses the first so many. */
    private static final class HalfServer implements CallRequests {
        private final AtomicInteger refused = new AtomicInteger();
        private final int refuses;

        HalfServer(int refuses) {
            this.refuses = refuses;
        }

        @Override
        public Accepted place(String offer) throws IOException {
            if (refused.incrementAndGet() <= refuses) {
                throw new IOException("connection reset");
            }
            // Nobody is at the discard port.
            return new Accepted(FakeLoadHost.ANSWER.replace(" 3478 ", " 9 "), "");
        }

        @Override
        public String restart(String handle, String offer) {
            throw new IllegalStateException("nobody restarts");
        }

        @Override
        public void hangUp(String handle) {}
    }

    private static LoadResults run(int sessions, CallRequests server) throws InterruptedException {
        LoadOptions options =
                LoadOptions.of(
                        Map.of(
                                "sessions", Integer.toString(sessions),
                                "ramp", "100",
                                "seconds", "1",
                                "warm-up", "0"));
        try (LoadRun run = new LoadRun(options, server, SpeechFrames.builtIn())) {
            return run.run((_, _, _) -> {});
        }
    }

    @Test
    void goesOnThoughTheFirstCallsAreRefused() throws InterruptedException {
        LoadResults results = run(12, new HalfServer(7));

        assertThat(results.hopeless()).isNull();
        assertThat(results.total().errors).containsEntry("bad_answer", 7L);
        assertThat(results.total().errors).containsEntry("not_connected_at_the_end", 5L);
    }

    @Test
    void countsAllThatWereAskedForWhenItGivesUp() throws InterruptedException {
        LoadResults results = run(1_000, new HalfServer(Integer.MAX_VALUE));

        assertThat(results.hopeless()).isEqualTo("connection reset");
        assertThat(results.figures())
                .containsEntry("connected", 0L)
                .containsEntry("failed", 1_000L);
        assertThat(results.total().errors).containsKey("not_tried");
    }
}
