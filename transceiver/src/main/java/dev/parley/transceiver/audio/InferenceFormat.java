package dev.parley.transceiver.audio;

/**
 * Format of one audio direction between the edge and an inference service.
 *
 * @param sampleRateHz of OPUS: its clock, 48,000
 */
public record InferenceFormat(Encoding encoding, int sampleRateHz) {
    /** What one message or packet usually holds. */
    static final int FRAME_MILLIS = 20;

    /** Encodings of parley.inference.v1.AudioEncoding. */
    public enum Encoding {
        /** Packets pass untouched; no codec of ours is involved. */
        OPUS(1),
        /** Signed 16-bit little-endian. */
        LINEAR16(2),
        MULAW(1),
        ALAW(1);

        private final int bytesPerSample;

        Encoding(int bytesPerSample) {
            this.bytesPerSample = bytesPerSample;
        }
    }

    public InferenceFormat {
        boolean fits =
                switch (encoding) {
                    case OPUS -> sampleRateHz == OpusPacket.CLOCK_RATE_HZ;
                    case LINEAR16 -> OpusLibrary.supportsRate(sampleRateHz);
                    case MULAW, ALAW -> sampleRateHz == 8_000;
                };
        if (!fits) {
            throw new IllegalArgumentException(encoding + " at " + sampleRateHz + " Hz");
        }
    }

    /** False for OPUS, whose packets have no fixed size. */
    public boolean isPcm() {
        return encoding != Encoding.OPUS;
    }

    /** Bytes of one sample; asked of PCM only. */
    public int bytesPerSample() {
        return encoding.bytesPerSample;
    }

    /** Samples of 20 ms. */
    public int frameSamples() {
        return sampleRateHz / 50;
    }
}
