package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.OutboundChunk.State;
import org.jspecify.annotations.Nullable;

/**
 * The sending half of an association: what is in flight, what was lost, what may go now, RFC 9260 6
 * and 7. Owned by the association, made when the peer's window is known.
 */
final class RetransmissionQueue {
    /** RFC 9260 7.2.4. */
    private static final int MISSES_OF_A_LOSS = 3;

    /** A packet that has something in it already gets no shred of a message smaller than this. */
    private static final int SMALLEST_FRAGMENT = 256;

    private final OutboundStreams streams;
    private final boolean interleaved;
    private final RtoEstimator rto;
    private final CongestionControl congestion;
    private final SctpCounters counters;
    private final Outstanding outstanding;
    private final ForwardTsn forwardTsn;
    private final Deadline t3 = new Deadline();

    private int peerWindow;
    private int flightBytes;
    private int lostChunks;
    private int errors;
    private long measureFrom;
    private boolean hasSent;
    private long lastSentNanos;
    private boolean windowLimited;
    private boolean fastRetransmit;

    // Of the SACK at hand
    private final Sack sack = new Sack();
    private int newlyAckedBytes;
    private long highestNewlyAcked;
    private @Nullable OutboundChunk measured;

    RetransmissionQueue(
            SctpConfig config,
            int initialTsn,
            int peerWindow,
            boolean interleaved,
            OutboundStreams streams,
            RtoEstimator rto,
            SctpCounters counters) {
        this.streams = streams;
        this.interleaved = interleaved;
        this.rto = rto;
        this.counters = counters;
        this.peerWindow = peerWindow;
        // PMDCS, RFC 9260 1.2: the largest DATA chunk.
        this.congestion =
                new CongestionControl(
                        config.packetBytes() - PacketReader.HEADER_LENGTH, peerWindow);
        this.outstanding = new Outstanding(Tsn.first(initialTsn));
        this.forwardTsn = new ForwardTsn(outstanding, interleaved, rto);
        this.measureFrom = outstanding.first();
    }

    boolean isEmpty() {
        return outstanding.isEmpty();
    }

    /** TSN of the last chunk sent. */
    int lastAssignedTsn() {
        return (int) (outstanding.next() - 1);
    }

    int flightBytes() {
        return flightBytes;
    }

    /** What the peer can take, as it has said last. */
    int peerWindowBytes() {
        return peerWindow;
    }

    CongestionControl congestion() {
        return congestion;
    }

    /** Timeouts in a row. */
    int errors() {
        return errors;
    }

    // --- what the peer says

    /**
     * Takes a SACK.
     *
     * @return why it is dropped, or null
     */
    @Nullable SctpDrop receiveSack(PacketReader chunk, long nowNanos) {
        SctpDrop refusal = sack.wrap(chunk, outstanding);
        if (refusal == null) {
            receive(nowNanos);
        }
        return refusal;
    }

    /** Takes what a SHUTDOWN acknowledges. */
    void receiveCumulativeAck(int tsn, long nowNanos) {
        if (sack.ofShutdown(tsn, peerWindow, outstanding)) {
            receive(nowNanos);
        }
    }

    private void receive(long nowNanos) {
        boolean advanced = acknowledge(sack.cumulative());
        long highestGapEnd = readGaps();
        if (measured != null) {
            rto.measured(nowNanos - measured.sentNanos);
            measureFrom = outstanding.next();
        }
        if (newlyAckedBytes > 0 || sack.window() == 0) {
            // RFC 9260 8.1; a closed window is no sign that the peer is gone, 6.3.3.
            errors = 0;
        }
        congestion.cumulativeAdvanced(sack.cumulative());
        if (advanced) {
            rto.progressed();
            congestion.acked(newlyAckedBytes, windowLimited);
        }
        detectLosses(highestGapEnd, advanced, nowNanos);
        reopen(sack.window());
        forwardTsn.advance();
        restartT3(advanced, nowNanos);
    }

    /** Removes what the cumulative TSN covers. */
    private boolean acknowledge(long cumulative) {
        newlyAckedBytes = 0;
        highestNewlyAcked = -1;
        measured = null;
        boolean advanced = cumulative >= outstanding.first();
        while (outstanding.first() <= cumulative) {
            OutboundChunk chunk = outstanding.at(outstanding.first());
            noteAcked(chunk);
            outstanding.removeFirst();
            streams.released(chunk);
        }
        return advanced;
    }

    /** Marks what the gap ack blocks cover, and takes back what they no longer do. */
    private long readGaps() {
        long next = outstanding.first();
        for (int i = 0; i < sack.blocks(); i++) {
            long start = sack.blockStart(i);
            long end = sack.blockEnd(i);
            renege(next, Math.min(start, outstanding.next()));
            for (long tsn = Math.max(start, next); tsn <= end; tsn++) {
                noteAcked(outstanding.at(tsn));
            }
            next = Math.max(next, end + 1);
        }
        renege(next, outstanding.next());
        return next - 1;
    }

