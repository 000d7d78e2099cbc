package dev.parley.rtc.datachannel;

import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.Reliability;
import dev.parley.rtc.sctp.SctpEvent;
import dev.parley.rtc.sctp.SendResult;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data channels of one association, RFC 8831 and RFC 8832. Owned by the thread that owns the
 * association; takes the association's events, and nobody else may.
 *
 * <p>A channel that is closed frees its stream when both directions have been reset. The peer may
 * open the stream again as soon as it has seen both, which can be before we know; such an opening
 * is taken, and what is sent on it waits for our own reset.
 */
public final class DataChannels {
    /** Payload protocol identifiers, RFC 8831 8. */
    private static final int DCEP = 50;

    private static final int STRING = 51;
    private static final int BINARY = 53;
    private static final int STRING_EMPTY = 56;
    private static final int BINARY_EMPTY = 57;

    private static final int MAX_LABEL_BYTES = 65_535;

    /**
     * What a side allows.
     *
     * @param channels open at a time
     * @param labelBytes of all open channels together, protocols included
     * @param messageBytes the longest message that the peer takes, from its a=max-message-size; 0
     *     when it takes any
     */
    public record Limits(int channels, int labelBytes, int messageBytes) {
        public Limits {
            if (channels < 1 || labelBytes < 0 || messageBytes < 0) {
                throw new IllegalArgumentException("limits must not be negative");
            }
        }
    }

    /** What {@link #send} says. */
    public enum Sent {
        ACCEPTED,
        /** Come again when less is buffered. */
        BUFFER_FULL,
        /** The peer has announced that it takes no message that long. */
        TOO_LONG,
        /** The channel or the association is closed or closing. */
        CLOSED
    }

    private final Association association;
    private final Limits limits;
    private final boolean evenIds;
    private final Map<Integer, DataChannel> channels = new LinkedHashMap<>();
    // Streams whose outgoing side is being reset.
    private final Set<Integer> resetting = new HashSet<>();
    // Of those, the ones that the peer has opened again meanwhile, and those to be reset again.
    private final Set<Integer> reopened = new HashSet<>();
    private final Set<Integer> resetAgain = new HashSet<>();
    // Openings and confirmations that found the send buffer full.
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final ArrayDeque<ChannelEvent> events = new ArrayDeque<>();
    private final long[] drops = new long[ChannelDrop.values().length];
    private boolean takesUnannounced;
    private int labelBytes;
    private int streams = 65_535;

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Waiting(int id, byte[] dcep) {}

    /**
     * @param dtlsClient RFC 8832 6: the DTLS client opens even streams, the server odd ones
     */
    public DataChannels(Association association, Limits limits, boolean dtlsClient) {
        this.association = association;
        this.limits = limits;
        this.evenIds = dtlsClient;
    }

    /**
     * From now on a message on a stream without a channel makes one, labelled {@code id:} and its
     * number: the peer may have negotiated it in a way that we do not see (RFC 8831 6.5).
     */
    public void takeUnannounced() {
        takesUnannounced = true;
    }

    public Association association() {
        return association;
    }

    public long drops(ChannelDrop reason) {
        return drops[reason.ordinal()];
    }

    private void drop(ChannelDrop reason) {
        drops[reason.ordinal()]++;
    }

    /** Channels that are not closed, in the order they were opened. */
    public List<DataChannel> all() {
        return List.copyOf(channels.values());
    }

    /** The channel of a stream, if there is one. */
    public @Nullable DataChannel find(int id) {
        return channels.get(id);
    }

    // --- what the owner wants

    /** Opens a channel; null when there are too many, or its label is too long. */
    public @Nullable DataChannel open(
            String label,
            String protocol,
            boolean ordered,
            Reliability reliability,
            long nowNanos) {
        DcepOpen terms = new DcepOpen(ordered, reliability, label, protocol);
        byte[] message = terms.bytes();
        int id = freeId();
        if (id < 0 || message.length > MAX_LABEL_BYTES || !admits(terms)) {
            return null;
        }
        DataChannel channel = new DataChannel(id, terms, DataChannel.State.CONNECTING);
        put(channel);
        sendDcep(id, message, nowNanos);
        return channel;
    }

    /** RFC 8832 6: the lowest of our parity that is not in use. */
    private int freeId() {
        for (int id = evenIds ? 0 : 1; id < streams; id += 2) {
            if (!channels.containsKey(id) && !resetting.contains(id)) {
                return id;
            }
        }
        return -1;
    }

    /** Takes a channel that both sides have agreed on elsewhere: nothing is sent to open it. */
    public @Nullable DataChannel negotiated(
            int id, String label, String protocol, boolean ordered, Reliability reliability) {
        DcepOpen terms = new DcepOpen(ordered, reliability, label, protocol);
        if (channels.containsKey(id) || !admits(terms)) {
            return null;
        }
        DataChannel channel = new DataChannel(id, terms, DataChannel.State.OPEN);
        put(channel);
        return channel;
    }

