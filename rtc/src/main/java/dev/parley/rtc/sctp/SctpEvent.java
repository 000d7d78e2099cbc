package dev.parley.rtc.sctp;

/** What an association tells its owner, in order. */
public sealed interface SctpEvent {
    /** Messages can flow. */
    record Connected(int outboundStreams, int inboundStreams) implements SctpEvent {}

    /** A message has come. */
    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    record Message(int streamId, int ppid, byte[] payload) implements SctpEvent {}

    /** A message was discarded, since it is longer than we announced. */
    record MessageTooLong(int streamId) implements SctpEvent {}

    /** The peer has reset one of its outgoing streams; all that it sent on it came before this. */
    record IncomingReset(int streamId) implements SctpEvent {}

    /** The peer has reset all of its outgoing streams. */
    record IncomingResetOfAll() implements SctpEvent {}

    /**
     * What became of {@link Association#resetStream}.
     *
     * @param performed false when the peer cannot or will not
     */
    record OutgoingReset(int streamId, boolean performed) implements SctpEvent {}

    /** The peer has started over: its streams are new, and so are ours. */
    record Restarted() implements SctpEvent {}

    /** It is over; the last event. */
    record Closed(CloseReason reason, String detail) implements SctpEvent {}

    /** Why an association is over. */
    enum CloseReason {
        /** By our shutdown or the peer's. */
        SHUTDOWN,
        /** The peer has aborted it. */
        ABORTED_BY_PEER,
        /** We have aborted it. */
        ABORTED,
        /** The peer does not answer. */
        UNREACHABLE
    }
}
