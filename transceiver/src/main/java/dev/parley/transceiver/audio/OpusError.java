package dev.parley.transceiver.audio;

/** Why a codec call failed. The codes are those of libopus' {@code opus_defines.h}. */
public enum OpusError {
    /** An argument is out of range: a bug of the caller. */
    BAD_ARGUMENT(-1),
    /** The result does not fit in the room given. */
    BUFFER_TOO_SMALL(-2),
    /** The codec failed; its state has been reset. */
    INTERNAL_ERROR(-3),
    /** The bytes are no Opus packet. */
    INVALID_PACKET(-4),
    UNIMPLEMENTED(-5),
    INVALID_STATE(-6),
    ALLOCATION_FAILED(-7);

    private final int code;

    OpusError(int code) {
        this.code = code;
    }

    /** The negative value that a codec call answers. */
    public int code() {
        return code;
    }

    /** The error behind a negative answer; one we do not know is an internal error. */
    public static OpusError of(int code) {
        for (OpusError error : values()) {
            if (error.code == code) {
                return error;
            }
        }
        return INTERNAL_ERROR;
    }
}
