package dev.parley.rtc.datachannel;

import dev.parley.rtc.sctp.SctpEvent;

/** What {@link DataChannels} tell their owner, in order. */
public sealed interface ChannelEvent {
    /** The association stands. */
    record Connected() implements ChannelEvent {}

    /** A channel may be used: the peer has opened it, or confirmed ours. */
    record Opened(DataChannel channel, boolean byPeer) implements ChannelEvent {}

    /**
     * A message has come.
     *
     * @param payload without the byte that stands for nothing in an empty one
     */
    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    record Message(DataChannel channel, boolean binary, byte[] payload) implements ChannelEvent {}

    /** Nothing more comes on a channel, and nothing can be sent. */
    record Closed(DataChannel channel, String why) implements ChannelEvent {}

    /** The association is over, and all channels with it; the last event. */
    record Ended(SctpEvent.CloseReason reason, String detail) implements ChannelEvent {}
}
