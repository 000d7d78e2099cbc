package dev.parley.transceiver.audio;

import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Decoder of libopus. Its state and buffers are off-heap, owned by the thread that made it. */
final class NativeOpusDecoder implements OpusDecoder {
    private static final int OPUS_RESET_STATE = 4028;

    private final NativeOpus library;
    private final int sampleRateHz;
    private final Arena arena = Arena.ofConfined();
    private final OpusPacket framing = new OpusPacket();
    private final MemorySegment state;
    private final MemorySegment pcmSegment;
    private final MemorySegment packetSegment;
    private final ByteBuffer packetBuffer;
    private boolean closed;

    NativeOpusDecoder(NativeOpus library, int sampleRateHz) {
        if (!OpusLibrary.supportsRate(sampleRateHz)) {
            throw new IllegalArgumentException("sample rate " + sampleRateHz);
        }
        this.library = library;
        this.sampleRateHz = sampleRateHz;
        try {
            state = arena.allocate((int) library.decoderGetSize.invokeExact(1), 16);
            int code = (int) library.decoderInit.invokeExact(state, sampleRateHz, 1);
            if (code < 0) {
                throw new IllegalStateException("opus_decoder_init: " + OpusError.of(code));
            }
        } catch (Throwable unexpected) {
            arena.close();
            throw NativeOpus.failed(unexpected);
        }
        pcmSegment = arena.allocate(JAVA_SHORT, maxSamples());
        packetSegment = arena.allocate(MAX_PACKET_BYTES);
        packetBuffer = packetSegment.asByteBuffer();
    }

    @Override
    public int sampleRateHz() {
        return sampleRateHz;
    }

    @Override
    public int decode(ByteBuffer packet, int offset, int length, short[] pcm, int pcmOffset) {
        return take(packet, offset, length)
                ? run(packetSegment, length, maxSamples(), 0, pcm, pcmOffset)
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
        if (!take(nextPacket, offset, length)) {
            return OpusError.INVALID_PACKET.code();
        }
        return run(packetSegment, length, samples, 1, pcm, pcmOffset);
    }

    @Override
    public int conceal(int samples, short[] pcm, int pcmOffset) {
        return run(MemorySegment.NULL, 0, samples, 0, pcm, pcmOffset);
    }

    /** Only whole packets reach native code: whatever its age, it parses no malformed framing. */
    private boolean take(ByteBuffer packet, int offset, int length) {
        if (length > MAX_PACKET_BYTES || !framing.wrap(packet, offset, length)) {
            return false;
        }
        packetBuffer.put(0, packet, offset, length);
        return true;
    }

    private int run(
            MemorySegment packet, int length, int samples, int fec, short[] pcm, int pcmOffset) {
        if (samples <= 0 || samples > maxSamples() || samples % (sampleRateHz / 400) != 0) {
            return OpusError.BAD_ARGUMENT.code();
        }
        int made;
        try {
            made =
                    (int)
                            library.decode.invokeExact(
                                    state, packet, length, pcmSegment, samples, fec);
        } catch (Throwable unexpected) {
            throw NativeOpus.failed(unexpected);
        }
        if (made > 0) {
            MemorySegment.copy(pcmSegment, JAVA_SHORT, 0, pcm, pcmOffset, made);
        }
        return made;
    }

    @Override
    public void reset() {
        try {
            int _ = (int) library.decoderReset.invokeExact(state, OPUS_RESET_STATE);
        } catch (Throwable unexpected) {
            throw NativeOpus.failed(unexpected);
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
