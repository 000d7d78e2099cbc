package dev.parley.app;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Has a thread of its own write the lines that others log, so that a media loop neither formats a
 * line nor waits for whoever reads standard error. Of a reader that has stopped at most {@value
 * #MAX_WAITING} lines wait; further ones are left out and counted, which a later line tells. Owned
 * by {@link Logging}; any thread logs.
 */
final class LogQueue extends Handler {
    static final int MAX_WAITING = 4_096;

    /** What closing gives the lines that wait. */
    private static final long CLOSE_MILLIS = 1_000;

    private static final LogRecord END = new LogRecord(Level.OFF, "");

    private final Handler target;
    private final BlockingQueue<LogRecord> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
    private final LongAdder dropped = new LongAdder();
    private final Thread thread;
    private volatile boolean closed;
    private long told;

    /**
     * @param target writes them, by the thread alone from now on
     */
    LogQueue(Handler target) {
        this.target = target;
        setLevel(target.getLevel());
        thread = Thread.ofPlatform().daemon().name("log").unstarted(this::run);
        thread.start();
    }

    @Override
    public void publish(LogRecord line) {
        if (closed || !isLoggable(line)) {
            return;
        }
        if (!waiting.offer(line)) {
            dropped.increment();
        }
    }

    /** Lines that were left out because too many waited. */
    long dropped() {
        return dropped.sum();
    }

    private void run() {
        try {
            for (LogRecord line = waiting.take(); line != END; line = waiting.take()) {
                write(line);
                if (waiting.isEmpty()) {
                    tellDropped();
                }
            }
            tellDropped();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        target.flush();
    }

    /** A line that cannot be written, for want of memory or by a fault in it, is left out. */
    private void write(LogRecord line) {
        try {
            target.publish(line);
        } catch (RuntimeException | Error _) {
            dropped.increment();
        }
    }

    private void tellDropped() {
        long now = dropped.sum();
        if (now == told) {
            return;
        }
        LogRecord line =
                new LogRecord(
                        Level.WARNING,
                        now
                                - told
                                + " log lines were left out, since standard error was not read fast"
                                + " enough or they could not be written");
        line.setLoggerName(LogQueue.class.getName());
        told = now;
        write(line);
    }

    @Override
    public synchronized void setFormatter(Formatter formatter) {
        target.setFormatter(formatter);
    }

    @Override
    public void flush() {
        // The thread writes each line out.
    }

    /** Writes what waits, unless nobody reads it. */
    @Override
    public void close() {
        closed = true;
        try {
            // Behind all that waits; when there is no room for so long nobody is reading.
            if (waiting.offer(END, CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                thread.join(CLOSE_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