    private void noteAcked(OutboundChunk chunk) {
        if (chunk.state == State.ACKED || chunk.state == State.ABANDONED) {
            return;
        }
        if (chunk.state == State.IN_FLIGHT) {
            flightBytes -= chunk.wireLength(interleaved);
            // RFC 9260 6.3.1 C5: Karn's rule; C4: once per round trip.
            if (chunk.transmissions == 1 && chunk.tsn() >= measureFrom) {
                measured = chunk;
            }
        } else {
            lostChunks--;
        }
        chunk.state = State.ACKED;
        newlyAckedBytes += chunk.wireLength(interleaved);
        highestNewlyAcked = Math.max(highestNewlyAcked, chunk.tsn());
    }

    /** RFC 9260 6.2.1: a TSN that is no longer acknowledged is to be sent again. */
    private void renege(long from, long to) {
        for (long tsn = from; tsn < to; tsn++) {
            OutboundChunk chunk = outstanding.at(tsn);
            if (chunk.state == State.ACKED) {
                chunk.state = State.LOST;
                lostChunks++;
            }
        }
    }

    // RFC 9260 7.2.4
    private void detectLosses(long highestGapEnd, boolean advanced, long nowNanos) {
        boolean found = false;
        // In fast recovery, once the cumulative TSN moves, all that is told missing counts.
        long upTo =
                congestion.isRecovering() && advanced
                        ? highestGapEnd
                        : Math.min(highestNewlyAcked, highestGapEnd);
        for (long tsn = outstanding.first(); tsn < upTo; tsn++) {
            OutboundChunk chunk = outstanding.at(tsn);
            if (chunk.state == State.IN_FLIGHT && isMissed(chunk)) {
                chunk.misses++;
                if (chunk.misses >= MISSES_OF_A_LOSS) {
                    lost(chunk, nowNanos);
                    found = true;
                }
            }
        }
        if (found && !congestion.isRecovering()) {
            congestion.lossDetected(outstanding.next() - 1);
            counters.fastRetransmit();
            fastRetransmit = true;
        }
    }

    /**
     * What was sent again counts as missing again only by acks of what left after it. RFC 9260
     * 7.2.4 would leave a second loss to the timer; on a lossy path that costs a timeout each time.
     */
    private boolean isMissed(OutboundChunk chunk) {
        return chunk.transmissions == 1 || highestNewlyAcked > chunk.sentBefore;
    }

    private void lost(OutboundChunk chunk, long nowNanos) {
        flightBytes -= chunk.wireLength(interleaved);
        chunk.misses = 0;
        chunk.state = State.LOST;
        lostChunks++;
        if (chunk.message().isExhausted(chunk.transmissions, nowNanos)) {
            abandon(chunk.message());
        }
    }

    /** Sets the peer's window; a probe of a window that was closed goes again at once. */
    private void reopen(int window) {
        boolean opened = peerWindow == 0 && window > 0;
        peerWindow = window;
        if (opened && !outstanding.isEmpty()) {
            OutboundChunk probe = outstanding.at(outstanding.first());
            if (probe.state == State.IN_FLIGHT && flightBytes == probe.wireLength(interleaved)) {
                flightBytes = 0;
                probe.state = State.LOST;
                lostChunks++;
            }
        }
    }

    // RFC 9260 6.3.2 R2 and R3
    private void restartT3(boolean advanced, long nowNanos) {
        if (outstanding.isEmpty()) {
            t3.stop();
            congestion.allAcked();
        } else if (advanced) {
            t3.start(nowNanos + rto.rtoNanos());
        }
    }

    // --- partial reliability, RFC 3758 3.5

    private void abandon(OutboundMessage message) {
        if (!message.isAbandoned()) {
            message.abandon();
            counters.messageAbandoned();
        }
        for (long tsn = outstanding.first(); tsn < outstanding.next(); tsn++) {
            OutboundChunk chunk = outstanding.at(tsn);
            if (chunk.message() == message) {
                if (chunk.state == State.IN_FLIGHT) {
                    flightBytes -= chunk.wireLength(interleaved);
                } else if (chunk.state == State.LOST) {
                    lostChunks--;
                }
                chunk.state = State.ABANDONED;
            }
        }
        forwardTsn.advance();
    }

    boolean forwardTsnDue(long nowNanos) {
        return forwardTsn.isDue(nowNanos);
    }

    void writeForwardTsn(PacketWriter packet, long nowNanos) {
        forwardTsn.write(packet, nowNanos);
        // C5: T3-rtx runs behind it.
        if (!t3.isRunning()) {
            t3.start(nowNanos + rto.rtoNanos());
        }
    }

    // --- what may be sent

