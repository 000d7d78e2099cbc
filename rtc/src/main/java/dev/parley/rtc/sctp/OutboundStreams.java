package dev.parley.rtc.sctp;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait to be sent, stream by stream, and which is next: streams take turns, message
 * by message, or fragment by fragment where I-DATA was negotiated (RFC 8260 3). Owned by an
 * association.
 *
 * <p>The buffer counts a message until the peer has acknowledged it. A message that finds it full
 * is refused, never dropped later.
 */
final class OutboundStreams {
    /** About what the objects around a message cost. */
    private static final int OVERHEAD_BYTES = 64;

    /** RFC 6525 5.1.2: where a stream stands between two incarnations. */
    enum Phase {
        OPEN,
        /** What is queued leaves, then the stream is reset. */
        DRAINING,
        /** The request is out; what is queued now belongs to the next incarnation. */
        RESETTING
    }

    private static final class Stream {
        private final ArrayDeque<OutboundMessage> queue = new ArrayDeque<>(4);
        private Phase phase = Phase.OPEN;
        private boolean ready;
        private boolean unwanted;
        private int unacked;
        private int nextSsn;
        private int nextOrderedMid;
        private int nextUnorderedMid;
    }

    private final int bufferLimit;
    private final SctpCounters counters;
    private final Map<Integer, Stream> streams = new HashMap<>();
    private final ArrayDeque<Stream> turns = new ArrayDeque<>();
    private boolean interleaved;
    private int bufferedBytes;
    private int unsentMessages;

    OutboundStreams(int bufferLimit, SctpCounters counters) {
        this.bufferLimit = bufferLimit;
        this.counters = counters;
    }

    void interleave(boolean negotiated) {
        interleaved = negotiated;
    }

    int bufferedBytes() {
        return bufferedBytes;
    }

    boolean isEmpty() {
        return bufferedBytes == 0;
    }

    boolean hasUnsent() {
        return !turns.isEmpty();
    }

    SendResult add(OutboundMessage message) {
        Stream stream = streams.computeIfAbsent(message.streamId(), id -> new Stream());
        if (stream.phase == Phase.DRAINING) {
            return SendResult.STREAM_CLOSING;
        }
        int charge = charge(message.payload().length);
        if (bufferedBytes > 0 && bufferedBytes + charge > bufferLimit) {
            return SendResult.BUFFER_FULL;
        }
        bufferedBytes += charge;
        unsentMessages++;
        stream.queue.add(message);
        takeTurn(stream);
        return SendResult.ACCEPTED;
    }

    private static int charge(int payloadLength) {
        return payloadLength + OVERHEAD_BYTES;
    }

    private void takeTurn(Stream stream) {
        if (!stream.ready && !stream.queue.isEmpty() && stream.phase != Phase.RESETTING) {
            stream.ready = true;
            turns.add(stream);
        }
    }

    /**
     * The next fragment, or null.
     *
     * @param room for its payload
     * @param wholeOnly only if the rest of its message fits
     */
    @Nullable OutboundChunk next(long tsn, int room, boolean wholeOnly, long nowNanos) {
        OutboundMessage message = peek(nowNanos);
        if (message == null || room <= 0 || (wholeOnly && message.unsentBytes() > room)) {
            return null;
        }
        Stream stream = turns.getFirst();
        if (!message.isBegun()) {
            message.number(numberOf(stream, message));
            unsentMessages--;
        }
        OutboundChunk chunk =
                new OutboundChunk(tsn, message, Math.min(message.unsentBytes(), room));
        stream.unacked++;
        boolean over = message.unsentBytes() == 0;
        if (over) {
            stream.queue.removeFirst();
        }
        if (over || interleaved) {
            turns.removeFirst();
            stream.ready = false;
            takeTurn(stream);
        }
        return chunk;
    }

    /** Size of what {@link #next} would begin with, 0 when there is nothing. */
    int peekBytes(long nowNanos) {
        OutboundMessage message = peek(nowNanos);
        return message == null ? 0 : message.unsentBytes();
    }

