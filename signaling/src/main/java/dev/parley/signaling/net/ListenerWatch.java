package dev.parley.signaling.net;

import dev.parley.runtime.reload.Ticker;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether the web server still listens, since one failed {@code accept} ends that for good
 * and the server tells nobody. It is opened again; where that does not succeed the process ends,
 * for whoever runs it to start another. Owned by the listener; its thread is its own.
 */
final class ListenerWatch implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ListenerWatch.class.getName());
    private static final Duration PERIOD = Duration.ofSeconds(1);

    /** Looks in a row without a listener after which the process is of no use. */
    static final int PATIENCE = 30;

    private final BooleanSupplier listens;
    private final BooleanSupplier reopen;
    private final Runnable giveUp;
    private @Nullable Ticker ticker;
    private int failures;

    /**
     * @param listens whether the address is listened on
     * @param reopen tries to listen again, and answers whether it succeeded
     * @param giveUp ends the process
     */
    ListenerWatch(BooleanSupplier listens, BooleanSupplier reopen, Runnable giveUp) {
        this.listens = listens;
        this.reopen = reopen;
        this.giveUp = giveUp;
    }

    void start() {
        ticker = Ticker.start("listener-watch", PERIOD, this::look);
    }

    /** One look; called by one thread at a time. */
    void look() {
        if (listens.getAsBoolean()) {
            failures = 0;
            return;
        }
        if (failures == 0) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "http_address is not listened on any more, its connections are closed; it is"
                            + " opened again");
        }
        failures++;
        if (failures > PATIENCE) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "http_address cannot be opened again: the process ends");
            giveUp.run();
        } else if (reopen.getAsBoolean()) {
            failures = 0;
            LOG.log(System.Logger.Level.WARNING, "http_address is listened on again");
        }
    }

    @Override
    public void close() {
        if (ticker != null) {
            ticker.close();
        }
    }
}
