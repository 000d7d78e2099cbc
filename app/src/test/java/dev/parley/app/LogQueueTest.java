package dev.parley.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class LogQueueTest {
    private static final String FAULTY = "cannot be written";

    /** Somebody who reads a line for each permit. */
    private static final class Reader extends Handler {
        private final Semaphore permits = new Semaphore(0);
        private final Semaphore began = new Semaphore(0);
        private final BlockingQueue<String> read = new LinkedBlockingQueue<>();

        @Override
        public void publish(LogRecord line) {
            began.release();
            permits.acquireUninterruptibly();
            if (line.getMessage().equals(FAULTY)) {
                throw new OutOfMemoryError("for the sake of the test");
            }
            read.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** A service that says more than any pipe holds. */
    static final class Talkative {
        public static void main(String[] arguments) {
            Logging.configure();
            System.Logger logger = System.getLogger("talkative");
            for (int i = 0; i < 20_000; i++) {
                logger.log(
                        System.Logger.Level.INFO, "line {0} of many, and none of them is read", i);
            }
            System.out.println("went on, dropped some: " + (Logging.dropped() > 0));
        }
    }

    private final Reader reader = new Reader();
    private final LogQueue queue = new LogQueue(reader);

    private void log(String message) {
        queue.publish(new LogRecord(Level.INFO, message));
    }

    @Test
    void whoLogsDoesNotWaitAndTheNextReaderHearsWhatWasLeftOut() throws Exception {
        log("in hand");
        assertThat(reader.began.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        for (int i = 0; i < LogQueue.MAX_WAITING + 7; i++) {
            log("line " + i);
        }
        assertThat(queue.dropped()).isEqualTo(7);

        reader.permits.release(LogQueue.MAX_WAITING + 2);

        assertThat(take()).isEqualTo("in hand");
        for (int i = 0; i < LogQueue.MAX_WAITING; i++) {
            assertThat(take()).isEqualTo("line " + i);
        }
        assertThat(take()).startsWith("7 log lines were left out");
        queue.close();
    }

    private String take() throws InterruptedException {
        return String.valueOf(reader.read.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void closingWritesWhatWaits() {
        reader.permits.release(3);
        log("one");
        log("two");
        log("three");

        queue.close();
        log("too late");

        assertThat(List.copyOf(reader.read)).containsExactly("one", "two", "three");
        assertThat(queue.dropped()).isZero();
    }

    @Test
    void aLineThatCannotBeWrittenIsLeftOutAndTold() throws Exception {
        reader.permits.release(3);
        log(FAULTY);
        log("and on");

        assertThat(List.of(take(), take()))
                .containsExactlyInAnyOrder(
                        "and on",
                        "1 log lines were left out, since standard error was not read fast enough"
                                + " or they could not be written");
        queue.close();
    }

    @Test
    void aProcessWhoseStandardErrorNobodyReadsGoesOn() throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Talkative.class.getName())
                        .start();
        try (BufferedReader lines = process.inputReader()) {
            assertThat(lines.readLine()).isEqualTo("went on, dropped some: true");
            assertThat(process.waitFor()).isZero();
        } finally {
            process.destroyForcibly();
        }
    }
}