    private @Nullable OutboundMessage peek(long nowNanos) {
        while (!turns.isEmpty()) {
            Stream stream = turns.getFirst();
            OutboundMessage message = stream.queue.peekFirst();
            if (message != null && !isOver(message, nowNanos)) {
                return message;
            }
            if (message != null) {
                dropUnsent(message);
                stream.queue.removeFirst();
            }
            if (stream.queue.isEmpty()) {
                turns.removeFirst();
                stream.ready = false;
            }
        }
        return null;
    }

    /** Given up after some of it was sent, or, RFC 7496 4.1, expired before any of it was. */
    private static boolean isOver(OutboundMessage message, long nowNanos) {
        return message.isAbandoned() || (!message.isBegun() && message.isExhausted(0, nowNanos));
    }

    private void dropUnsent(OutboundMessage message) {
        if (!message.isAbandoned()) {
            counters.messageAbandoned();
        }
        if (!message.isBegun()) {
            unsentMessages--;
        }
        bufferedBytes -= message.unsentBytes();
        bufferedBytes -= OVERHEAD_BYTES;
        message.cut(message.unsentBytes());
    }

    private int numberOf(Stream stream, OutboundMessage message) {
        if (interleaved) {
            return message.unordered() ? stream.nextUnorderedMid++ : stream.nextOrderedMid++;
        }
        if (message.unordered()) {
            return 0;
        }
        int ssn = stream.nextSsn;
        stream.nextSsn = ssn + 1 & 0xFFFF;
        return ssn;
    }

    /** The peer has all up to this chunk. */
    void released(OutboundChunk chunk) {
        OutboundMessage message = chunk.message();
        bufferedBytes -= chunk.payloadLength();
        if (chunk.isLast()) {
            bufferedBytes -= OVERHEAD_BYTES;
        }
        Stream stream = streams.get(message.streamId());
        if (stream != null) {
            stream.unacked--;
        }
    }

    // --- reset

    /** Lets no more in; what waits is sent first, or thrown away. */
    void drain(int streamId, boolean discard) {
        Stream stream = streams.computeIfAbsent(streamId, id -> new Stream());
        stream.phase = Phase.DRAINING;
        stream.unwanted = discard;
        if (discard) {
            for (OutboundMessage message : stream.queue) {
                if (!message.isBegun()) {
                    dropUnsent(message);
                }
            }
            stream.queue.removeIf(message -> message.unsentBytes() == 0);
        }
    }

    /**
     * Whether the request may leave. RFC 6525 5.1.2 asks only that everything has been sent. We
     * also wait until it is acknowledged, since some peers reset a stream before they have all of
     * it; but not for what nobody reads any more, so that our reset leaves with the answer to the
     * peer's: some use a stream again after that answer, and would take a later reset for one of
     * the new channel.
     */
    boolean isDrained(int streamId) {
        Stream stream = streams.get(streamId);
        return stream == null
                || (stream.queue.isEmpty() && (stream.unacked == 0 || stream.unwanted));
    }

    void resetting(int streamId) {
        Stream stream = streams.computeIfAbsent(streamId, id -> new Stream());
        stream.phase = Phase.RESETTING;
        if (stream.ready) {
            turns.remove(stream);
            stream.ready = false;
        }
    }

    /** The reset is through, or refused: in both cases the stream is open again. */
    void reopen(int streamId, boolean fromZero) {
        Stream stream = streams.get(streamId);
        if (stream == null) {
            return;
        }
        stream.phase = Phase.OPEN;
        stream.unwanted = false;
        if (fromZero) {
            stream.nextSsn = 0;
            stream.nextOrderedMid = 0;
            stream.nextUnorderedMid = 0;
        }
        if (fromZero && stream.queue.isEmpty() && stream.unacked == 0) {
            streams.remove(streamId);
        } else {
            takeTurn(stream);
        }
    }

    /**
     * Everything that waits is lost, since the association is over or the peer has started over.
     */
    void clear() {
        streams.clear();
        turns.clear();
        bufferedBytes = 0;
        unsentMessages = 0;
    }

    /** Messages of which nothing was sent yet. */
    int unsentMessages() {
        return unsentMessages;
    }
}
