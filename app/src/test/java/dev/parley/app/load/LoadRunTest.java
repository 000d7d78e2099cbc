package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
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
}
