package dev.parley.transceiver.audio;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Encoder of libopus. Its state and buffers are off-heap, owned by the thread that made it. */
final class NativeOpusEncoder implements OpusEncoder {
    // opus_defines.h
    private static final int OPUS_APPLICATION_VOIP = 2048;
    private static final int OPUS_SET_BITRATE = 4002;
    private static final int OPUS_SET_MAX_BANDWIDTH = 4004;
    private static final int OPUS_SET_VBR = 4006;
    private static final int OPUS_SET_COMPLEXITY = 4010;
    private static final int OPUS_SET_INBAND_FEC = 4012;
    private static final int OPUS_SET_PACKET_LOSS_PERC = 4014;
    private static final int OPUS_SET_DTX = 4016;
    private static final int OPUS_RESET_STATE = 4028;

    private final NativeOpus library;
    private final int sampleRateHz;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state;
    private final MemorySegment pcmSegment;
    private final MemorySegment packetSegment;
    private final ByteBuffer packetBuffer;
    private boolean closed;

    NativeOpusEncoder(NativeOpus library, int sampleRateHz) {
        if (!OpusLibrary.supportsRate(sampleRateHz)) {
            throw new IllegalArgumentException("sample rate " + sampleRateHz);
        }
        this.library = library;
        this.sampleRateHz = sampleRateHz;
        try {
            state = arena.allocate((int) library.encoderGetSize.invokeExact(1), 16);
            int code =
                    (int)
                            library.encoderInit.invokeExact(
                                    state, sampleRateHz, 1, OPUS_APPLICATION_VOIP);
            check(code);
        } catch (Throwable unexpected) {
            arena.close();
            throw NativeOpus.failed(unexpected);
        }
        pcmSegment = arena.allocate(JAVA_SHORT, sampleRateHz / 1000L * MAX_FRAME_MILLIS);
        packetSegment = arena.allocate(OpusDecoder.MAX_PACKET_BYTES);
        packetBuffer = packetSegment.asByteBuffer();
    }

    @Override
    public int sampleRateHz() {
        return sampleRateHz;
    }

    @Override
    public void bitrate(int bitsPerSecond) {
        set(OPUS_SET_BITRATE, bitsPerSecond);
    }

    @Override
    public void complexity(int complexity) {
        set(OPUS_SET_COMPLEXITY, complexity);
    }

    @Override
    public void inbandFec(boolean enabled) {
        set(OPUS_SET_INBAND_FEC, enabled ? 1 : 0);
    }

    @Override
    public void expectedLossPercent(int percent) {
        set(OPUS_SET_PACKET_LOSS_PERC, percent);
    }

    @Override
    public void dtx(boolean enabled) {
        set(OPUS_SET_DTX, enabled ? 1 : 0);
    }

    @Override
    public void constantBitrate(boolean enabled) {
        set(OPUS_SET_VBR, enabled ? 0 : 1);
    }

    @Override
    public void maxBandwidth(OpusBandwidth bandwidth) {
        set(OPUS_SET_MAX_BANDWIDTH, bandwidth.code());
    }

    @Override
    public int encode(
            short[] pcm,
            int pcmOffset,
            int samples,
            ByteBuffer packet,
            int packetOffset,
            int maxBytes) {
        if (samples <= 0 || samples > sampleRateHz / 1000 * MAX_FRAME_MILLIS) {
            return OpusError.BAD_ARGUMENT.code();
        }
        MemorySegment.copy(pcm, pcmOffset, pcmSegment, JAVA_SHORT, 0, samples);
        int room = Math.min(maxBytes, OpusDecoder.MAX_PACKET_BYTES);
        int length;
        try {
            length =
                    (int)
                            library.encode.invokeExact(
                                    state, pcmSegment, samples, packetSegment, room);
        } catch (Throwable unexpected) {
            throw NativeOpus.failed(unexpected);
        }
        if (length > 0) {
            packet.put(packetOffset, packetBuffer, 0, length);
        }
        return length;
    }

    @Override
    public void reset() {
        try {
            check((int) library.encoderReset.invokeExact(state, OPUS_RESET_STATE));
        } catch (Throwable unexpected) {
            throw NativeOpus.failed(unexpected);
        }
    }

    private void set(int request, int value) {
        try {
            check((int) library.encoderSet.invokeExact(state, request, value));
        } catch (Throwable unexpected) {
            throw NativeOpus.failed(unexpected);
        }
    }

    private static void check(int code) {
        if (code < 0) {
            throw new IllegalArgumentException("libopus refuses a setting: " + OpusError.of(code));
        }
    }

    @Override
    public void close() {
        if (!closed) {
            arena.close();
            closed = true;
        }
    }
}
