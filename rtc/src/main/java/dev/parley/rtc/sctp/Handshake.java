package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Association.State;
import dev.parley.rtc.sctp.Codes.Cause;
import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.Codes.Parameter;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The four-way handshake, RFC 9260 5: our INIT, the answer to the peer's, cookies, and what happens
 * when both begin at once. Owned by an association, whose state it moves.
 */
final class Handshake {
    private final SctpConfig config;
    private final Association association;
    private final ControlChunks control;
    private final RtoEstimator rto;
    private final SctpCounters counters;
    private final RandomGenerator random;
    private final StateCookie.Seal seal;
    private final Deadline t1 = new Deadline();

    private int localTag;
    private int localInitialTsn;
    private byte @Nullable [] cookie;
    private boolean cookieDue;
    private int repetitions;

    Handshake(
            SctpConfig config,
            Association association,
            ControlChunks control,
            RtoEstimator rto,
            SctpCounters counters,
            RandomGenerator random) {
        this.config = config;
        this.association = association;
        this.control = control;
        this.rto = rto;
        this.counters = counters;
        this.random = random;
        this.seal = new StateCookie.Seal(random);
        this.localTag = SctpInit.newTag(random);
        this.localInitialTsn = random.nextInt();
    }

    /** Goes on with what our INIT in SDP says, draft-hancke-tsvwg-snap. */
    void adopt(SctpInit own) {
        localTag = own.terms().tag();
        localInitialTsn = own.terms().initialTsn();
    }

    int localTag() {
        return localTag;
    }

    int localInitialTsn() {
        return localInitialTsn;
    }

    void start(long nowNanos) {
        repetitions = 0;
        sendInit(nowNanos);
    }

