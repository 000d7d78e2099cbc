package dev.parley.transceiver.inference;

import com.google.protobuf.ByteString;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputTarget;
import dev.parley.transceiver.media.PlayedItem;
import dev.parley.transceiver.media.VoiceInput;
import dev.parley.transceiver.media.VoiceOutput;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A call's virtual thread for whatever direction speaks PCM: neither the media loop nor the
 * transport ever encodes or decodes. Input goes first; output is encoded frame by frame between.
 */
final class CodecThread implements InputPath.Sink, OutputTarget, AutoCloseable {
    private static final long MIN_WAIT_NANOS = 5_000_000L;

    private final InputUplink uplink;
    private final boolean verbatim;
    private final @Nullable VoiceInput input;
    private final @Nullable VoiceOutput output;
    private final LongSupplier clock;
    private final Consumer<Throwable> onFault;
    private final Thread thread;
    private volatile boolean stopped;

    /**
     * A thread that is not started yet.
     *
     * @param uplink takes what needs no codec
     * @param verbatim whether packets need none: they go up as they come
     * @param onFault told, once, when it dies of a fault of ours
     */
    CodecThread(
            String name,
            InputUplink uplink,
            boolean verbatim,
            @Nullable VoiceInput input,
            @Nullable VoiceOutput output,
            LongSupplier clock,
            Consumer<Throwable> onFault) {
        this.uplink = uplink;
        this.verbatim = verbatim;
        this.input = input;
        this.output = output;
        this.clock = clock;
        this.onFault = onFault;
        this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
    }

    void start() {
        thread.start();
    }

    @Override
    public void packet(InputPacket packet) {
        if (verbatim) {
            uplink.packet(packet);
        }
        if (input != null) {
            input.packet(packet);
            wake();
        }
    }

    @Override
    public void key(char key, int durationMillis) {
        uplink.key(key, durationMillis);
    }

    @Override
    public void audio(PlayedItem item, ByteString bytes, int samples) {
        if (output != null) {
            output.audio(item, bytes, samples);
            wake();
        }
    }

    @Override
    public void item(OutputItem item) {
        if (output != null) {
            output.item(item);
            wake();
        }
    }

    /** Has it look for work. */
    void wake() {
        LockSupport.unpark(thread);
    }

    /** Ends the thread soon and frees its codecs. */
    @Override
    public void close() {
        stopped = true;
        wake();
    }

    private void run() {
        try (VoiceInput in = input;
                VoiceOutput out = output) {
            while (!stopped) {
                boolean worked = in != null && in.runOnce(clock.getAsLong());
                worked |= out != null && out.runOnce(clock.getAsLong());
                if (!worked) {
                    await(in, out);
                }
            }
        } catch (RuntimeException | Error e) {
            onFault.accept(e);
        }
    }

    private void await(@Nullable VoiceInput in, @Nullable VoiceOutput out) {
        long wait = Long.MAX_VALUE;
        if (out != null && out.flushWaits()) {
            // Past the deadline the frame still waits for the queue in front of it to run low.
            wait = Math.max(out.flushDeadlineNanos() - clock.getAsLong(), MIN_WAIT_NANOS);
        }
        if (in != null && in.silenceWaits()) {
            long silence = in.silenceDeadlineNanos() - clock.getAsLong();
            wait = Math.min(wait, Math.max(silence, MIN_WAIT_NANOS));
        }
        if (wait == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, wait);
        }
    }
}
