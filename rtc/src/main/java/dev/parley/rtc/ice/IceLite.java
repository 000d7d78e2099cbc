package dev.parley.rtc.ice;

import dev.parley.rtc.ice.LocalCredentials.Generation;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The lite side of ICE for one session, RFC 8445: answers checks, knows where media goes, and
 * watches consent. It learns the client from the client's checks. One per session, owned by the
 * loop that owns the session; it has no clock and no socket.
 *
 * <p>Media goes where the client nominates, at once. Yet a check may come from a forged address: of
 * somebody on the way who has recorded it, or of a client that turns its own call on a third party,
 * and knows all its passwords and keys. Then media would flood whoever lives there. So:
 *
 * <ul>
 *   <li>A transaction that was seen before is answered again and does nothing else: it makes no
 *       path valid, moves nothing and renews no consent ({@link CheckMemory}).
 *   <li>A path is <i>proven</i> only by what nobody can know who does not receive there: a DTLS
 *       handshake all of whose datagrams went there, or the answer to a check of our own ({@link
 *       ReturnCheck}), which is made when media has moved. What the client sends proves nothing.
 *   <li>Paths that are not proven get little ({@link UnprovenBudget}); then the proven path before
 *       gets media as long as it is valid, and nobody otherwise.
 * </ul>
 *
 * <p>Departures: RFC 8445 2.5 has no checks of a lite agent's, and 19.4.1 leaves the above to
 * those; full agents answer them to whomever (7.3), so ours verify what a full agent's would, and
 * never nominate. Strangers get no reply: RFC 8489 9.1.3 would have a wrong or missing
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

    /**
     * The same when the client's media comes from the other path as well: what it sends there it
     * does not send on the selected one.
     */
    public static final long LEFT_PATH_NANOS = 1_000_000_000L;

    private final LocalCredentials local;
    private final long consentTimeoutNanos;
    private final StunWriter writer = new StunWriter();

    private final CheckMemory seen;
    private final IcePairs pairs = new IcePairs();
    private final ReturnPath returnPath;
    private @Nullable IcePair selected;
    private @Nullable DtlsInStun carried;
    private int answerLength;
    private boolean answerCarriesDtls;
    private boolean arrived;

    /**
     * Waits for the first check.
     *
     * @param local what our SDP answer says
     * @param remote what the client's offer says
     * @param consentTimeoutNanos how long a path stays usable after its last check; RFC 7675 5.1
     *     says 30 seconds
     * @param random one that a client cannot predict
     */
    public IceLite(
            IceCredentials local,
            IceCredentials remote,
            long consentTimeoutNanos,
            RandomGenerator random) {
        this.local = new LocalCredentials(local, remote);
        this.consentTimeoutNanos = consentTimeoutNanos;
        this.seen = new CheckMemory(random.nextLong());
        this.returnPath = new ReturnPath(random);
    }

    /**
     * Begins an ICE restart, RFC 8445 9: checks with the new credentials are answered from now on,
     * those with the old ones until the client has moved. Paths, selection and consent stay.
     *
     * @param remote the client's own new ones
     */
    public void restart(IceCredentials next, IceCredentials remote) {
        local.restart(next, remote);
    }

    /** Carries DTLS in answers from now on, for a client that has negotiated it and asks for it. */
    public void carry(DtlsInStun dtls) {
        carried = dtls;
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
        answerCarriesDtls = false;
        arrived = false;
        if (message.isBindingSuccess()) {
            return takeAnswer(message, from, nowNanos);
        }
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
            // Wherever it comes from again, it gets no more than it has sent, and no DTLS.
            acknowledgeDtls(message, message.length());
            return answered(generation, IceVerdict.REPEATED);
        }
        IcePair before = selected;
        IcePair pair = learn(message, generation, from, nowNanos);
        IceVerdict verdict = selected == before ? IceVerdict.ANSWERED : IceVerdict.SELECTED;
        carryDtls(message, pair);
        var _ = answered(generation, verdict);
        returnPath.answered(pair, answerLength, answerCarriesDtls);
        return verdict;
    }

    private IceVerdict answered(Generation generation, IceVerdict verdict) {
        answerLength = writer.integrity(generation.integrity).fingerprint().length();
        return verdict;
    }

    private void acknowledgeDtls(StunReader check, long roomBytes) {
        if (carried != null) {
            carried.acknowledge(check, writer, attributesEnd(roomBytes));
        }
    }

    private static int attributesEnd(long roomBytes) {
        return (int) Math.min(StunWriter.MAX_LENGTH, roomBytes) - StunWriter.END_LENGTH;
    }

    // On the selected path alone, as all DTLS of ours: what ends there proves that one.
    private void carryDtls(StunReader check, IcePair pair) {
        DtlsInStun dtls = carried;
        if (dtls == null) {
            return;
        }
        dtls.read(check);
        acknowledgeDtls(check, UnprovenBudget.answerRoom(pair));
        if (pair == selected
                && dtls.carry(check, writer, attributesEnd(returnPath.dtlsRoom(pair)))) {
            answerCarriesDtls = true;
            returnPath.shakesHands(pair);
        }
    }

    private IcePair learn(StunReader check, Generation generation, IcePath from, long nowNanos) {
        boolean nominates = check.hasUseCandidate();
        local.checked(generation, nominates, nowNanos);
        IcePair known = pairs.find(from);
        IcePair pair =
                known == null
                        ? pairs.add(from, generation, selected, returnPath.provenBefore(), nowNanos)
                        : known;
        pair.path.takeRelayOf(from);
        pair.generation = generation;
        pair.contested = false;
        // Long after its last check the address may be somebody else's.
        arrived = known == null || known.isExpired(consentTimeoutNanos, nowNanos);
        if (arrived) {
            pair.forgetProof();
        }
        returnPath.received(pair, check.length());
        IcePair before = selected;
        // Aggressive nomination (Firefox) names every pair it checks; the last one named counts.
        boolean moves =
                before == null
                        || (before != pair
                                && local.mayMove(generation)
                                && (nominates
                                        || nowNanos - before.heardNanos >= SILENT_PATH_NANOS));
        pair.checkedNanos = nowNanos;
        pair.heardNanos = nowNanos;
        if (moves) {
            select(pair, nowNanos);
        } else if (pair == before) {
            returnPath.check(pair, nowNanos);
        }
        return pair;
    }

    private void select(IcePair pair, long nowNanos) {
        if (selected != null) {
            returnPath.moved(selected);
        }
        selected = pair;
        returnPath.check(pair, nowNanos);
    }

    private IceVerdict takeAnswer(StunReader message, IcePath from, long nowNanos) {
        IcePair pair = findValid(from, nowNanos);
        if (pair == null) {
            return IceVerdict.PROVES_NOTHING;
        }
        IceVerdict verdict = returnPath.takeAnswer(message, pair, selected, nowNanos);
        if (verdict == IceVerdict.PROVEN) {
            pair.path.takeRelayOf(from);
            pair.heardNanos = nowNanos;
        }
        return verdict;
    }

    private @Nullable IcePair findValid(IcePath path, long nowNanos) {
        IcePair pair = pairs.find(path);
        return pair == null || pair.isExpired(consentTimeoutNanos, nowNanos) ? null : pair;
    }

    /** When {@link #pollCheck} has something to do next. */
    public long checkDeadlineNanos(long nowNanos) {
        IcePair pair = selected;
        ReturnCheck asked = pair == null ? null : pair.returnCheck;
        return asked == null ? nowNanos + Long.MAX_VALUE : asked.deadlineNanos(nowNanos);
    }

    /**
     * Writes our own check of the selected path when it is due, RFC 8445 7.2.
     *
     * @param out with room for {@link StunWriter#MAX_LENGTH} bytes at the offset
     * @return bytes to send along {@link #findSelected}, 0 for nothing
     */
    public int pollCheck(long nowNanos, ByteBuffer out, int offset) {
        IcePair pair = selected;
        return pair == null ? 0 : returnPath.poll(pair, nowNanos, writer, out, offset);
    }

    /** Bytes that the last {@link #handle} wrote, 0 when there is nothing to send. */
    public int answerLength() {
        return answerLength;
    }

    /** Whether what the last {@link #handle} wrote has DTLS in it. */
    public boolean answerCarriesDtls() {
        return answerCarriesDtls;
    }

    /**
     * Notes that a packet which authenticates itself (SRTP, DTLS after the handshake) came in. On a
     * valid path it says by which relay the client is reached now. It does not renew consent, and
     * moves the selection only together with a check from there, which has come since the selected
     * path fell silent.
     *
     * @return whether it has moved the selection
     */
    public boolean heard(IcePath from, int lengthBytes, long nowNanos) {
        IcePair pair = findValid(from, nowNanos);
        if (pair == null) {
            return false;
        }
        pair.path.takeRelayOf(from);
        pair.contested = false;
        returnPath.received(pair, lengthBytes);
        boolean moves = pair != selected && isLeftFor(pair, nowNanos);
        pair.heardNanos = nowNanos;
        if (moves) {
            select(pair, nowNanos);
        }
        return moves;
    }

    private boolean isLeftFor(IcePair pair, long nowNanos) {
        IcePair before = selected;
        return before != null
                && nowNanos - before.heardNanos >= LEFT_PATH_NANOS
                && pair.checkedNanos - before.heardNanos > 0
                && local.mayMove(pair.generation);
    }

    /**
     * Whether a DTLS handshake may be started for this path, or goes on: when an authenticated
     * check came on it within the consent timeout. What comes from there counts for what it gets.
     */
    public boolean shakesHands(IcePath from, int lengthBytes, long nowNanos) {
        IcePair pair = findValid(from, nowNanos);
        if (pair != null) {
            returnPath.received(pair, lengthBytes);
        }
        return pair != null;
    }

    /**
     * The DTLS handshake is done. If all of our side of it went along one path, that one is proven:
     * nobody finishes a handshake of which he has received nothing.
     */
    public void handshakeDone(long nowNanos) {
        returnPath.handshakeDone(selected, nowNanos);
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
        IcePair pair = pairs.find(path);
        if (pair != null) {
            pair.contested = true;
        }
    }

    /** Whether the path is another session's, as far as is known. */
    public boolean isContested(IcePath path) {
        IcePair pair = pairs.find(path);
        return pair != null && pair.contested;
    }

    /** Whether an authenticated check came on this path within the consent timeout. */
    public boolean isValid(IcePath path, long nowNanos) {
        return findValid(path, nowNanos) != null;
    }

    /**
     * How long nothing was heard from a client address, {@link Long#MAX_VALUE} when none of the
     * paths has it.
     */
    public long silentNanos(IcePath client, long nowNanos) {
        return pairs.silentNanos(client, nowNanos);
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
     * Where a packet of so many bytes goes, which counts against what an unproven path gets; null
     * for nowhere. Until {@link #handshakeDone} it leaves something there to the handshake. The
     * object stays ours and its relay may change.
     */
    public @Nullable IcePath claimPath(int lengthBytes, long nowNanos) {
        IcePair pair = claim(lengthBytes, false, nowNanos);
        return pair == null ? null : pair.path;
    }

    /** The same for a datagram of the DTLS handshake, until {@link #handshakeDone}. */
    public @Nullable IcePath claimHandshakePath(int lengthBytes, long nowNanos) {
        IcePair pair = claim(lengthBytes, true, nowNanos);
        if (pair == null) {
            return null;
        }
        returnPath.shakesHands(pair);
        return pair.path;
    }

    private @Nullable IcePair claim(int lengthBytes, boolean ofHandshake, long nowNanos) {
        IcePair pair = selected;
        if (pair == null) {
            return null;
        }
        if (isOurs(pair, nowNanos) && returnPath.claim(pair, lengthBytes, ofHandshake)) {
            return pair;
        }
        IcePair before = returnPath.provenBefore();
        return before == null
                        || before.isExpired(consentTimeoutNanos, nowNanos)
                        || !isOurs(before, nowNanos)
                ? null
                : before;
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
        IcePair next = pairs.lastChecked();
        if (next.isExpired(consentTimeoutNanos, nowNanos)) {
            return true;
        }
        select(next, nowNanos);
        return false;
    }

    /** Valid and expired paths that are kept, at most {@link #MAX_PATHS}. */
    public int pathCount() {
        return pairs.count();
    }

    /** A kept path, at an index below {@link #pathCount}. */
    public IcePath path(int index) {
        return pairs.get(index).path;
    }

    /**
     * Answers, once, the path that had to make room for another in the last {@link #handle}, so
     * that whoever indexes sessions by path can drop it; null when none had to.
     */
    public @Nullable IcePath pollForgotten() {
        return pairs.pollForgotten();
    }
}
