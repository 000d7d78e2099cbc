package dev.parley.transceiver.audio;

/** Audio bandwidths of Opus, RFC 6716 2.1.3, with libopus' numbers for them. */
public enum OpusBandwidth {
    NARROW(1101, 8_000),
    MEDIUM(1102, 12_000),
    WIDE(1103, 16_000),
    SUPER_WIDE(1104, 24_000),
    FULL(1105, 48_000);

    private final int code;
    private final int sampleRateHz;

    OpusBandwidth(int code, int sampleRateHz) {
        this.code = code;
        this.sampleRateHz = sampleRateHz;
    }

    /** OPUS_BANDWIDTH_* of opus_defines.h. */
    int code() {
        return code;
    }

    /** The widest that a receiver which plays at this rate can make use of, RFC 7587 3.1.1. */
    static OpusBandwidth forPlayback(int rateHz) {
        for (OpusBandwidth bandwidth : values()) {
            if (rateHz <= bandwidth.sampleRateHz) {
                return bandwidth;
            }
        }
        return FULL;
    }
}
