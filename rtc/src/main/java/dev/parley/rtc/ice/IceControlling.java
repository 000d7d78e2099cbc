package dev.parley.rtc.ice;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/**
 * The controlling side of one candidate pair towards a lite peer, for load clients and tests: makes
 * checks, retransmits them, nominates, keeps consent fresh, and answers the peer's own checks.
 * Owned by one thread; the caller gives the time, carries the bytes, and calls {@link #poll} when
 * {@link #deadlineNanos} has come.
 */
public final class IceControlling {
    /** How the pair is nominated, RFC 8445 8.1.1 and, for the older aggressive way, RFC 5245. */
    public enum Nomination {
        /** A first check without USE-CANDIDATE; once it is answered, checks with it. */
        REGULAR,
        /** USE-CANDIDATE in every check. */
        AGGRESSIVE,
        /** Never: another pair is to be used. */
        NONE
    }

    /** Where the pair stands. */
    public enum State {
        /** No answer yet. */
        CHECKING,
        /** Answered, and the nomination, where wanted, as well. */
        CONNECTED,
        /** Not answered at all, or consent expired. */
        FAILED
    }

    // RFC 8489 6.2.1: RTO doubles from 500 ms, 7 requests (Rc), then 16 RTO (Rm) of patience.
    private static final long FIRST_RTO_NANOS = 500_000_000L;
    private static final int MAX_REQUESTS = 7;
    private static final long LAST_WAIT_NANOS = 16 * FIRST_RTO_NANOS;

    // RFC 7675 5.1: a consent check every 5 s, spread by 0.8 to 1.2; expiry after 30 s.
    private static final long CONSENT_INTERVAL_NANOS = 5_000_000_000L;
    private static final long CONSENT_TIMEOUT_NANOS = 30_000_000_000L;

    // RFC 8445 5.1.2.1 for a peer-reflexive candidate: type preference 110, component 1.
    private static final long PRIORITY = (110L << 24) | (65_535L << 8) | 255;

    private final String username;
    private final byte[] answersTo;
    private final StunIntegrity localKey;
    private final StunIntegrity remoteKey;
    private final Nomination nomination;
    private final RandomGenerator random;
    private final long tieBreaker;
    private final StunWriter writer = new StunWriter();

    private State state = State.CHECKING;
    private boolean nominated;

    // The transaction under way; once answered, duplicates of the answer are nothing new.
    private int idHigh;
    private long idLow;
    private boolean nominates;
    private boolean answered = true;
    private int requestsSent;
    private long firstSentNanos;

    private long nextNanos;
    private long consentEndNanos;

    private long mappedHigh;
    private long mappedLow;
    private int mappedPort;
    private long roundTripNanos;
    private int errorCode;

    /**
     * Begins with a check that is due at once.
     *
     * @param local what our offer says
     * @param remote what the peer's answer says
     */
    public IceControlling(
            IceCredentials local,
            IceCredentials remote,
            Nomination nomination,
            RandomGenerator random,
            long nowNanos) {
        this.username = remote.ufrag() + ":" + local.ufrag();
        this.answersTo = (local.ufrag() + ":" + remote.ufrag()).getBytes(StandardCharsets.US_ASCII);
        this.localKey = StunIntegrity.shortTerm(local.password());
        this.remoteKey = StunIntegrity.shortTerm(remote.password());
        this.nomination = nomination;
        this.random = random;
        this.tieBreaker = random.nextLong();
        this.nextNanos = nowNanos;
    }

    public State state() {
        return state;
    }

    /** Whether the peer has answered a check with USE-CANDIDATE. */
    public boolean isNominated() {
        return nominated;
    }

    /** When {@link #poll} has something to do next; as late as can be once FAILED. */
    public long deadlineNanos(long nowNanos) {
        return state == State.FAILED ? nowNanos + Long.MAX_VALUE : nextNanos;
    }

    /**
     * Writes the check that is due, if any.
     *
     * @param out with room for {@link StunWriter#MAX_LENGTH} bytes at the offset
     * @return bytes to send, 0 for nothing
     */
    public int poll(long nowNanos, ByteBuffer out, int offset) {
        if (state == State.FAILED || nextNanos - nowNanos > 0) {
            return 0;
        }
        if (hasFailed(nowNanos)) {
            state = State.FAILED;
            return 0;
        }
        // RFC 7675 5.1: a consent check is not retransmitted; the next one is a new transaction.
        if (answered || !needsAnswer() || requestsSent == MAX_REQUESTS) {
            begin(nowNanos);
        }
        requestsSent++;
        nextNanos = nowNanos + (needsAnswer() ? retransmitInterval() : consentInterval());
        return write(out, offset);
    }

