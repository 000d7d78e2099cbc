package dev.parley.transceiver.recording;

/** What happens to recordings; each has its counter. */
public enum RecordingEvent {
    /** A recording has begun. */
    BEGUN,
    /** It was written to its end. */
    FINISHED,
    /** It was not begun, or broken off, because the folder holds all that it may. */
    FULL,
    /** It was broken off because its files could not be written. */
    FAILED,
    /** Something of a call was left out because the disk is too slow. */
    LEFT_OUT
}
