package dev.parley.rtc.sctp;

import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Makes messages of fragments and puts those of ordered streams in order, RFC 9260 6.6 and 6.9, RFC
 * 8260 2. Owned by an association, into whose events it puts the messages.
 *
 * <p>Everything that waits here or in the events is charged against the receive window, with {@link
 * #OVERHEAD_BYTES} for each piece, so that a peer cannot fill our memory with small ones.
 */
final class InboundReassembly {
    /** About what the objects around a piece cost. */
    static final int OVERHEAD_BYTES = 64;

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Pending(Fragment head, byte @Nullable [] payload) {
        int charge() {
            return InboundReassembly.charge(payload == null ? 0 : payload.length);
        }
    }

    private final int maxMessageBytes;
    private final boolean interleaved;
    private final Queue<SctpEvent> events;
    private final SctpCounters counters;
    private final FragmentRuns runs = new FragmentRuns();
    private StreamNumbers nextOrdered = new StreamNumbers();
    private final Map<Long, Pending> outOfOrder = new HashMap<>();
    // I-DATA: fragments of different messages must not have numbers that touch.
    private final Map<Long, Integer> partial = new HashMap<>();
    private int nextPartial;
    private int waitingBytes;
    private int deliveredBytes;

    InboundReassembly(
            int maxMessageBytes,
            boolean interleaved,
            Queue<SctpEvent> events,
            SctpCounters counters) {
        this.maxMessageBytes = maxMessageBytes;
        this.interleaved = interleaved;
        this.events = events;
        this.counters = counters;
    }

    /** Charged for what is not yet in the events. */
    int waitingBytes() {
        return waitingBytes;
    }

    /** Charged for messages that the owner has not taken. */
    int deliveredBytes() {
        return deliveredBytes;
    }

    /** The owner has taken a message from the events. */
    void taken(int payloadLength) {
        deliveredBytes -= charge(payloadLength);
    }

    private static int charge(int payloadLength) {
        return payloadLength + OVERHEAD_BYTES;
    }

    void add(long tsn, Fragment fragment) {
        if (fragment.isWhole()) {
            byte[] payload = fragment.payload();
            complete(fragment, payload.length > maxMessageBytes ? null : payload);
            return;
        }
        int charge = charge(fragment.payload().length);
        waitingBytes += charge;
        FragmentRuns.Run run = runs.add(interleaved ? number(fragment) : tsn, fragment, charge);
        if (run.bytes() > maxMessageBytes || run.isDiscarded()) {
            waitingBytes -= run.charge();
            run.discard();
        }
        if (run.isWhole()) {
            waitingBytes -= run.charge();
            partial.remove(messageKey(fragment));
            complete(run.head(), run.isDiscarded() ? null : run.join());
        }
    }

    private long number(Fragment fragment) {
        int ordinal = partial.computeIfAbsent(messageKey(fragment), key -> nextPartial++);
        return ((long) ordinal << 32) + Integer.toUnsignedLong(fragment.fragmentNumber());
    }

    private static long messageKey(Fragment fragment) {
        return messageKey(fragment.streamId(), fragment.unordered(), fragment.messageNumber());
    }

    private static long messageKey(int streamId, boolean unordered, int messageNumber) {
        return (long) streamId << 33
                | (unordered ? 1L << 32 : 0)
                | Integer.toUnsignedLong(messageNumber);
    }

    private void complete(Fragment head, byte @Nullable [] payload) {
        if (head.unordered()) {
            deliver(head, payload);
            return;
        }
        int next = nextOrdered.at(head.streamId());
        if (head.messageNumber() != next) {
            Pending pending = new Pending(head, payload);
            if (outOfOrder.putIfAbsent(messageKey(head), pending) == null) {
                waitingBytes += pending.charge();
            } else {
                counters.drop(SctpDrop.BAD_FRAGMENT);
            }
            return;
        }
        deliver(head, payload);
        nextOrdered.set(head.streamId(), following(next));
        deliverWaiting(head.streamId());
    }

    private int following(int messageNumber) {
        return interleaved ? messageNumber + 1 : messageNumber + 1 & 0xFFFF;
    }

    private boolean isBefore(int a, int b) {
        return interleaved ? a - b < 0 : Wire.isBefore16(a, b);
    }

    private void deliverWaiting(int streamId) {
        while (true) {
            int next = nextOrdered.at(streamId);
            Pending pending = outOfOrder.get(messageKey(streamId, false, next));
            if (pending == null) {
                return;
            }
            release(pending.head());
            nextOrdered.set(streamId, following(next));
        }
    }

    private void release(Fragment head) {
        Pending pending = outOfOrder.remove(messageKey(head));
        if (pending != null) {
            waitingBytes -= pending.charge();
            deliver(head, pending.payload());
        }
    }

    private void deliver(Fragment head, byte @Nullable [] payload) {
        if (payload == null) {
            counters.drop(SctpDrop.MESSAGE_TOO_LONG);
            events.add(new SctpEvent.MessageTooLong(head.streamId()));
            return;
        }
        deliveredBytes += charge(payload.length);
        events.add(new SctpEvent.Message(head.streamId(), head.ppid(), payload));
    }

    /** RFC 3758 3.6: parts of messages up to a TSN will not be made whole. DATA only. */
    void dropUpTo(long tsn) {
        runs.removeIf(
                run -> {
                    boolean lost = run.first() <= tsn;
                    if (lost) {
                        waitingBytes -= run.charge();
                    }
                    return lost;
                });
    }

    /** The peer skips an ordered message, and with it those before it that have not come. */
    void skipOrdered(int streamId, int messageNumber) {
        if (isBefore(messageNumber, nextOrdered.at(streamId))) {
            return;
        }
        // What has come of those before it is delivered.
        outOfOrder.values().stream()
                .map(Pending::head)
                .filter(head -> head.streamId() == streamId)
                .filter(head -> !isBefore(messageNumber, head.messageNumber()))
                .sorted((a, b) -> isBefore(a.messageNumber(), b.messageNumber()) ? -1 : 1)
                .toList()
                .forEach(this::release);
        nextOrdered.set(streamId, following(messageNumber));
        deliverWaiting(streamId);
    }

    /** RFC 8260 2.3.1: parts of these messages will not be made whole. */
    void dropMessages(int streamId, boolean unordered, int upToMessage) {
        runs.removeIf(
                run -> {
                    Fragment head = run.head();
                    boolean lost =
                            head.streamId() == streamId
                                    && head.unordered() == unordered
                                    && head.messageNumber() - upToMessage <= 0;
                    if (lost) {
                        waitingBytes -= run.charge();
                        partial.remove(messageKey(head));
                    }
                    return lost;
                });
    }

    /** RFC 6525 5.2.2: the stream begins again. */
    void reset(int streamId) {
        nextOrdered.set(streamId, 0);
        runs.removeIf(
                run -> {
                    boolean lost = run.head().streamId() == streamId;
                    if (lost) {
                        waitingBytes -= run.charge();
                        partial.remove(messageKey(run.head()));
                    }
                    return lost;
                });
        outOfOrder
                .values()
                .removeIf(
                        pending -> {
                            boolean lost = pending.head().streamId() == streamId;
                            if (lost) {
                                waitingBytes -= pending.charge();
                            }
                            return lost;
                        });
    }

    /** All streams begin again. */
    void resetAll() {
        nextOrdered = new StreamNumbers();
        runs.removeIf(run -> true);
        outOfOrder.clear();
        partial.clear();
        waitingBytes = 0;
    }
}
