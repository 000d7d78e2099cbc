package dev.parley.rtc.ice;

import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Whether what a session sends along its paths arrives, and how much it may send until that is
 * known. Owned by the session's {@link IceLite}.
 */
final class ReturnPath {
    /** RFC 8445 5.1.2.1 for a peer-reflexive candidate: type preference 110, component 1. */
    private static final long PRIORITY = (110L << 24) | (65_535L << 8) | 255;

    /**
     * RFC 8445 7.3.1.1: smaller than the client's, so that it keeps its role, which is controlling.
     * But not 0, which libjuice takes for no attribute at all and answers 400.
     */
    private static final long TIE_BREAKER = 1;

    private final RandomGenerator random;
    private final UnprovenBudget budget = new UnprovenBudget();
    private @Nullable IcePair provenBefore;
    private @Nullable IcePair handshakePair;
    private boolean handshakeScattered;
    private boolean handshakeOver;
    private boolean makesChecks;

    ReturnPath(RandomGenerator random) {
        this.random = random;
    }

    /** The last path that was proven, other than the one in use. */
    @Nullable IcePair provenBefore() {
        return provenBefore;
    }

    /** Media has gone to another path until now. */
    void moved(IcePair from) {
        makesChecks = true;
        if (from.proven) {
            provenBefore = from;
        }
    }

    /** Checks the path in use, unless it needs none or the handshake there is to prove it. */
    void check(IcePair inUse, long nowNanos) {
        ReturnCheck asked = inUse.returnCheck;
        if (inUse.proven || !makesChecks) {
            return;
        }
        if (asked == null) {
            inUse.returnCheck = new ReturnCheck(random, nowNanos);
        } else {
            asked.again(nowNanos);
        }
    }

    /** Bytes have come from a path. */
    void received(IcePair from, int lengthBytes) {
        if (!from.proven) {
            budget.received(from, lengthBytes);
        }
    }

    /** A check of the client's was answered. */
    void answered(IcePair to, int lengthBytes, boolean carriesDtls) {
        if (!to.proven) {
            budget.answered(to, lengthBytes, carriesDtls);
        }
    }

    /** How long an answer with DTLS in it may be. */
    long dtlsRoom(IcePair to) {
        return budget.dtlsRoom(to);
    }

    /** Whether a packet may go along a path; what goes along unproven ones is counted. */
    boolean claim(IcePair to, int lengthBytes, boolean ofHandshake) {
        int kept = ofHandshake || handshakeOver ? 0 : UnprovenBudget.HANDSHAKE_BYTES;
        return to.proven || budget.spend(to, lengthBytes, kept);
    }

    /** A datagram of the handshake goes along a path. */
    void shakesHands(IcePair along) {
        handshakeScattered |= handshakePair != null && handshakePair != along;
        handshakePair = along;
    }

    /** The handshake is done: whoever does that has received our side of it. */
    void handshakeDone(@Nullable IcePair inUse, long nowNanos) {
        IcePair shaken = handshakePair;
        handshakePair = null;
        handshakeOver = true;
        makesChecks = true;
        if (shaken != null && !handshakeScattered) {
            prove(shaken, inUse, nowNanos);
        }
        if (inUse != null) {
            check(inUse, nowNanos);
        }
    }

    private void prove(IcePair pair, @Nullable IcePair inUse, long nowNanos) {
        pair.proven = true;
        pair.returnCheck = null;
        budget.renew(nowNanos);
        if (pair != inUse) {
            provenBefore = pair;
        }
    }

    /** Takes a success response that came from a path. */
    IceVerdict takeAnswer(
            StunReader message, IcePair from, @Nullable IcePair inUse, long nowNanos) {
        ReturnCheck asked = from.returnCheck;
        if (asked == null
                || !asked.isAnsweredBy(message)
                || (message.hasFingerprint() && !message.hasValidFingerprint())
                // RFC 8489 9.1.4; and so that no innocent STUN server speaks for the client.
                || !from.generation.remoteIntegrity().verifies(message)) {
            return IceVerdict.PROVES_NOTHING;
        }
        prove(from, inUse, nowNanos);
        return IceVerdict.PROVEN;
    }

    /** Writes the check that is due, if any; answers its length or 0. */
    int poll(IcePair inUse, long nowNanos, StunWriter writer, ByteBuffer out, int offset) {
        ReturnCheck asked = inUse.returnCheck;
        if (asked == null || !asked.isDue(nowNanos)) {
            return 0;
        }
        asked.requested(nowNanos);
        int length =
                writer.bindingRequest(out, offset, asked.idHigh(), asked.idLow())
                        .username(inUse.generation.checkUsername())
                        .iceControlled(TIE_BREAKER)
                        .priority(PRIORITY)
                        .integrity(inUse.generation.remoteIntegrity())
                        .fingerprint()
                        .length();
        return budget.spendOnCheck(inUse, length) ? length : 0;
    }
}