    /** While true, the check under way is retransmitted until it is answered. */
    private boolean needsAnswer() {
        return state == State.CHECKING || (nomination == Nomination.REGULAR && !nominated);
    }

    private boolean hasFailed(long nowNanos) {
        return state == State.CHECKING
                ? !answered && requestsSent == MAX_REQUESTS
                : consentEndNanos - nowNanos <= 0;
    }

    private void begin(long nowNanos) {
        idHigh = random.nextInt();
        idLow = random.nextLong();
        nominates =
                nomination == Nomination.AGGRESSIVE
                        || (nomination == Nomination.REGULAR && state == State.CONNECTED);
        answered = false;
        requestsSent = 0;
        firstSentNanos = nowNanos;
    }

    private long retransmitInterval() {
        return requestsSent == MAX_REQUESTS
                ? LAST_WAIT_NANOS
                : FIRST_RTO_NANOS << (requestsSent - 1);
    }

    private long consentInterval() {
        return (long) (CONSENT_INTERVAL_NANOS * random.nextDouble(0.8, 1.2));
    }

    private int write(ByteBuffer out, int offset) {
        writer.bindingRequest(out, offset, idHigh, idLow)
                .username(username)
                .iceControlling(tieBreaker)
                .priority(PRIORITY);
        if (nominates) {
            writer.useCandidate();
        }
        return writer.integrity(remoteKey).fingerprint().length();
    }

    /**
     * Handles a STUN message from the peer; answers false, changing nothing, unless it is the
     * authenticated first answer to the check under way.
     */
    public boolean handle(StunReader message, long nowNanos) {
        boolean isAnswer = message.isBindingSuccess() || message.isBindingError();
        if (!isAnswer
                || answered
                || message.transactionIdHigh() != idHigh
                || message.transactionIdLow() != idLow
                || !message.hasValidFingerprint()
                || !remoteKey.verifies(message)) {
            return false;
        }
        answered = true;
        if (message.isBindingError()) {
            errorCode = message.errorCode();
            state = State.FAILED;
            return true;
        }
        if (requestsSent == 1) {
            roundTripNanos = nowNanos - firstSentNanos;
        }
        mappedHigh = message.xorMappedAddressHigh();
        mappedLow = message.xorMappedAddressLow();
        mappedPort = message.xorMappedPort();
        state = State.CONNECTED;
        nominated |= nominates;
        consentEndNanos = nowNanos + CONSENT_TIMEOUT_NANOS;
        nextNanos = needsAnswer() ? nowNanos : nowNanos + consentInterval();
        return true;
    }

    /**
     * Answers a check of the peer, RFC 8445 7.3.
     *
     * @param fromHigh high 8 bytes of the address that it came from
     * @param out with room for {@link StunWriter#MAX_LENGTH} bytes at the offset
     * @return bytes to send back, 0 when it is no check for this agent
     */
    public int answer(
            StunReader check,
            long fromHigh,
            long fromLow,
            int fromPort,
            ByteBuffer out,
            int offset) {
        if (!check.isBindingRequest()
                || !check.usernameEquals(answersTo)
                || !check.hasValidFingerprint()
                || !localKey.verifies(check)) {
            return 0;
        }
        return writer.bindingSuccess(out, offset, check)
                .xorMappedAddress(fromHigh, fromLow, fromPort)
                .integrity(localKey)
                .fingerprint()
                .length();
    }

    /** High 8 bytes of the address under which the peer sees us. */
    public long mappedHigh() {
        return mappedHigh;
    }

    public long mappedLow() {
        return mappedLow;
    }

    public int mappedPort() {
        return mappedPort;
    }

    /** Time from a check that was not retransmitted to its answer; 0 until there was one. */
    public long roundTripNanos() {
        return roundTripNanos;
    }

    /** The error that the peer answered, 0 for none. */
    public int errorCode() {
        return errorCode;
    }
}
