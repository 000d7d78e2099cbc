package dev.parley.transceiver.recording;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The recordings of a process. Calls put what happens into a queue, which is bounded by its memory:
 * what finds no room is left out and counted, and the recording says so. One thread of its own
 * writes the files. When the folder holds as much as it may, recordings are broken off and none is
 * begun until somebody has made room; nothing is ever deleted. Calls notice none of it.
 */
public final class Recordings implements CallTape.Source, AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Recordings.class.getPackageName());

    /** Memory of what waits to be written, of all calls: a second of a thousand of them. */
    static final int MAX_WAITING_BYTES = 32 << 20;

    private static final long LOOK_NANOS = 100_000_000L;
    private static final long FLUSH_NANOS = 1_000_000_000L;
    private static final long MEASURE_NANOS = 10_000_000_000L;
    private static final long CLOSE_MILLIS = 5_000;

    private final RecordingSettings settings;
    private final RecordingCounters counters;
    private final LongSupplier clock;
    private final InstantSource wall;
    private final Queue<TapeEntry> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong waitingBytes = new AtomicLong();
    private final Thread thread;
    private volatile boolean full;
    private volatile boolean closing;

    // Of the thread that writes.
    private final Set<RecordedTape> open = new HashSet<>();
    private long usedBytes;
    private long flushedNanos;
    private long measuredNanos;

    /**
     * Begins to take recordings.
     *
     * @throws ConfigException when the folder cannot be used
     */
    public static Recordings start(
            RecordingSettings settings,
            RecordingCounters counters,
            LongSupplier clock,
            InstantSource wall) {
        Recordings made = new Recordings(settings, counters, clock, wall);
        made.thread.start();
        return made;
    }

    /** One whose {@link #runOnce} somebody else calls. */
    Recordings(
            RecordingSettings settings,
            RecordingCounters counters,
            LongSupplier clock,
            InstantSource wall) {
        this.settings = settings;
        this.counters = counters;
        this.clock = clock;
        this.wall = wall;
        this.thread = Thread.ofPlatform().daemon().name("recordings").unstarted(this::run);
        Path folder = settings.folder();
        try {
            Files.createDirectories(folder);
            if (!Files.isWritable(folder)) {
                throw new IOException("it is not writable");
            }
            measure();
        } catch (IOException | UncheckedIOException e) {
            throw new ConfigException(
                    "recording_folder: \""
                            + folder
                            + "\" cannot be used ("
                            + e.getMessage()
                            + "); give a folder that this process may write to");
        }
    }

    @Override
    public CallTape tape(SessionStart start, SessionReady ready) {
        boolean wanted = settings.choice() == RecordingSettings.Choice.ALL || ready.getRecord();
        if (!wanted || closing) {
            return CallTape.NONE;
        }
        if (full) {
            counters.increment(RecordingEvent.FULL);
            return CallTape.NONE;
        }
        RecordedTape tape = new RecordedTape(this, start.getSessionId(), nanos());
        tape.toInference(ConverseRequest.newBuilder().setSessionStart(start).build());
        tape.fromInference(ConverseResponse.newBuilder().setSessionReady(ready).build());
        return tape;
    }

    long nanos() {
        return clock.getAsLong();
    }

    /** Takes an entry to be written, unless too many wait; any thread, never blocks. */
    void offer(TapeEntry entry) {
        boolean last = entry instanceof TapeEntry.End;
        if (waitingBytes.addAndGet(entry.bytes()) > MAX_WAITING_BYTES && !last) {
            waitingBytes.addAndGet(-entry.bytes());
            entry.tape().leaveOut();
            counters.increment(RecordingEvent.LEFT_OUT);
        } else {
            waiting.add(entry);
        }
    }

    private void run() {
        while (!closing) {
            runOnce();
            LockSupport.parkNanos(LOOK_NANOS);
        }
        runOnce();
        open.stream().toList().forEach(tape -> breakOff(tape, "the process stops"));
    }

    /** Writes what waits. */
    void runOnce() {
        for (TapeEntry entry = waiting.poll(); entry != null; entry = waiting.poll()) {
            waitingBytes.addAndGet(-entry.bytes());
            if (!entry.tape().isClosed()) {
                write(entry);
            }
        }
        long now = nanos();
        if (now - flushedNanos >= FLUSH_NANOS) {
            flushedNanos = now;
            open.stream().toList().forEach(this::flush);
        }
        if (full && now - measuredNanos >= MEASURE_NANOS) {
            look(now);
        }
    }

    private void write(TapeEntry entry) {
        RecordedTape tape = entry.tape();
        try {
            TapeWriter writer = tape.writer();
            long before = 0;
            if (writer == null) {
                writer = begin(tape);
            } else {
                before = writer.bytes();
            }
            long leftOut = tape.takeLeftOut();
            if (leftOut > 0) {
                writer.leftOut(leftOut, entry.nanos() - tape.begunNanos());
            }
            writer.write(entry);
            usedBytes += writer.bytes() - before;
            if (entry instanceof TapeEntry.End) {
                finish(tape, writer);
            }
        } catch (IOException | RuntimeException e) {
            // Whatever is the matter with one recording, the others go on.
            fail(tape, e);
        }
        if (usedBytes >= settings.maxBytes() && !full) {
            // Somebody may have taken files away since they were written.
            look(nanos());
            if (full) {
                fill();
            }
        }
    }

    private TapeWriter begin(RecordedTape tape) throws IOException {
        TapeWriter made = new TapeWriter(settings.folder(), tape.name(), wall.instant());
        tape.writer(made);
        open.add(tape);
        counters.increment(RecordingEvent.BEGUN);
        return made;
    }

    private void finish(RecordedTape tape, TapeWriter writer) throws IOException {
        open.remove(tape);
        tape.close();
        writer.close();
        counters.increment(RecordingEvent.FINISHED);
    }

    private void flush(RecordedTape tape) {
        TapeWriter writer = tape.writer();
        if (writer == null) {
            return;
        }
        try {
            writer.flush();
        } catch (IOException | RuntimeException e) {
            fail(tape, e);
        }
    }

    private void fail(RecordedTape tape, Exception why) {
        LOGGER.log(
                Level.WARNING,
                "session={0} its recording cannot be written: {1}",
                tape.name(),
                why.toString());
        counters.increment(RecordingEvent.FAILED);
        closeQuietly(tape);
    }

    /** No more fits. */
    private void fill() {
        LOGGER.log(
                Level.WARNING,
                "{0} holds recording_bytes ({1}): nothing more is recorded until there is room",
                settings.folder(),
                settings.maxBytes());
        for (RecordedTape tape : open.stream().toList()) {
            counters.increment(RecordingEvent.FULL);
            breakOff(tape, "the folder of recordings is full");
        }
    }

    private void breakOff(RecordedTape tape, String why) {
        TapeWriter writer = tape.writer();
        if (writer != null) {
            try {
                writer.brokenOff(why, nanos() - tape.begunNanos());
            } catch (IOException | RuntimeException e) {
                LOGGER.log(Level.DEBUG, "the last line of {0}: {1}", tape.name(), e.toString());
            }
        }
        closeQuietly(tape);
    }

    private void closeQuietly(RecordedTape tape) {
        open.remove(tape);
        TapeWriter writer = tape.writer();
        tape.close();
        if (writer == null) {
            return;
        }
        try {
            writer.close();
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.DEBUG, "closing {0}: {1}", tape.name(), e.toString());
        }
    }

    private void look(long now) {
        measuredNanos = now;
        try {
            measure();
            full = usedBytes >= settings.maxBytes();
        } catch (IOException | UncheckedIOException e) {
            LOGGER.log(Level.DEBUG, "measuring {0}: {1}", settings.folder(), e.toString());
        }
    }

    /** Somebody may have taken recordings away. */
    private void measure() throws IOException {
        long found = 0;
        try (Stream<Path> files = Files.list(settings.folder())) {
            for (Path file : (Iterable<Path>) files::iterator) {
                found += Files.isRegularFile(file) ? Files.size(file) : 0;
            }
        }
        usedBytes = found;
        full = found >= settings.maxBytes();
    }

    /** Writes what there is and ends all recordings. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
