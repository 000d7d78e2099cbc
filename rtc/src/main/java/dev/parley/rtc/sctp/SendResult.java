package dev.parley.rtc.sctp;

/** What {@link Association#send} says. Nothing is ever dropped without saying so. */
public enum SendResult {
    /** It will be sent. */
    ACCEPTED,
    /** Too much waits already: come again when {@link Association#bufferedBytes} has fallen. */
    BUFFER_FULL,
    /** SCTP cannot carry a message without content. */
    EMPTY,
    /** The stream is being reset. */
    STREAM_CLOSING,
    /** The peer does not have that many streams. */
    INVALID_STREAM,
    /** The association is over or on its way there. */
    CLOSED
}
