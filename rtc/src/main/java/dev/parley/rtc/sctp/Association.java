package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Cause;
import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.SctpEvent.CloseReason;
import java.util.ArrayDeque;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One SCTP association over one DTLS association, RFC 9260 in the profile of RFC 8831. Owned by one
 * thread, which hands it what DTLS has decrypted, takes what is to be encrypted, and calls it when
 * its deadline has come.
 *
 * <p>Departures: there is one path and no address, so nothing of multi-homing is here. A packet for
 * an association that is over is dropped without an answer, since DTLS goes with it.
 *
 * <p>After {@link #handle}, {@link #onTimer}, {@link #send}, {@link #resetStream} and {@link
 * #pollEvent} there may be something to {@link #poll}, and the {@link #deadlineNanos} may have
 * moved.
 */
public final class Association {
    /** RFC 9260 4. */
    public enum State {
        CLOSED,
        COOKIE_WAIT,
        COOKIE_ECHOED,
        ESTABLISHED,
        SHUTDOWN_PENDING,
        SHUTDOWN_SENT,
        SHUTDOWN_RECEIVED,
        SHUTDOWN_ACK_SENT,
        /** Over; nothing comes of it any more. */
        ENDED
    }

    /** What {@link #deadlineNanos} answers, added to now, when there is nothing to wait for. */
    private static final long FAR_NANOS = 3_600_000_000_000L;

    private static final int TAG_REFLECTED = 1;

    private final SctpConfig config;
    private final int localPort;
    private final int remotePort;
    private final SctpCounters counters = new SctpCounters();
    private final ArrayDeque<SctpEvent> events = new ArrayDeque<>();
    private final RtoEstimator rto;
    private final OutboundStreams outbound;
    private final ControlChunks control;
    private final Answers answers;
    private final Handshake handshake;
    private final Heartbeat heartbeat;
    private final PacketReader reader = new PacketReader();
    private final Shutdown shutdown;
    private final PacketBundler bundler;

    private State state = State.CLOSED;
    private @Nullable Transfer transfer;
    private boolean shutdownWanted;

    /**
     * @param random for tags, sequence numbers and the key of cookies, so a secure one
     */
    public Association(SctpConfig config, int localPort, int remotePort, RandomGenerator random) {
        this.config = config;
        this.localPort = localPort;
        this.remotePort = remotePort;
        this.rto = new RtoEstimator(config.timers());
        this.outbound = new OutboundStreams(config.sendBufferBytes(), counters);
        this.control = new ControlChunks(config.packetBytes(), counters);
        this.answers = new Answers(control, config.packetBytes());
        this.handshake = new Handshake(config, this, control, rto, counters, random);
        this.heartbeat = new Heartbeat(config.timers(), rto, random);
        this.shutdown = new Shutdown(rto);
        this.bundler =
                new PacketBundler(
                        config, localPort, remotePort, control, handshake, shutdown, counters);
    }

    public State state() {
        return state;
    }

    public SctpCounters counters() {
        return counters;
    }

    /** Whether the peer has agreed to I-DATA. */
    public boolean isInterleaved() {
        Transfer open = transfer;
        return open != null && open.features().interleaving();
    }

    /** Whether packets go without checksum. */
    public boolean isZeroChecksum() {
        Transfer open = transfer;
        return open != null && open.features().zeroChecksum();
    }

    /** What was accepted and not yet acknowledged, with something for each message. */
    public int bufferedBytes() {
        return outbound.bufferedBytes();
    }

    /** Smoothed round-trip time, negative before the first measurement. */
    public long roundTripNanos() {
        return rto.smoothedNanos();
    }

    /** Sent and not acknowledged, DATA headers included. */
    public int flightBytes() {
        Transfer open = transfer;
        return open == null ? 0 : open.sent().flightBytes();
    }

    /** What the peer can take, as it has said last. */
    public int peerWindowBytes() {
        Transfer open = transfer;
        return open == null ? 0 : open.sent().peerWindowBytes();
    }

    /** What we can take of the peer. */
    public int receiveWindowBytes() {
        Transfer open = transfer;
        return open == null ? 0 : open.inbound().grantedBytes();
    }

    /** RFC 9260 7.2. */
    public int congestionWindowBytes() {
        Transfer open = transfer;
        return open == null ? 0 : open.sent().congestion().windowBytes();
    }

    /**
     * It stands from now on: both sides have exchanged their INIT chunks in SDP.
     *
     * @param own the one that our SDP has
     * @param peers the one that the peer's has
     */
    public void establish(SctpInit own, SctpInit peers, long nowNanos) {
        if (state == State.CLOSED) {
            // draft-hancke-tsvwg-snap: as if RFC 9260 5.1 A to E were done.
            handshake.adopt(own);
            open(peers.terms(), State.COOKIE_ECHOED);
            establish(nowNanos);
        }
    }

    /** Sends an INIT. Both sides of a WebRTC connection do. */
    public void connect(long nowNanos) {
        if (state == State.CLOSED) {
            state = State.COOKIE_WAIT;
            handshake.start(nowNanos);
        }
    }

    /**
     * Takes a message; it is sent once the association stands.
     *
     * @param payload handed over
     */
    public SendResult send(
            int streamId,
            int ppid,
            byte[] payload,
            boolean ordered,
            Reliability reliability,
            long nowNanos) {
        boolean open =
                state == State.CLOSED
                        || state == State.COOKIE_WAIT
                        || state == State.COOKIE_ECHOED
                        || state == State.ESTABLISHED;
        if (!open || shutdownWanted) {
            return SendResult.CLOSED;
        }
        if (payload.length == 0) {
            return SendResult.EMPTY;
        }
        Transfer known = transfer;
        int streams = known == null ? config.maxStreams() : known.outboundStreams();
        if (streamId < 0 || streamId >= streams) {
            return SendResult.INVALID_STREAM;
        }
        // RFC 3758 3.1: without the peer's support everything is reliable.
        boolean partial = known == null || known.features().partialReliability();
        return outbound.add(
                new OutboundMessage(
                        streamId,
                        ppid,
                        !ordered,
                        payload,
                        partial ? reliability : Reliability.RELIABLE,
                        nowNanos));
    }

    /**
     * Resets an outgoing stream, RFC 6525; answered by an {@link SctpEvent.OutgoingReset}.
     *
     * @param discard whether to throw away what has not been sent, instead of sending it first
     */
    public void resetStream(int streamId, boolean discard) {
        Transfer open = transfer;
        if (open == null || !open.features().reconfiguration()) {
            events.add(new SctpEvent.OutgoingReset(streamId, false));
            return;
        }
        outbound.drain(streamId, discard);
        open.resets().want(streamId);
    }

    /** Closes gracefully, RFC 9260 9.2: what was accepted is delivered first. */
    public void shutdown(long nowNanos) {
        switch (state) {
            case CLOSED -> end(CloseReason.SHUTDOWN, "never opened");
            case COOKIE_WAIT, COOKIE_ECHOED -> shutdownWanted = true;
            case ESTABLISHED -> {
                state = State.SHUTDOWN_PENDING;
                advance(nowNanos);
            }
            case SHUTDOWN_PENDING, SHUTDOWN_SENT, SHUTDOWN_RECEIVED, SHUTDOWN_ACK_SENT, ENDED -> {}
        }
    }

    /** Ends it at once, RFC 9260 9.1. */
    public void abort(String detail) {
        abort(CloseReason.ABORTED, Cause.USER_ABORT, detail);
    }

    void abort(CloseReason reason, int cause, String detail) {
        Transfer open = transfer;
        if (open != null && state != State.ENDED) {
            answers.abort(open.peerTag(), cause, detail);
        }
        end(reason, detail);
    }

    private void end(CloseReason reason, String detail) {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        transfer = null;
        outbound.clear();
        handshake.stop();
        heartbeat.stop();
        shutdown.stop();
        events.add(new SctpEvent.Closed(reason, detail));
    }

    /** What has happened next, or null. Taking a message makes room in the receive window. */
    public @Nullable SctpEvent pollEvent() {
        SctpEvent event = events.poll();
        Transfer open = transfer;
        if (event instanceof SctpEvent.Message message && open != null) {
            open.inbound().taken(message.payload().length);
        }
        return event;
    }

    // --- packets in

    /** Takes a packet. What is wrong with it is counted, nothing is thrown. */
    public void handle(byte[] datagram, int offset, int length, long nowNanos) {
        counters.packetTaken();
        SctpDrop refusal = refusal(datagram, offset, length);
        if (refusal != null) {
            counters.drop(refusal);
            return;
        }
        boolean going = true;
        while (going && state != State.ENDED && reader.next()) {
            going = receive(nowNanos);
        }
        Transfer open = transfer;
        if (open != null) {
            open.inbound().packetEnd(nowNanos);
        }
        advance(nowNanos);
    }

    private @Nullable SctpDrop refusal(byte[] datagram, int offset, int length) {
        if (!reader.wrap(datagram, offset, length)) {
            return SctpDrop.MALFORMED_PACKET;
        }
        boolean unchecked = config.zeroChecksum() && reader.checksum() == 0;
        if (!unchecked && !reader.isChecksumRight()) {
            return SctpDrop.BAD_CHECKSUM;
        }
        if (reader.sourcePort() != remotePort || reader.destinationPort() != localPort) {
            return SctpDrop.BAD_PORT;
        }
        if (state == State.ENDED) {
            return SctpDrop.UNEXPECTED_CHUNK;
        }
        var _ = reader.next();
        boolean right = isTagRight();
        reader.rewind();
        return right ? null : SctpDrop.BAD_VERIFICATION_TAG;
    }

    // RFC 9260 8.5 and 8.5.1
    private boolean isTagRight() {
        int tag = reader.verificationTag();
        Transfer open = transfer;
        boolean reflected = (reader.flags() & TAG_REFLECTED) != 0;
        return switch (reader.type()) {
            case Chunk.INIT -> tag == 0;
            // The cookie says which tag is right.
            case Chunk.COOKIE_ECHO -> true;
            case Chunk.ABORT, Chunk.SHUTDOWN_COMPLETE ->
                    reflected ? open != null && tag == open.peerTag() : tag == handshake.localTag();
            default -> tag == handshake.localTag();
        };
    }

    /** Takes the chunk at hand; answers whether to go on with the packet. */
    private boolean receive(long nowNanos) {
        switch (reader.type()) {
            case Chunk.INIT -> handshake.receiveInit(reader, nowNanos);
            case Chunk.INIT_ACK -> handshake.receiveInitAck(reader, nowNanos);
            case Chunk.COOKIE_ECHO -> {
                return handshake.receiveCookieEcho(reader, nowNanos);
            }
            case Chunk.COOKIE_ACK -> handshake.receiveCookieAck(nowNanos);
            case Chunk.ABORT -> end(CloseReason.ABORTED_BY_PEER, ErrorCauses.describe(reader));
            case Chunk.ERROR -> {
                if (ErrorCauses.contains(reader, Cause.STALE_COOKIE)) {
                    handshake.cookieWasStale(nowNanos);
                }
            }
            case Chunk.SHUTDOWN_ACK -> receiveShutdownAck();
            case Chunk.SHUTDOWN_COMPLETE -> {
                if (state == State.SHUTDOWN_ACK_SENT) {
                    end(CloseReason.SHUTDOWN, "closed by the peer");
                }
            }
            default -> {
                return receiveInTransfer(nowNanos);
            }
        }
        return true;
    }

    private boolean receiveInTransfer(long nowNanos) {
        Transfer open = transfer;
        if (open == null || !Chunk.isKnown(reader.type())) {
            if (open == null) {
                counters.drop(SctpDrop.UNEXPECTED_CHUNK);
                return true;
            }
            return receiveUnknown();
        }
        switch (reader.type()) {
            case Chunk.DATA, Chunk.I_DATA -> receiveData(open);
            case Chunk.FORWARD_TSN, Chunk.I_FORWARD_TSN -> {
                if (receivesData()) {
                    react(open.inbound().receiveForwardTsn(reader));
                }
            }
            case Chunk.SACK -> drop(open.sent().receiveSack(reader, nowNanos));
            case Chunk.HEARTBEAT -> {
                if (!answers.heartbeat(reader)) {
                    counters.drop(SctpDrop.MALFORMED_CHUNK);
                }
            }
            case Chunk.HEARTBEAT_ACK -> {
                if (!heartbeat.receiveAck(reader, nowNanos)) {
                    counters.drop(SctpDrop.UNEXPECTED_CHUNK);
                }
            }
            case Chunk.RE_CONFIG -> {
                if (!open.resets().receive(reader, nowNanos)) {
                    counters.drop(SctpDrop.BAD_RECONFIG);
                }
            }
            default -> receiveShutdown(open, nowNanos);
        }
        return true;
    }

    private void drop(@Nullable SctpDrop reason) {
        if (reason != null) {
            counters.drop(reason);
        }
    }

    // RFC 9260 3.2: the two highest bits of a type say what to do when it is not known.
    private boolean receiveUnknown() {
        counters.drop(SctpDrop.UNKNOWN_CHUNK);
        if ((reader.type() & 0x40) != 0) {
            answers.unrecognizedChunk(reader);
        }
        return (reader.type() & 0x80) != 0;
    }

    private boolean receivesData() {
        return switch (state) {
            case COOKIE_ECHOED, ESTABLISHED, SHUTDOWN_PENDING, SHUTDOWN_SENT -> true;
            case CLOSED, COOKIE_WAIT, SHUTDOWN_RECEIVED, SHUTDOWN_ACK_SENT, ENDED -> false;
        };
    }

    private void receiveData(Transfer open) {
        if (!receivesData()) {
            counters.drop(SctpDrop.UNEXPECTED_CHUNK);
            return;
        }
        react(open.inbound().receive(reader));
        if (state == State.SHUTDOWN_SENT) {
            // RFC 9260 9.2: a SACK and the SHUTDOWN again, at once.
            open.inbound().wantSack();
            shutdown.repeat();
        }
    }

    private void react(InboundData.Verdict verdict) {
        switch (verdict) {
            case TAKEN, DROPPED -> {}
            case INVALID_STREAM -> answers.invalidStream(reader);
            case NO_USER_DATA ->
                    abort(CloseReason.ABORTED, Cause.NO_USER_DATA, "DATA without user data");
            case OUT_OF_RESOURCE ->
                    abort(
                            CloseReason.ABORTED,
                            Cause.OUT_OF_RESOURCE,
                            "more parts of messages than may wait");
            case PROTOCOL_VIOLATION ->
                    abort(
                            CloseReason.ABORTED,
                            Cause.PROTOCOL_VIOLATION,
                            "DATA of a kind that was not negotiated");
        }
    }

    // --- handshake, for Handshake

    @Nullable Transfer transfer() {
        return transfer;
    }

    /** The peer's terms are known. */
    void open(PeerInit peer, State next) {
        transfer =
                new Transfer(
                        config,
                        handshake.localInitialTsn(),
                        peer,
                        outbound,
                        rto,
                        control,
                        events,
                        counters);
        state = next;
    }

    /** The handshake starts over. */
    void beginAgain() {
        transfer = null;
        state = State.COOKIE_WAIT;
    }

    /** Both sides agree that it stands. */
    void establish(long nowNanos) {
        Transfer open = transfer;
        if (open == null) {
            throw new IllegalStateException("no transfer");
        }
        state = shutdownWanted ? State.SHUTDOWN_PENDING : State.ESTABLISHED;
        heartbeat.start(nowNanos);
        events.add(new SctpEvent.Connected(open.outboundStreams(), config.maxStreams()));
    }

    // RFC 9260 5.2.4.1: the peer has forgotten everything.
    void restart(PeerInit peer) {
        outbound.clear();
        open(peer, State.ESTABLISHED);
        events.add(new SctpEvent.Restarted());
    }

    void repeatShutdownAck() {
        shutdown.repeatAck();
    }

    void unreachable(String detail) {
        abort(CloseReason.UNREACHABLE, Cause.USER_ABORT, detail);
    }

    // --- shutdown, RFC 9260 9.2

    private void receiveShutdown(Transfer open, long nowNanos) {
        if (reader.valueLength() < 4) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            return;
        }
        open.sent().receiveCumulativeAck(Wire.i32(reader.bytes(), reader.valueAt()), nowNanos);
        switch (state) {
            case ESTABLISHED, SHUTDOWN_PENDING -> state = State.SHUTDOWN_RECEIVED;
            case SHUTDOWN_SENT -> acknowledgeShutdown(nowNanos);
            case SHUTDOWN_ACK_SENT -> shutdown.repeatAck();
            case CLOSED, COOKIE_WAIT, COOKIE_ECHOED, SHUTDOWN_RECEIVED, ENDED -> {}
        }
    }

    private void acknowledgeShutdown(long nowNanos) {
        state = State.SHUTDOWN_ACK_SENT;
        shutdown.acknowledge(nowNanos);
    }

    private void receiveShutdownAck() {
        Transfer open = transfer;
        if (open == null || (state != State.SHUTDOWN_SENT && state != State.SHUTDOWN_ACK_SENT)) {
            counters.drop(SctpDrop.UNEXPECTED_CHUNK);
            return;
        }
        answers.shutdownComplete(open.peerTag());
        end(CloseReason.SHUTDOWN, "closed");
    }

    /** What follows from what has happened. */
    private void advance(long nowNanos) {
        Transfer open = transfer;
        if (open == null) {
            return;
        }
        var _ = open.resets().performIfReached();
        boolean flushed = outbound.isEmpty() && open.sent().isEmpty();
        if (state == State.SHUTDOWN_PENDING && flushed) {
            state = State.SHUTDOWN_SENT;
            shutdown.begin(nowNanos);
        } else if (state == State.SHUTDOWN_RECEIVED && flushed) {
            acknowledgeShutdown(nowNanos);
        }
        int most = config.timers().maxRetransmissions();
        if (open.sent().errors() > most
                || heartbeat.errors() > most
                || open.resets().repetitions() > most
                || shutdown.repetitions() > most) {
            unreachable("the peer does not answer");
        }
    }

    // --- time

    /** When {@link #onTimer} has something to do next; far away when never. */
    public long deadlineNanos(long nowNanos) {
        long deadline = nowNanos + FAR_NANOS;
        deadline = handshake.deadlineOrEarlier(deadline);
        deadline = heartbeat.deadlineOrEarlier(deadline);
        deadline = shutdown.deadlineOrEarlier(deadline);
        Transfer open = transfer;
        if (open != null) {
            deadline = open.inbound().deadlineOrEarlier(deadline);
            deadline = open.sent().deadlineOrEarlier(deadline);
            deadline = open.resets().deadlineOrEarlier(deadline);
        }
        return deadline;
    }

    /** Does what is due. */
    public void onTimer(long nowNanos) {
        handshake.onTimer(nowNanos);
        Transfer open = transfer;
        if (open == null) {
            return;
        }
        heartbeat.onTimer(open.sent().isEmpty(), control, nowNanos);
        open.inbound().onTimer(nowNanos);
        open.sent().onTimer(nowNanos);
        open.resets().onTimer(nowNanos);
        shutdown.onTimer(nowNanos);
        advance(nowNanos);
    }

    // --- packets out

    /**
     * Writes the next packet to send.
     *
     * @param into with room for {@link SctpConfig#packetBytes} behind the offset
     * @return its length, 0 when there is none
     */
    public int poll(byte[] into, int offset, long nowNanos) {
        return bundler.poll(into, offset, transfer, sendsData(), nowNanos);
    }

    private boolean sendsData() {
        return switch (state) {
            case ESTABLISHED, SHUTDOWN_PENDING, SHUTDOWN_RECEIVED -> true;
            case CLOSED, COOKIE_WAIT, COOKIE_ECHOED, SHUTDOWN_SENT, SHUTDOWN_ACK_SENT, ENDED ->
                    false;
        };
    }
}
