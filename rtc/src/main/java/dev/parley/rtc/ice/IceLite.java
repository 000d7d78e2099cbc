package dev.parley.rtc.ice;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The lite side of ICE for one session, RFC 8445: answers checks, knows where media goes, and
 * watches consent. It never sends a check of its own and learns the client from the client's
 * checks. One per session, owned by the loop that owns the session; it has no clock and no socket.
 *
 * <p>Departures: strangers get no reply. RFC 8489 9.1.3 would have a wrong or missing
 * MESSAGE-INTEGRITY answered with 401 or 400; such messages are dropped, so that nobody without the
 * password can make us send. Checks without PRIORITY or ICE-CONTROLLING are answered like others.
 */
public final class IceLite {
    /** Valid paths that are kept; the one heard longest ago makes room for a new one. */
    public static final int MAX_PATHS = 8;

    /**
     * How long the selected path may be silent until a check without USE-CANDIDATE on another path
     * takes over. A client behind a NAT that rebinds may see nothing to nominate anew: for the
     * client it is still the same pair. Longer than the 6 seconds between consent checks (RFC 7675
     * 5.1).
     */
    public static final long SILENT_PATH_NANOS = 8_000_000_000L;

    private final byte[] ufrag;
    private final StunIntegrity integrity;
    private final long consentTimeoutNanos;
    private final StunWriter writer = new StunWriter();

    private final Pair[] pairs = new Pair[MAX_PATHS];
    private int pairCount;
    private @Nullable Pair selected;
    private @Nullable IcePath forgotten;
    private int answerLength;

    /** A path on which an authenticated check arrived. */
    private static final class Pair {
        final IcePath path = new IcePath();
        long checkedNanos;
        long heardNanos;
    }

    /**
     * Waits for the first check.
     *
     * @param local what our SDP answer says
     * @param consentTimeoutNanos how long a path stays usable after its last check; RFC 7675 5.1
     *     says 30 seconds
     */
    public IceLite(IceCredentials local, long consentTimeoutNanos) {
        this.ufrag = local.ufrag().getBytes(StandardCharsets.US_ASCII);
        this.integrity = StunIntegrity.shortTerm(local.password());
        this.consentTimeoutNanos = consentTimeoutNanos;
    }

    /**
     * Handles one STUN message.
     *
     * @param message a wrapped message
     * @param from how it came; copied when kept
     * @param answer takes the answer; must not overlap the message, with room for {@link
     *     StunWriter#MAX_LENGTH} bytes at the offset
     * @return what became of it; {@link #answerLength} tells whether to send something back to
     *     {@code from}
     */
    public IceVerdict handle(
            StunReader message, IcePath from, long nowNanos, ByteBuffer answer, int answerOffset) {
        answerLength = 0;
        if (!message.isBindingRequest()) {
            return message.isBindingIndication() ? IceVerdict.KEEPALIVE : IceVerdict.NOT_A_CHECK;
        }
        // RFC 8445 7.3: the USERNAME is valid when its part in front of the colon is our ufrag.
        if (!isForUs(message)) {
            return IceVerdict.WRONG_USERNAME;
        }
        if (message.hasFingerprint() && !message.hasValidFingerprint()) {
            return IceVerdict.WRONG_FINGERPRINT;
        }
        if (!integrity.verifies(message)) {
            return IceVerdict.WRONG_INTEGRITY;
        }
        // RFC 8489 6.3.1: after authentication, unknown comprehension-required attributes are 420.
        if (message.unknownCount() > 0) {
            writer.bindingError(answer, answerOffset, message, 420).unknownAttributes(message);
            return answered(IceVerdict.UNKNOWN_ATTRIBUTE);
        }
        // RFC 8445 7.3.1.1: with the larger tie-breaker we should become controlling, but 6.1.1
        // says
        // that "the lite agent MUST take the controlled role". So ours counts as the smallest one.
        if (message.hasIceControlled()) {
            writer.bindingError(answer, answerOffset, message, 487);
            return answered(IceVerdict.ROLE_CONFLICT);
        }
        writer.bindingSuccess(answer, answerOffset, message)
                .xorMappedAddress(from.clientHigh(), from.clientLow(), from.clientPort());
        return answered(learn(from, message.hasUseCandidate(), nowNanos));
    }

