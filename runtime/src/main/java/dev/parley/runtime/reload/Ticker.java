package dev.parley.runtime.reload;

import java.lang.System.Logger.Level;
import java.time.Duration;

/**
 * Does one thing again and again on a virtual thread of its own until closed: looking at files,
 * names, clocks. A failure is logged and does not end it.
 */
public final class Ticker implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Ticker.class.getName());

    private final String name;
    private final Duration period;
    private final Runnable action;
    private final Thread thread;

    private Ticker(String name, Duration period, Runnable action) {
        this.name = name;
        this.period = period;
        this.action = action;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    /** The first time is one period from now. */
    public static Ticker start(String name, Duration period, Runnable action) {
        Ticker ticker = new Ticker(name, period, action);
        ticker.thread.start();
        return ticker;
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(period);
                tick();
            }
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    private void tick() {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            // This is the thread's root: what fails once, for want of memory too, is tried again.
            LOGGER.log(Level.WARNING, name + " failed; this is a bug", e);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
