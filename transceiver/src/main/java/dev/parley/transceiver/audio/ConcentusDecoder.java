package dev.parley.transceiver.audio;

import io.github.jaredmdobson.concentus.OpusException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Decoder of Concentus, owned by one thread. At 24 kHz Concentus 1.0.2 makes noise of SILK packets
 * (its resampler from 16 kHz is wrong), so that rate is made from 48 kHz.
 */
final class ConcentusDecoder implements OpusDecoder {
    private final io.github.jaredmdobson.concentus.OpusDecoder decoder;
    private final OpusPacket framing = new OpusPacket();
    private final byte[] bytes = new byte[MAX_PACKET_BYTES];
    private final int sampleRateHz;
    private final short[] made;
    private final @Nullable HalfRate halfRate;

    ConcentusDecoder(int sampleRateHz) {
        if (!OpusLibrary.supportsRate(sampleRateHz)) {
            throw new IllegalArgumentException("sample rate " + sampleRateHz);
        }
        this.sampleRateHz = sampleRateHz;
        int codecRateHz = sampleRateHz == 24_000 ? 48_000 : sampleRateHz;
        made = new short[codecRateHz / 1000 * MAX_PACKET_MILLIS];
        halfRate = codecRateHz == sampleRateHz ? null : new HalfRate(made.length);
        try {
            decoder = new io.github.jaredmdobson.concentus.OpusDecoder(codecRateHz, 1);
        } catch (OpusException refused) {
            throw new IllegalStateException(refused);
        }
    }

    @Override
    public int sampleRateHz() {
        return sampleRateHz;
    }

    @Override
    public int decode(ByteBuffer packet, int offset, int length, short[] pcm, int pcmOffset) {
        return take(packet, offset, length)
                ? run(bytes, length, maxSamples(), false, pcm, pcmOffset)
                : OpusError.INVALID_PACKET.code();
    }

    @Override
    public int recover(
            ByteBuffer nextPacket,
            int offset,
            int length,
            int samples,
            short[] pcm,
            int pcmOffset) {
        return take(nextPacket, offset, length)
                ? run(bytes, length, samples, true, pcm, pcmOffset)
                : OpusError.INVALID_PACKET.code();
    }

    @Override
    public int conceal(int samples, short[] pcm, int pcmOffset) {
        return run(null, 0, samples, false, pcm, pcmOffset);
    }

    private boolean take(ByteBuffer packet, int offset, int length) {
        if (length > MAX_PACKET_BYTES || !framing.wrap(packet, offset, length)) {
            return false;
        }
        packet.get(offset, bytes, 0, length);
        return true;
    }

    @SuppressWarnings("NullAway") // Concentus takes null for "lost", unannotated.
    private int run(
            byte @Nullable [] packet,
            int length,
            int samples,
            boolean fec,
            short[] pcm,
            int pcmOffset) {
        if (samples <= 0 || samples > maxSamples() || samples % (sampleRateHz / 400) != 0) {
            return OpusError.BAD_ARGUMENT.code();
        }
        int codecSamples = halfRate == null ? samples : 2 * samples;
        try {
            int count = decoder.decode(packet, 0, length, made, 0, codecSamples, fec);
            return count <= 0 ? count : copy(count, pcm, pcmOffset);
        } catch (OpusException _) {
            return OpusError.INVALID_PACKET.code();
        } catch (RuntimeException | AssertionError _) {
            // Where C would read on, Java stops; the state may be half written.
            reset();
            return OpusError.INTERNAL_ERROR.code();
        }
    }

    private int copy(int count, short[] pcm, int pcmOffset) {
        if (halfRate != null) {
            return halfRate.halve(made, count, pcm, pcmOffset);
        }
        System.arraycopy(made, 0, pcm, pcmOffset, count);
        return count;
    }

    @Override
    public void reset() {
        decoder.resetState();
        if (halfRate != null) {
            halfRate.reset();
        }
    }

    @Override
    public void close() {
        // Only memory of the heap.
    }
}