    private boolean admits(DcepOpen terms) {
        return channels.size() < limits.channels()
                && labelBytes + size(terms.label(), terms.protocol()) <= limits.labelBytes();
    }

    private static int size(String label, String protocol) {
        return 2 * (label.length() + protocol.length());
    }

    private void put(DataChannel channel) {
        channels.put(channel.id(), channel);
        labelBytes += size(channel.label(), channel.protocol());
    }

    private void remove(DataChannel channel) {
        channel.state(DataChannel.State.CLOSED);
        if (channels.remove(channel.id(), channel)) {
            labelBytes -= size(channel.label(), channel.protocol());
        }
    }

    /**
     * Sends a message.
     *
     * @param payload handed over; UTF-8 when it is not binary; may be empty
     */
    public Sent send(DataChannel channel, boolean binary, byte[] payload, long nowNanos) {
        boolean usable =
                channel.state() == DataChannel.State.OPEN
                        || channel.state() == DataChannel.State.CONNECTING;
        if (!usable) {
            return Sent.CLOSED;
        }
        if (limits.messageBytes() > 0 && payload.length > limits.messageBytes()) {
            return Sent.TOO_LONG;
        }
        if (!waiting.isEmpty() && !flushDcep(nowNanos)) {
            return Sent.BUFFER_FULL;
        }
        // RFC 8831 6.6: SCTP has no empty messages, so one byte stands for nothing.
        boolean empty = payload.length == 0;
        int ppid = binary ? empty ? BINARY_EMPTY : BINARY : empty ? STRING_EMPTY : STRING;
        // RFC 8832 6: in order until the peer is known to know the channel.
        boolean ordered = channel.ordered() || channel.state() == DataChannel.State.CONNECTING;
        SendResult result =
                association.send(
                        channel.id(),
                        ppid,
                        empty ? new byte[1] : payload,
                        ordered,
                        channel.reliability(),
                        nowNanos);
        return switch (result) {
            case ACCEPTED -> Sent.ACCEPTED;
            case BUFFER_FULL -> Sent.BUFFER_FULL;
            case EMPTY, STREAM_CLOSING, INVALID_STREAM, CLOSED -> Sent.CLOSED;
        };
    }

    /** Closes a channel after what was accepted for it, RFC 8831 6.7. */
    public void close(DataChannel channel) {
        boolean open =
                channel.state() == DataChannel.State.OPEN
                        || channel.state() == DataChannel.State.CONNECTING;
        if (open) {
            channel.state(DataChannel.State.CLOSING);
            reset(channel.id(), false);
        }
    }

    private void reset(int id, boolean discard) {
        if (resetting.add(id)) {
            association.resetStream(id, discard);
        } else if (reopened.contains(id)) {
            resetAgain.add(id);
        }
    }

    // --- DCEP

    private void sendDcep(int id, byte[] message, long nowNanos) {
        waiting.add(new Waiting(id, message));
        flushDcep(nowNanos);
    }

    /** Sends what DCEP has to say, always reliable and in order; false while it does not fit. */
    private boolean flushDcep(long nowNanos) {
        while (!waiting.isEmpty()) {
            Waiting next = waiting.getFirst();
            SendResult result =
                    association.send(
                            next.id(), DCEP, next.dcep(), true, Reliability.RELIABLE, nowNanos);
            if (result == SendResult.BUFFER_FULL) {
                return false;
            }
            waiting.removeFirst();
        }
        return true;
    }

    // --- what the association says

    /** What has happened next, or null. */
    public @Nullable ChannelEvent pollEvent(long nowNanos) {
        if (!waiting.isEmpty()) {
            flushDcep(nowNanos);
        }
        while (events.isEmpty()) {
            SctpEvent event = association.pollEvent();
            if (event == null) {
                return null;
            }
            take(event, nowNanos);
        }
        return events.poll();
    }

    private void take(SctpEvent event, long nowNanos) {
        switch (event) {
            case SctpEvent.Connected connected -> {
                streams = connected.outboundStreams();
                closeBeyond(streams);
                events.add(new ChannelEvent.Connected());
            }
            case SctpEvent.Message message -> takeMessage(message, nowNanos);
            case SctpEvent.MessageTooLong(int id) -> {
                drop(ChannelDrop.TOO_LONG);
                closeByUs(id, "a message was longer than allowed");
            }
            case SctpEvent.IncomingReset(int id) -> incomingReset(id);
            case SctpEvent.IncomingResetOfAll() -> all().forEach(c -> incomingReset(c.id()));
            case SctpEvent.OutgoingReset(int id, boolean performed) -> outgoingReset(id, performed);
            case SctpEvent.Restarted() -> {
                forgetResets();
                closeAll("the peer has started over");
            }
            case SctpEvent.Closed(SctpEvent.CloseReason reason, String detail) -> {
                closeAll(detail);
                forgetResets();
                events.add(new ChannelEvent.Ended(reason, detail));
            }
        }
    }

