package dev.parley.transceiver.control;

import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.Fingerprint;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.sdp.SdpAnswer;
import dev.parley.rtc.sdp.SdpCandidate;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.rtc.sdp.SdpException;
import dev.parley.rtc.sdp.SdpFingerprint;
import dev.parley.rtc.sdp.SdpFragment;
import dev.parley.rtc.sdp.SdpOffer;
import dev.parley.rtc.sdp.SdpSetup;
import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.session.SessionId;
import dev.parley.transceiver.session.SessionSpec;
import dev.parley.transceiver.session.Snap;
import io.grpc.Status;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Offer and answer of one call, RFC 3264: the first, and later ones, which may restart ICE and
 * change the direction and must leave everything else as it is. Kept with the call; guarded by
 * itself, since control requests about one call may come together.
 */
final class Negotiation {
    /**
     * What a call's process and its media loop bring in.
     *
     * @param red whether clients that offer redundant audio are to send it
     * @param nack whether clients are asked to send lost packets again
     * @param sped whether DTLS is carried in STUN for clients that offer it
     * @param snap whether clients that offer SCTP's INIT chunk in SDP are answered ours
     */
    record Sides(
            RouteMint routes,
            DtlsIdentity identity,
            RandomGenerator random,
            boolean red,
            boolean nack,
            boolean sped,
            boolean snap) {}

    /**
     * What became of a change.
     *
     * @param text the answer, null when there is nothing to say
     * @param generation ICE restarts so far, this one included
     */
    record Taken(@Nullable String text, int generation) {}

    /** Earlier credentials of a client that are known again. */
    private static final int MAX_EARLIER = 16;

    private final SessionId id;
    private final Sides sides;
    private final long originId;
    private final int ssrc;
    private final String cname;
    private final @Nullable String mid;

    private SdpOffer offer;
    private final Deque<String> earlierUfrags = new ArrayDeque<>();
    private IceCredentials remote;
    private IceCredentials local;
    private SdpAnswer answer;
    // What a call begins without it cannot get later.
    private boolean withoutData;
    private final boolean sped;
    private final @Nullable Snap snap;
    private long version = 1;
    private int generation;

    /**
     * Answers a call's first offer.
     *
     * @param candidates public relay addresses to advertise
     */
    Negotiation(SessionId id, SdpOffer offer, List<SdpCandidate> candidates, Sides sides)
            throws RefusedException {
        this.id = id;
        this.sides = sides;
        this.originId = sides.random().nextLong(Long.MAX_VALUE);
        this.ssrc = newSsrc(sides.random(), offer.lead().ssrcs());
        this.cname = HexFormat.of().toHexDigits(sides.random().nextLong());
        this.mid = offer.lead().findMid();
        this.offer = offer;
        this.remote = offer.transport().credentials();
        this.local = mint();
        this.sped = sides.sped() && offer.transport().sped();
        this.snap = sides.snap() ? Snap.find(offer, sides.random()) : null;
        this.answer = answer(offer, candidates, offer.transport().setup().answer());
        this.withoutData = answer.data() == null;
    }

    /** RFC 3550 8.1: one that the client does not use. */
    private static int newSsrc(RandomGenerator random, List<Integer> taken) {
        int ssrc = random.nextInt();
        while (taken.contains(ssrc)) {
            ssrc = random.nextInt();
        }
        return ssrc;
    }

    private IceCredentials mint() {
        return IceCredentials.withUfrag(sides.routes().mint(id, generation), sides.random());
    }

    private SdpAnswer answer(SdpOffer to, List<SdpCandidate> candidates, SdpSetup setup)
            throws RefusedException {
        Fingerprint own = sides.identity().fingerprint();
        try {
            return SdpAnswer.builder(to)
                    .session(originId, version)
                    .credentials(local)
                    .fingerprint(new SdpFingerprint(own.hashFunction(), own.value()))
                    .setup(setup)
                    .candidates(candidates)
                    .source(ssrc, cname)
                    .red(sides.red())
                    .nack(sides.nack())
                    .data(!withoutData)
                    .sped(sped)
                    .sctpInit(snap == null ? null : snap.own().text())
                    .build();
        } catch (SdpException e) {
            throw RefusedException.badSdp(e);
        } catch (IllegalArgumentException e) {
            throw unlike("another DTLS role than the call has");
        }
    }

    /** The answer to the last offer. */
    synchronized SdpAnswer answer() {
        return answer;
    }

    /** ICE restarts so far. */
    synchronized int generation() {
        return generation;
    }

    /**
     * What the first offer and answer have settled.
     *
     * @param output of what we send
     */
    synchronized SessionSpec spec(String model, OutputFormat output) {
        return new SessionSpec(
                id,
                model,
                local,
                remote,
                answer.setup() == SdpSetup.ACTIVE ? DtlsRole.CLIENT : DtlsRole.SERVER,
                sides.identity(),
                offer.transport().fingerprints().stream()
                        .map(f -> new Fingerprint(f.algorithm(), f.value()))
                        .toList(),
                answer.formats(),
                output,
                answer.audioLevelId(),
                ssrc,
                cname,
                answer.direction(),
                offer.lead().protocol().endsWith("F"),
                sped,
                answer.data(),
                snap);
    }