    private boolean isForUs(StunReader message) {
        if (message.receiverUfragLength() != ufrag.length) {
            return false;
        }
        for (int i = 0; i < ufrag.length; i++) {
            if (message.buffer().get(message.usernameOffset() + i) != ufrag[i]) {
                return false;
            }
        }
        return true;
    }

    private IceVerdict answered(IceVerdict verdict) {
        answerLength = writer.integrity(integrity).fingerprint().length();
        return verdict;
    }

    private IceVerdict learn(IcePath from, boolean nominates, long nowNanos) {
        Pair known = find(from);
        Pair pair = known == null ? add(from, nowNanos) : known;
        pair.path.takeRelayOf(from);
        Pair before = selected;
        // Aggressive nomination (Firefox) names every pair it checks; the last one named counts.
        boolean moves =
                before == null
                        || (before != pair
                                && (nominates
                                        || nowNanos - before.heardNanos >= SILENT_PATH_NANOS));
        pair.checkedNanos = nowNanos;
        pair.heardNanos = nowNanos;
        if (moves) {
            selected = pair;
        }
        return moves ? IceVerdict.SELECTED : IceVerdict.ANSWERED;
    }

    private @Nullable Pair find(IcePath path) {
        for (int i = 0; i < pairCount; i++) {
            if (pairs[i].path.isSamePair(path)) {
                return pairs[i];
            }
        }
        return null;
    }

    private Pair add(IcePath from, long nowNanos) {
        Pair added = new Pair();
        added.path.copy(from);
        if (pairCount < MAX_PATHS) {
            pairs[pairCount++] = added;
            return added;
        }
        int oldest = -1;
        for (int i = 0; i < MAX_PATHS; i++) {
            if (pairs[i] != selected
                    && (oldest < 0
                            || nowNanos - pairs[i].heardNanos
                                    > nowNanos - pairs[oldest].heardNanos)) {
                oldest = i;
            }
        }
        forgotten = pairs[oldest].path;
        pairs[oldest] = added;
        return added;
    }

    /** Bytes that the last {@link #handle} wrote, 0 when there is nothing to send. */
    public int answerLength() {
        return answerLength;
    }

    /**
     * Notes that a packet which authenticates itself (SRTP, DTLS after the handshake) came in. On a
     * valid path it says by which relay the client is reached now. It never moves the selection,
     * and it does not renew consent.
     *
     * @return whether the path is valid
     */
    public boolean heard(IcePath from, long nowNanos) {
        Pair pair = find(from);
        if (pair == null || isExpired(pair, nowNanos)) {
            return false;
        }
        pair.path.takeRelayOf(from);
        pair.heardNanos = nowNanos;
        return true;
    }

    /**
     * Whether an authenticated check came on this path within the consent timeout. Only then may a
     * DTLS handshake be started for it.
     */
    public boolean isValid(IcePath path, long nowNanos) {
        Pair pair = find(path);
        return pair != null && !isExpired(pair, nowNanos);
    }

    private boolean isExpired(Pair pair, long nowNanos) {
        return pair.checkedNanos + consentTimeoutNanos - nowNanos <= 0;
    }

    /**
     * Where media goes: the path nominated last or, before any nomination, the first that was
     * checked. Null before the first check. The object stays ours and its relay may change.
     */
    public @Nullable IcePath findSelected() {
        Pair pair = selected;
        return pair == null ? null : pair.path;
    }

    /**
     * When consent to send ends, RFC 7675: the consent timeout after the last check on the selected
     * path. Before the first check there is no deadline, {@link Long#MAX_VALUE} after {@code
     * nowNanos}.
     */
    public long consentDeadlineNanos(long nowNanos) {
        Pair pair = selected;
        return pair == null ? nowNanos + Long.MAX_VALUE : pair.checkedNanos + consentTimeoutNanos;
    }

    /** Whether the client was there and has been silent for the consent timeout. */
    public boolean isConsentExpired(long nowNanos) {
        Pair pair = selected;
        return pair != null && isExpired(pair, nowNanos);
    }

    /** Valid and expired paths that are kept, at most {@link #MAX_PATHS}. */
    public int pathCount() {
        return pairCount;
    }

    /** A kept path, at an index below {@link #pathCount}. */
    public IcePath path(int index) {
        return pairs[index].path;
    }

    /**
     * Answers, once, the path that had to make room for another in the last {@link #handle}, so
     * that whoever indexes sessions by path can drop it; null when none had to.
     */
    public @Nullable IcePath pollForgotten() {
        IcePath path = forgotten;
        forgotten = null;
        return path;
    }
}
