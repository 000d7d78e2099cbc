package dev.parley.rtc.ice;

import dev.parley.rtc.ice.LocalCredentials.Generation;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The lite side of ICE for one session, RFC 8445: answers checks, knows where media goes, and
 * watches consent. It never sends a check of its own and learns the client from the client's
 * checks. One per session, owned by the loop that owns the session; it has no clock and no socket.
 *
 * <p>Media goes where the client nominates, at once. Yet a check may be recorded by someone on the
 * way and played back from a forged address, and then media would flood whoever lives there. RFC
 * 8445 19.4.1 leaves this to checks of our own, which a lite agent does not make. So:
 *
 * <ul>
 *   <li>A transaction that was seen before is answered again and does nothing else: it makes no
 *       path valid, moves nothing and renews no consent ({@link CheckMemory}).
 *   <li>A path is <i>proven</i> by SRTP or SRTCP that authenticates itself and came from there, or
 *       by a second transaction: a client stays with a path only if it hears our answers there.
 *   <li>To paths that are not proven a session sends {@link #UNPROVEN_PACKETS} at most; then the
 *       proven path before gets them as long as it is valid, and nobody otherwise. Only the proof
 *       of a path grants as many again.
 * </ul>
 *
 * <p>So a forger gets, for each packet, one answer that is no larger, and media for seconds only
 * with a check that the client made and we never saw. Somebody who holds a client's packets back to
 * send them on from elsewhere is that client's network, and beyond this.
 *
 * <p>Departures: strangers get no reply. RFC 8489 9.1.3 would have a wrong or missing
 * MESSAGE-INTEGRITY answered with 401 or 400; such messages are dropped, so that nobody without the
 * password can make us send. Checks without PRIORITY or ICE-CONTROLLING are answered like others.
 */
public final class IceLite {
    /**
     * Valid paths that are kept; the one heard longest ago makes room for a new one, but neither
     * the one in use nor the proven one before it.
     */
    public static final int MAX_PATHS = 8;

    /**
     * How long the selected path may be silent until a check without USE-CANDIDATE on another path
     * takes over. A client behind a NAT that rebinds may see nothing to nominate anew: for the
     * client it is still the same pair. Longer than the 6 seconds between consent checks (RFC 7675
     * 5.1).
     */
    public static final long SILENT_PATH_NANOS = 8_000_000_000L;

    /** Packets that paths get before they are proven: eight seconds of audio. */
    public static final int UNPROVEN_PACKETS = 400;

    private final LocalCredentials local;
    private final long consentTimeoutNanos;
    private final StunWriter writer = new StunWriter();

    private final CheckMemory seen;
    private final IcePair[] pairs = new IcePair[MAX_PATHS];
    private int pairCount;
    private @Nullable IcePair selected;
    private @Nullable IcePair provenBefore;
    private int unprovenPackets = UNPROVEN_PACKETS;
    private @Nullable IcePath forgotten;
    private int answerLength;
    private boolean arrived;

    /**
     * Waits for the first check.
     *
     * @param local what our SDP answer says
     * @param consentTimeoutNanos how long a path stays usable after its last check; RFC 7675 5.1
     *     says 30 seconds
     * @param seed any number that a client cannot guess
     */
    public IceLite(IceCredentials local, long consentTimeoutNanos, long seed) {
        this.local = new LocalCredentials(local);
        this.consentTimeoutNanos = consentTimeoutNanos;
        this.seen = new CheckMemory(seed);
    }

    /**
     * Begins an ICE restart, RFC 8445 9: checks with the new credentials are answered from now on,
     * those with the old ones until the client has moved. Paths, selection and consent stay.
     */
    public void restart(IceCredentials next) {
        local.restart(next);
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
        arrived = false;
        if (!message.isBindingRequest()) {
            return message.isBindingIndication() ? IceVerdict.KEEPALIVE : IceVerdict.NOT_A_CHECK;
        }
        // RFC 8445 7.3: the USERNAME is valid when its part in front of the colon is our ufrag.
        Generation generation = local.find(message, nowNanos);
        if (generation == null) {
            return IceVerdict.WRONG_USERNAME;
        }
        if (message.hasFingerprint() && !message.hasValidFingerprint()) {
            return IceVerdict.WRONG_FINGERPRINT;
        }
        if (!generation.integrity.verifies(message)) {
            return IceVerdict.WRONG_INTEGRITY;
        }
        // RFC 8489 6.3.1: after authentication, unknown comprehension-required attributes are 420.
        if (message.unknownCount() > 0) {
            writer.bindingError(answer, answerOffset, message, 420).unknownAttributes(message);
            return answered(generation, IceVerdict.UNKNOWN_ATTRIBUTE);
        }
        // RFC 8445 7.3.1.1: with the larger tie-breaker we should become controlling, but 6.1.1
        // says that "the lite agent MUST take the controlled role". So ours counts as the smallest
        // one.
        if (message.hasIceControlled()) {
            writer.bindingError(answer, answerOffset, message, 487);
            return answered(generation, IceVerdict.ROLE_CONFLICT);
        }
        writer.bindingSuccess(answer, answerOffset, message)
                .xorMappedAddress(from.clientHigh(), from.clientLow(), from.clientPort());
        if (!seen.add(message.transactionIdHigh(), message.transactionIdLow())) {
            return answered(generation, IceVerdict.REPEATED);
        }
        boolean nominates = message.hasUseCandidate();
        local.checked(generation, nominates, nowNanos);
        boolean moved = learn(from, nominates, local.mayMove(generation), nowNanos);
        return answered(generation, moved ? IceVerdict.SELECTED : IceVerdict.ANSWERED);
    }

    private IceVerdict answered(Generation generation, IceVerdict verdict) {
        answerLength = writer.integrity(generation.integrity).fingerprint().length();
        return verdict;
    }

    private boolean learn(IcePath from, boolean nominates, boolean mayMove, long nowNanos) {
        IcePair known = find(from);
        IcePair pair = known == null ? add(from, nowNanos) : known;
        pair.path.takeRelayOf(from);
        pair.contested = false;
        // Long after its last check the address may be somebody else's.
        arrived = known == null || known.isExpired(consentTimeoutNanos, nowNanos);
        if (arrived) {
            pair.proven = false;
        } else {
            prove(pair);
        }
        IcePair before = selected;
        // Aggressive nomination (Firefox) names every pair it checks; the last one named counts.
        boolean moves =
                before == null
                        || (before != pair
                                && mayMove
                                && (nominates
                                        || nowNanos - before.heardNanos >= SILENT_PATH_NANOS));
        pair.checkedNanos = nowNanos;
        pair.heardNanos = nowNanos;
        if (moves) {
            if (before != null && before.proven) {
                provenBefore = before;
            }
            selected = pair;
        }
        return moves;
    }

    private void prove(IcePair pair) {
        if (!pair.proven) {
            pair.proven = true;
            unprovenPackets = UNPROVEN_PACKETS;
        }
    }

    private @Nullable IcePair find(IcePath path) {
        for (int i = 0; i < pairCount; i++) {
            if (pairs[i].path.isSamePair(path)) {
                return pairs[i];
            }
        }
        return null;
    }

    private IcePair add(IcePath from, long nowNanos) {
        IcePair added = new IcePair();
        added.path.copy(from);
        if (pairCount < MAX_PATHS) {
            pairs[pairCount++] = added;
            return added;
        }
        int oldest = -1;
        for (int i = 0; i < MAX_PATHS; i++) {
            if (pairs[i] != selected
                    && pairs[i] != provenBefore
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
     * valid path it says by which relay the client is reached now, and proves that path. It never
     * moves the selection, and it does not renew consent.
     *
     * @return whether the path is valid
     */
    public boolean heard(IcePath from, long nowNanos) {
        IcePair pair = find(from);
        if (pair == null || pair.isExpired(consentTimeoutNanos, nowNanos)) {
            return false;
        }
        pair.path.takeRelayOf(from);
        pair.heardNanos = nowNanos;
        pair.contested = false;
        prove(pair);
        return true;
    }

    /**
     * Whether the last {@link #handle} has made a path valid that was not so before. Whoever had it
     * before has to {@link #contest} it.
     */
    public boolean hasArrived() {
        return arrived;
    }

    /**
     * Another session has arrived on this path. Most likely our client is gone and its address is
     * somebody else's now, who would take our DTLS for its own session's. Or one client has two
     * sessions, or somebody with a session of his own has forged its source. So from now on until
     * our client is heard on it again the path counts as {@link #isContested contested}, and gets
     * packets only while it was heard {@link #SILENT_PATH_NANOS} ago at most, so that no forger can
     * silence a client that is there.
     */
    public void contest(IcePath path) {
        IcePair pair = find(path);
        if (pair != null) {
            pair.contested = true;
        }
    }

    /** Whether the path is another session's, as far as is known. */
    public boolean isContested(IcePath path) {
        IcePair pair = find(path);
        return pair != null && pair.contested;
    }

    /**
     * Whether an authenticated check came on this path within the consent timeout. Only then may a
     * DTLS handshake be started for it.
     */
    public boolean isValid(IcePath path, long nowNanos) {
        IcePair pair = find(path);
        return pair != null && !pair.isExpired(consentTimeoutNanos, nowNanos);
    }

    /**
     * Where media goes: the path nominated last or, before any nomination, the first that was
     * checked. Null before the first check. The object stays ours and its relay may change.
     */
    public @Nullable IcePath findSelected() {
        IcePair pair = selected;
        return pair == null ? null : pair.path;
    }

    /**
     * Where the next packet goes, which counts against what an unproven path gets; null for
     * nowhere. The object stays ours and its relay may change.
     */
    public @Nullable IcePath claimPath(long nowNanos) {
        IcePair pair = selected;
        if (pair == null) {
            return null;
        }
        if (isOurs(pair, nowNanos)) {
            if (pair.proven) {
                return pair.path;
            }
            if (unprovenPackets > 0) {
                unprovenPackets--;
                return pair.path;
            }
        }
        IcePair before = provenBefore;
        return before == null
                        || before.isExpired(consentTimeoutNanos, nowNanos)
                        || !isOurs(before, nowNanos)
                ? null
                : before.path;
    }

    private static boolean isOurs(IcePair pair, long nowNanos) {
        return !pair.contested || nowNanos - pair.heardNanos < SILENT_PATH_NANOS;
    }

    /**
     * When consent to send ends, RFC 7675: the consent timeout after the last check on the selected
     * path. Before the first check there is no deadline, {@link Long#MAX_VALUE} after {@code
     * nowNanos}.
     */
    public long consentDeadlineNanos(long nowNanos) {
        IcePair pair = selected;
        return pair == null ? nowNanos + Long.MAX_VALUE : pair.checkedNanos + consentTimeoutNanos;
    }

    /**
     * Whether no path is left to send on. Consent belongs to one candidate pair: once it has ended
     * for the selected path, the valid one that was checked last takes over.
     *
     * @return true when the client was there and none of its paths has consent
     */
    public boolean isConsentLost(long nowNanos) {
        IcePair before = selected;
        if (before == null || !before.isExpired(consentTimeoutNanos, nowNanos)) {
            return false;
        }
        // RFC 7675 5.1: sending stops on the pair whose consent has expired; others have their own.
        IcePair next = findLastChecked();
        if (next.isExpired(consentTimeoutNanos, nowNanos)) {
            return true;
        }
        selected = next;
        return false;
    }

    private IcePair findLastChecked() {
        IcePair last = pairs[0];
        for (int i = 1; i < pairCount; i++) {
            if (pairs[i].checkedNanos - last.checkedNanos > 0) {
                last = pairs[i];
            }
        }
        return last;
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