    /** Carries out on a session what was negotiated anew. */
    interface Change {
        /** It answers checks with new credentials from now on; the client has new ones as well. */
        void restart(IceCredentials fresh, IceCredentials remote) throws RefusedException;

        /** Its audio flows this way from now on. */
        void direct(SdpDirection direction);
    }

    /**
     * Answers a later offer; when its credentials are new, that restarts ICE (RFC 8839 4.4.1.1). It
     * may change the direction, RFC 3264 8.4: hold, resume.
     *
     * @param meantFor the ICE session that the client means, if it says so
     */
    synchronized Taken take(
            SdpOffer next, OptionalInt meantFor, List<SdpCandidate> candidates, Change change)
            throws RefusedException {
        requireGeneration(meantFor);
        requireLike(next);
        IceCredentials nextRemote = next.transport().credentials();
        Last last = new Last();
        try {
            version++;
            boolean restarts = restarts(nextRemote);
            SdpAnswer nextAnswer = answer(next, candidates, answer.setup());
            requireSame(nextAnswer);
            if (restarts) {
                change.restart(local, nextRemote);
            }
            if (nextAnswer.direction() != answer.direction()) {
                change.direct(nextAnswer.direction());
            }
            offer = next;
            settle(nextRemote);
            answer = nextAnswer;
            last.settled = true;
            return new Taken(answer.text(), generation);
        } finally {
            last.restoreUnlessSettled();
        }
    }

    /**
     * Takes a fragment. It belongs to the ICE session whose ufrag it names, RFC 8840. One of a
     * session that was left, a candidate that was on its way during a restart, changes nothing.
     *
     * @param meantFor the ICE session that the client means, if it says so
     * @param wantsRestart whether the client waits for credentials, and so gets them again when it
     *     repeats a request whose answer was lost
     */
    synchronized Taken take(
            SdpFragment fragment,
            OptionalInt meantFor,
            boolean wantsRestart,
            List<SdpCandidate> candidates,
            Change change)
            throws RefusedException {
        requireGeneration(meantFor);
        IceCredentials nextRemote = fragment.credentials();
        if (nextRemote == null
                || (nextRemote.equals(remote) && !wantsRestart)
                || earlierUfrags.contains(nextRemote.ufrag())) {
            return new Taken(null, generation);
        }
        Last last = new Last();
        try {
            if (restarts(nextRemote)) {
                change.restart(local, nextRemote);
                settle(nextRemote);
            }
            last.settled = true;
            return new Taken(SdpFragment.answer(local, mid, candidates), generation);
        } finally {
            last.restoreUnlessSettled();
        }
    }

    /** Prepares a restart if the client's credentials are new. */
    private boolean restarts(IceCredentials nextRemote) {
        if (nextRemote.equals(remote)) {
            return false;
        }
        generation++;
        local = mint();
        return true;
    }

    /** The client goes on with these; an offer may also go back to those that it had before. */
    private void settle(IceCredentials nextRemote) {
        if (nextRemote.equals(remote)) {
            return;
        }
        earlierUfrags.addLast(remote.ufrag());
        earlierUfrags.remove(nextRemote.ufrag());
        if (earlierUfrags.size() > MAX_EARLIER) {
            earlierUfrags.removeFirst();
        }
        remote = nextRemote;
    }

    // Under the lock under which it changes: of two that mean the same session one comes too late.
    private void requireGeneration(OptionalInt meantFor) throws RefusedException {
        if (meantFor.isPresent() && meantFor.getAsInt() != generation) {
            throw new RefusedException(
                    Status.Code.FAILED_PRECONDITION,
                    "ice_session_changed",
                    null,
                    "this is meant for ICE session "
                            + meantFor.getAsInt()
                            + ", the call is in "
                            + generation);
        }
    }

    /** Where a change began, to go back to when it fails. */
    private final class Last {
        private final IceCredentials lastLocal = local;
        private final int lastGeneration = generation;
        private final long lastVersion = version;
        private boolean settled;

        void restoreUnlessSettled() {
            if (!settled) {
                local = lastLocal;
                generation = lastGeneration;
                version = lastVersion;
            }
        }
    }

    /** RFC 3264 8: m-sections keep their order, and the one in use stays in use. */
    private void requireLike(SdpOffer next) throws RefusedException {
        if (next.media().size() < offer.media().size()
                || next.media().indexOf(next.lead()) != offer.media().indexOf(offer.lead())
                || !String.valueOf(next.lead().findMid()).equals(String.valueOf(mid))) {
            throw unlike("other m-sections than the call has");
        }
        List<SdpFingerprint> known = offer.transport().fingerprints();
        if (next.transport().fingerprints().stream().noneMatch(known::contains)) {
            throw unlike("another certificate than the call has");
        }
    }

    private void requireSame(SdpAnswer next) throws RefusedException {
        if (!next.agreesWith(answer)) {
            throw unlike("other codecs or extensions than the call has");
        }
    }

    private static RefusedException unlike(String what) {
        return new RefusedException(
                Status.Code.INVALID_ARGUMENT,
                "unsupported_renegotiation",
                "sdp",
                "the offer has "
                        + what
                        + "; a later offer can restart ICE and change the direction, for anything"
                        + " else make a new call");
    }
}