    /** Whether {@link #next} with a whole packet of room would answer something. */
    boolean canSend(long nowNanos) {
        if (lostChunks > 0) {
            return fastRetransmit || hasWindow();
        }
        return streams.hasUnsent() && mayBegin(streams.peekBytes(nowNanos));
    }

    /**
     * The next chunk for a packet, counted as sent; null when none may go or none fits.
     *
     * @param alone whether the packet holds no DATA yet, so that a message may be cut to fit
     */
    @Nullable OutboundChunk next(int room, boolean alone, long nowNanos) {
        if (lostChunks > 0) {
            OutboundChunk again = nextLost(room, nowNanos);
            if (again != null || lostChunks > 0) {
                return again;
            }
        }
        int header = interleaved ? InboundData.I_DATA_HEADER : InboundData.DATA_HEADER;
        if (!mayBegin(streams.peekBytes(nowNanos))) {
            return null;
        }
        int payloadRoom = room - header;
        if (flightBytes > 0) {
            // RFC 9260 6.1 A: within the peer's window, but for a lone probe of it.
            payloadRoom = Math.min(payloadRoom, peerWindow - flightBytes);
        }
        boolean wholeOnly = !alone && payloadRoom < SMALLEST_FRAGMENT;
        OutboundChunk chunk = streams.next(outstanding.next(), payloadRoom, wholeOnly, nowNanos);
        if (chunk != null) {
            decayWhenIdle(nowNanos);
            outstanding.add(chunk);
            sent(chunk, nowNanos);
        }
        return chunk;
    }

    private @Nullable OutboundChunk nextLost(int room, long nowNanos) {
        if (!fastRetransmit && !hasWindow()) {
            return null;
        }
        for (long tsn = outstanding.first(); tsn < outstanding.next(); tsn++) {
            OutboundChunk chunk = outstanding.at(tsn);
            if (chunk.state == State.LOST
                    && chunk.message().isExhausted(chunk.transmissions, nowNanos)) {
                abandon(chunk.message());
            } else if (chunk.state == State.LOST) {
                if (chunk.wireLength(interleaved) > room) {
                    return null;
                }
                lostChunks--;
                chunk.state = State.IN_FLIGHT;
                sent(chunk, nowNanos);
                return chunk;
            }
        }
        return null;
    }

    // RFC 9260 6.1 A and B
    private boolean mayBegin(int bytes) {
        if (bytes == 0) {
            // RFC 9260 7.2.1: a window that is not in use does not grow.
            windowLimited = false;
        }
        if (bytes == 0 || !hasWindow()) {
            return false;
        }
        boolean granted = flightBytes + Math.min(bytes, SMALLEST_FRAGMENT) <= peerWindow;
        return granted || flightBytes == 0;
    }

    private boolean hasWindow() {
        boolean has = flightBytes < congestion.windowBytes();
        windowLimited |= !has;
        return has;
    }

    private void sent(OutboundChunk chunk, long nowNanos) {
        flightBytes += chunk.wireLength(interleaved);
        counters.dataLeft(chunk.transmissions > 0);
        chunk.transmissions++;
        chunk.misses = 0;
        chunk.sentNanos = nowNanos;
        chunk.sentBefore = outstanding.next() - 1;
        hasSent = true;
        lastSentNanos = nowNanos;
        // RFC 9260 6.3.2 R1, and 7.2.4 (4): sending the lowest one again restarts the timer.
        if (!t3.isRunning() || chunk.tsn() == outstanding.first()) {
            t3.start(nowNanos + rto.rtoNanos());
        }
    }

    /** One packet is done; fast retransmit ignores the window for one packet only. */
    void packetEnd() {
        fastRetransmit = false;
    }

    private void decayWhenIdle(long nowNanos) {
        if (outstanding.isEmpty() && hasSent) {
            long idle = nowNanos - lastSentNanos;
            for (int i = 0; i < 8 && idle > rto.rtoNanos(); i++) {
                congestion.idle();
                idle -= rto.rtoNanos();
            }
        }
    }

    // --- time

    // RFC 9260 6.3.3
    void onTimer(long nowNanos) {
        if (!t3.isDue(nowNanos)) {
            return;
        }
        t3.stop();
        errors++;
        counters.timeout();
        rto.backOff();
        congestion.timedOut();
        fastRetransmit = false;
        for (long tsn = outstanding.first(); tsn < outstanding.next(); tsn++) {
            OutboundChunk chunk = outstanding.at(tsn);
            if (chunk.state == State.IN_FLIGHT) {
                lost(chunk, nowNanos);
            }
        }
        forwardTsn.advance();
        forwardTsn.again();
        if (!outstanding.isEmpty()) {
            t3.start(nowNanos + rto.rtoNanos());
        }
    }

    long deadlineOrEarlier(long otherNanos) {
        return t3.orEarlier(otherNanos);
    }
}