    private void sendInit(long nowNanos) {
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.INIT, 0).i32(localTag);
        SctpInit.writeTerms(packet, config, localInitialTsn, repetitions == 0);
        packet.endChunk();
        control.sendAlone(0);
        t1.start(nowNanos + rto.rtoNanos());
    }

    // --- the peer's INIT

    void receiveInit(PacketReader chunk, long nowNanos) {
        PeerInit peer = PeerInit.find(chunk);
        if (peer == null || peer.tag() == 0) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            return;
        }
        if (!peer.isValid()) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            control.begin().chunk(Chunk.ABORT, 0).tlv(Cause.INVALID_PARAMETER).endTlv().endChunk();
            control.sendAlone(peer.tag());
            return;
        }
        if (association.state() == State.SHUTDOWN_ACK_SENT) {
            // RFC 9260 9.2: the peer has missed our SHUTDOWN ACK.
            association.repeatShutdownAck();
            return;
        }
        sendInitAck(peer, cookieFor(peer, nowNanos));
    }

    private StateCookie cookieFor(PeerInit peer, long nowNanos) {
        Transfer open = association.transfer();
        if (open == null) {
            // RFC 9260 5.2.1: as our own INIT said, should it be on its way.
            return StateCookie.of(nowNanos, localTag, localInitialTsn, 0, 0, peer);
        }
        boolean echoed = association.state() == State.COOKIE_ECHOED;
        // RFC 9260 5.2.2: a new tag, and tie tags that tell which association this is about.
        return StateCookie.of(
                nowNanos,
                echoed ? localTag : SctpInit.newTag(random),
                echoed ? localInitialTsn : random.nextInt(),
                localTag,
                open.peerTag(),
                peer);
    }

    private void sendInitAck(PeerInit peer, StateCookie state) {
        byte[] sealed = seal.seal(state);
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.INIT_ACK, 0).i32(state.localTag());
        SctpInit.writeTerms(
                packet, config, state.localInitialTsn(), peer.features().zeroChecksum());
        packet.tlv(Parameter.STATE_COOKIE).raw(sealed, 0, sealed.length).endTlv();
        writeUnrecognized(packet, peer.unrecognized());
        packet.endChunk();
        control.sendAlone(peer.tag());
    }

    private static void writeUnrecognized(PacketWriter packet, byte[] parameters) {
        TlvReader each = new TlvReader(parameters, 0, parameters.length);
        while (each.next()) {
            packet.tlv(Parameter.UNRECOGNIZED_PARAMETER)
                    .raw(parameters, each.at(), each.length())
                    .endTlv();
        }
    }

    // --- the answer to ours

    // RFC 9260 5.1 C
    void receiveInitAck(PacketReader chunk, long nowNanos) {
        if (association.state() != State.COOKIE_WAIT) {
            counters.drop(SctpDrop.UNEXPECTED_CHUNK);
            return;
        }
        PeerInit peer = PeerInit.find(chunk);
        if (peer == null || !peer.isValid()) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            return;
        }
        byte[] echoed = peer.cookie();
        int room = config.packetBytes() - PacketReader.HEADER_LENGTH;
        if (echoed == null || PacketReader.CHUNK_HEADER_LENGTH + echoed.length > room) {
            counters.drop(SctpDrop.MALFORMED_CHUNK);
            PacketWriter packet = control.begin();
            packet.chunk(Chunk.ABORT, 0).tlv(Cause.MISSING_PARAMETER);
            packet.i32(1).u16(Parameter.STATE_COOKIE).endTlv().endChunk();
            control.sendAlone(peer.tag());
            return;
        }
        association.open(peer, State.COOKIE_ECHOED);
        cookie = echoed;
        cookieDue = true;
        repetitions = 0;
        t1.start(nowNanos + rto.rtoNanos());
        if (peer.unrecognized().length > 0) {
            PacketWriter packet = control.begin();
            packet.chunk(Chunk.ERROR, 0).tlv(Cause.UNRECOGNIZED_PARAMETERS);
            packet.raw(peer.unrecognized(), 0, peer.unrecognized().length).endTlv().endChunk();
            control.send();
        }
    }

    /** Writes the COOKIE ECHO, if it is due, as the first chunk of a packet. */
    boolean writeCookie(PacketWriter packet) {
        byte[] echoed = cookie;
        if (!cookieDue || echoed == null) {
            return false;
        }
        cookieDue = false;
        packet.chunk(Chunk.COOKIE_ECHO, 0).raw(echoed, 0, echoed.length).endChunk();
        return true;
    }

    void receiveCookieAck(long nowNanos) {
        if (association.state() == State.COOKIE_ECHOED) {
            stop();
            association.establish(nowNanos);
        }
    }

    // RFC 9260 5.2.6: from the beginning.
    void cookieWasStale(long nowNanos) {
        if (association.state() == State.COOKIE_ECHOED) {
            stop();
            association.beginAgain();
            start(nowNanos);
        }
    }

    // --- the peer's cookie

    /** Answers whether to go on with the packet. */
    boolean receiveCookieEcho(PacketReader chunk, long nowNanos) {
        StateCookie state = seal.find(chunk.bytes(), chunk.valueAt(), chunk.valueLength());
        if (state == null) {
            counters.drop(SctpDrop.FORGED_COOKIE);
            return false;
        }
        if (chunk.verificationTag() != state.localTag()) {
            counters.drop(SctpDrop.BAD_VERIFICATION_TAG);
            return false;
        }
        Transfer open = association.transfer();
        boolean local = state.localTag() == localTag;
        boolean peer = open != null && state.peerTag() == open.peerTag();
        long age = nowNanos - state.createdNanos();
        if (age > config.timers().cookieLifeNanos() && !(local && peer)) {
            refuseStale(state, age);
            return false;
        }
        if (!accept(state, open, local, peer, nowNanos)) {
            return false;
        }
        control.begin().chunk(Chunk.COOKIE_ACK, 0).endChunk();
        control.send();
        return true;
    }

    private void refuseStale(StateCookie state, long age) {
        counters.drop(SctpDrop.STALE_COOKIE);
        long microseconds = (age - config.timers().cookieLifeNanos()) / 1_000;
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.ERROR, 0).tlv(Cause.STALE_COOKIE);
        packet.i32((int) Math.min(microseconds, Integer.MAX_VALUE)).endTlv().endChunk();
        control.sendAlone(state.peerTag());
    }

    // RFC 9260 5.2.4, table 12
    private boolean accept(
            StateCookie state,
            @Nullable Transfer open,
            boolean local,
            boolean peer,
            long nowNanos) {
        if (open == null) {
            association.open(state.peer(), State.COOKIE_ECHOED);
            establish(nowNanos);
            return true;
        }
        boolean tied = state.localTieTag() == localTag && state.peerTieTag() == open.peerTag();
        if (!local && !peer && tied) {
            return restart(state);
        }
        if (!local) {
            // C, or a cookie of an association long gone
            counters.drop(SctpDrop.LATE_COOKIE);
            return false;
        }
        if (association.state() == State.COOKIE_ECHOED) {
            if (!peer) {
                // B: both began, and the peer has begun twice
                association.open(state.peer(), State.COOKIE_ECHOED);
            }
            establish(nowNanos);
        } else if (!peer) {
            open.peerTag(state.peerTag());
        }
        // D: our COOKIE ACK was lost
        return true;
    }

    private void establish(long nowNanos) {
        stop();
        association.establish(nowNanos);
    }

    // A
    private boolean restart(StateCookie state) {
        if (association.state() == State.SHUTDOWN_ACK_SENT) {
            association.repeatShutdownAck();
            return false;
        }
        localTag = state.localTag();
        localInitialTsn = state.localInitialTsn();
        stop();
        association.restart(state.peer());
        return true;
    }

    // --- time

    void stop() {
        t1.stop();
        cookie = null;
        cookieDue = false;
    }

    // RFC 9260 5.1 A and C
    void onTimer(long nowNanos) {
        if (!t1.isDue(nowNanos)) {
            return;
        }
        t1.stop();
        repetitions++;
        rto.backOff();
        if (repetitions > config.timers().maxRetransmissions()) {
            association.unreachable("the peer does not answer");
        } else if (association.state() == State.COOKIE_WAIT) {
            sendInit(nowNanos);
        } else if (association.state() == State.COOKIE_ECHOED) {
            cookieDue = true;
            t1.start(nowNanos + rto.rtoNanos());
        }
    }

    long deadlineOrEarlier(long otherNanos) {
        return t1.orEarlier(otherNanos);
    }
}