    private void takeMessage(SctpEvent.Message message, long nowNanos) {
        int id = message.streamId();
        if (message.ppid() == DCEP) {
            takeDcep(id, message.payload(), nowNanos);
            return;
        }
        DataChannel channel = channels.containsKey(id) ? channels.get(id) : findUnannounced(id);
        if (channel == null) {
            drop(ChannelDrop.NO_CHANNEL);
            return;
        }
        confirm(channel);
        byte[] payload = message.payload();
        switch (message.ppid()) {
            case STRING -> events.add(new ChannelEvent.Message(channel, false, payload));
            case BINARY -> events.add(new ChannelEvent.Message(channel, true, payload));
            case STRING_EMPTY -> events.add(new ChannelEvent.Message(channel, false, new byte[0]));
            case BINARY_EMPTY -> events.add(new ChannelEvent.Message(channel, true, new byte[0]));
            default -> drop(ChannelDrop.UNKNOWN_PPID);
        }
    }

    /** The channel that a message without an opening makes, if such messages are taken. */
    private @Nullable DataChannel findUnannounced(int id) {
        if (!takesUnannounced || resetting.contains(id) || id >= streams) {
            return null;
        }
        DataChannel channel = negotiated(id, "id:" + id, "", true, Reliability.RELIABLE);
        if (channel != null) {
            events.add(new ChannelEvent.Opened(channel, true));
        }
        return channel;
    }

    /** RFC 8832 6: an ACK, or any message, says that the peer knows the channel. */
    private void confirm(DataChannel channel) {
        if (channel.state() == DataChannel.State.CONNECTING) {
            channel.state(DataChannel.State.OPEN);
            events.add(new ChannelEvent.Opened(channel, false));
        }
    }

    private void takeDcep(int id, byte[] message, long nowNanos) {
        if (message.length == 1 && message[0] == DcepOpen.ACK) {
            DataChannel channel = channels.get(id);
            if (channel == null) {
                drop(ChannelDrop.NO_CHANNEL);
            } else {
                confirm(channel);
            }
            return;
        }
        if (resetting.contains(id) && !channels.containsKey(id)) {
            reopened.add(id);
        }
        DcepOpen terms = DcepOpen.find(message);
        if (terms == null) {
            drop(ChannelDrop.MALFORMED_DCEP);
            refuse(id);
        } else if (channels.containsKey(id)) {
            // RFC 8832 6: both want the stream, so neither gets it.
            drop(ChannelDrop.STREAM_IN_USE);
            closeByUs(id, "both sides have opened it");
        } else if (id >= streams || !admits(terms)) {
            drop(ChannelDrop.TOO_MANY_CHANNELS);
            refuse(id);
        } else {
            DataChannel channel = new DataChannel(id, terms, DataChannel.State.OPEN);
            put(channel);
            sendDcep(id, new byte[] {DcepOpen.ACK}, nowNanos);
            events.add(new ChannelEvent.Opened(channel, true));
        }
    }

    /** RFC 8832 6: a peer that cannot have a channel sees its stream reset. */
    private void refuse(int id) {
        if (id < streams && !channels.containsKey(id)) {
            reset(id, true);
        }
    }

    private void closeByUs(int id, String why) {
        DataChannel channel = channels.get(id);
        if (channel != null) {
            boolean known = channel.state() != DataChannel.State.CLOSING;
            remove(channel);
            reset(id, true);
            if (known) {
                events.add(new ChannelEvent.Closed(channel, why));
            }
        }
    }

    private void incomingReset(int id) {
        DataChannel channel = channels.get(id);
        if (channel == null) {
            return;
        }
        boolean ours = channel.state() == DataChannel.State.CLOSING;
        remove(channel);
        // RFC 8831 6.7: the other direction follows.
        reset(id, true);
        events.add(new ChannelEvent.Closed(channel, ours ? "closed" : "closed by the peer"));
    }

    private void outgoingReset(int id, boolean performed) {
        resetting.remove(id);
        reopened.remove(id);
        if (resetAgain.remove(id)) {
            reset(id, false);
            return;
        }
        DataChannel channel = channels.get(id);
        if (!performed && channel != null && channel.state() == DataChannel.State.CLOSING) {
            // A peer that resets no streams will not answer with its own reset.
            remove(channel);
            events.add(new ChannelEvent.Closed(channel, "closed"));
        }
    }

    private void forgetResets() {
        resetting.clear();
        reopened.clear();
        resetAgain.clear();
        waiting.clear();
    }

    private void closeBeyond(int count) {
        for (DataChannel channel : all()) {
            if (channel.id() >= count) {
                remove(channel);
                events.add(new ChannelEvent.Closed(channel, "the peer has too few streams"));
            }
        }
    }

    private void closeAll(String why) {
        for (DataChannel channel : all()) {
            remove(channel);
            events.add(new ChannelEvent.Closed(channel, why));
        }
    }
}
