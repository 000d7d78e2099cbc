package dev.parley.transceiver.audio;

import io.github.jaredmdobson.concentus.OpusApplication;
import io.github.jaredmdobson.concentus.OpusException;
import java.nio.ByteBuffer;

/** Encoder of Concentus, owned by one thread. */
final class ConcentusEncoder implements OpusEncoder {
    private final io.github.jaredmdobson.concentus.OpusEncoder encoder;
    private final byte[] bytes = new byte[OpusDecoder.MAX_PACKET_BYTES];
    private final int maxSamples;

    ConcentusEncoder(int sampleRateHz) {
        if (!OpusLibrary.supportsRate(sampleRateHz)) {
            throw new IllegalArgumentException("sample rate " + sampleRateHz);
        }
        try {
            encoder =
                    new io.github.jaredmdobson.concentus.OpusEncoder(
                            sampleRateHz, 1, OpusApplication.OPUS_APPLICATION_VOIP);
        } catch (OpusException refused) {
            throw new IllegalStateException(refused);
        }
        maxSamples = sampleRateHz / 1000 * MAX_FRAME_MILLIS;
    }

    @Override
    public int sampleRateHz() {
        return encoder.getSampleRate();
    }

    @Override
    public void bitrate(int bitsPerSecond) {
        encoder.setBitrate(bitsPerSecond);
    }

    @Override
    public void complexity(int complexity) {
        encoder.setComplexity(complexity);
    }

    @Override
    public void inbandFec(boolean enabled) {
        encoder.setUseInbandFEC(enabled);
    }

    @Override
    public void expectedLossPercent(int percent) {
        encoder.setPacketLossPercent(percent);
    }

    @Override
    public void dtx(boolean enabled) {
        encoder.setUseDTX(enabled);
    }

    @Override
    public void constantBitrate(boolean enabled) {
        encoder.setUseVBR(!enabled);
    }

    @Override
    public void maxBandwidth(OpusBandwidth bandwidth) {
        encoder.setMaxBandwidth(
                switch (bandwidth) {
                    case NARROW ->
                            io.github.jaredmdobson.concentus.OpusBandwidth
                                    .OPUS_BANDWIDTH_NARROWBAND;
                    case MEDIUM ->
                            io.github.jaredmdobson.concentus.OpusBandwidth
                                    .OPUS_BANDWIDTH_MEDIUMBAND;
                    case WIDE ->
                            io.github.jaredmdobson.concentus.OpusBandwidth.OPUS_BANDWIDTH_WIDEBAND;
                    case SUPER_WIDE ->
                            io.github.jaredmdobson.concentus.OpusBandwidth
                                    .OPUS_BANDWIDTH_SUPERWIDEBAND;
                    case FULL ->
                            io.github.jaredmdobson.concentus.OpusBandwidth.OPUS_BANDWIDTH_FULLBAND;
                });
    }

    @Override
    public int encode(
            short[] pcm,
            int pcmOffset,
            int samples,
            ByteBuffer packet,
            int packetOffset,
            int maxBytes) {
        if (samples <= 0 || samples > maxSamples) {
            return OpusError.BAD_ARGUMENT.code();
        }
        try {
            int length =
                    encoder.encode(
                            pcm, pcmOffset, samples, bytes, 0, Math.min(maxBytes, bytes.length));
            if (length > 0) {
                packet.put(packetOffset, bytes, 0, length);
            }
            return length;
        } catch (OpusException | AssertionError | IllegalArgumentException _) {
            return OpusError.BAD_ARGUMENT.code();
        }
    }

    @Override
    public void reset() {
        encoder.resetState();
    }

    @Override
    public void close() {
        // Only memory of the heap.
    }
}
