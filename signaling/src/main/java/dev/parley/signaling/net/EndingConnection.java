package dev.parley.signaling.net;

import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.spi.ServerConnection;
import java.time.Duration;

/** A connection that tells when it is over, however it ended. */
public record EndingConnection(ServerConnection served, Runnable gone)
        implements ServerConnection, InterruptableTask<Void> {
    @Override
    public boolean canInterrupt() {
        return served instanceof InterruptableTask<?> task && task.canInterrupt();
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
        try {
            served.handle(limit);
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
