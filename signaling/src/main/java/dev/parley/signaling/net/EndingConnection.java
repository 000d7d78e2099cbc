package dev.parley.signaling.net;

import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.spi.ServerConnection;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * A connection that tells when it is over, however it ended.
 *
 * @param failed told first of what ended it, if anything did; may throw something else in its place
 */
public record EndingConnection(
        ServerConnection served, Consumer<RuntimeException> failed, Runnable gone)
        implements ServerConnection, InterruptableTask<Void> {
    @Override
    public boolean canInterrupt() {
        return served instanceof InterruptableTask<?> task && task.canInterrupt();
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
        try {
            served.handle(limit);
        } catch (RuntimeException e) {
            failed.accept(e);
            throw e;
        } finally {
            gone.run();
        }
    }

    @Override
    public Duration idleTime() {
        return served.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
        served.close(interrupt);
    }
}
