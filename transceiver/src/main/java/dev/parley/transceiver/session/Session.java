package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.DtlsSession;
import dev.parley.rtc.ice.DtlsInStun;
import dev.parley.rtc.ice.IceLite;
import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.ice.IceVerdict;
import dev.parley.rtc.sdp.SdpData;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.rtc.stun.StunReader;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.session.SetupPhases.Phase;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One call on its media loop: ICE, then DTLS, then media, until something ends it. Only the loop's
 * thread touches it once it was added; the DTLS thread and inference speak to it through the loop.
 *
 * <p>States go one way, NEW, CONNECTING, CONNECTED, and from each of them to ENDED. {@link #end} is
 * the only way there: it notes the reason, and the loop then retires the session.
 */
public final class Session {
    /** Where a session stands. */
    public enum State {
        /** The answer is out, no authenticated check has come. */
        NEW,
        /** An authenticated check has come, DTLS is not done. */
        CONNECTING,
        /** Media flows. */
        CONNECTED,
        /** It is over. */
        ENDED
    }

    /** Why a session ends, and what a person should know about it. */
    record Ending(EndReason reason, String message) {}

    /** When a call asks again whether its handshake may begin. */
    private static final long HANDSHAKE_RETRY_NANOS = 20_000_000L;

    /**
     * After so long without a word from the client a handshake leaves its place to others and goes
     * on without one, so that clients who fall silent keep nobody out.
     */
    private static final long HANDSHAKE_SILENCE_NANOS = 200_000_000L;

    /** What is still in the client's jitter buffer when the last packet of a farewell has left. */
    private static final long HANGUP_GRACE_NANOS = 200_000_000L;

    /** How long a hang-up waits for the client to acknowledge its last events. */
    private static final long FLUSH_NANOS = 1_000_000_000L;

    private static final long FLUSH_CHECK_NANOS = 20_000_000L;

    private final SessionSpec spec;
    private final SessionLimits limits;
    private final SetupPhases phases;
    private final InferenceCall inference;
    private final MediaLoop loop;
    private final IceLite ice;
    private final @Nullable DtlsInStun inStun;
    private final DtlsEndpoint dtls;
    private final SessionMedia media;
    private final @Nullable SessionData data;
    private final Timers.Entry<Session> timer = new Timers.Entry<>(this);

    private State state = State.NEW;
    private @Nullable Ending ending;
    private boolean handshakeBegun;
    private final EarlyOutput early = new EarlyOutput();
    private boolean hasHandshakePlace;
    private long handshakeHeardNanos;
    private long dataRecords;
    private long activity;
    private long activeNanos;
    private boolean hangingUp;
    private long hangupNanos;
    private String hangupMessage = "";

    /**
     * @param inference connected to its backend
     * @param loop that it will be added to
     */
    public Session(
            SessionSpec spec,
            SessionLimits limits,
            SetupPhases phases,
            InferenceCall inference,
            DtlsHandshake handshake,
            MediaLoop loop) {
        this.spec = spec;
        this.limits = limits;
        this.phases = phases;
        this.inference = inference;
        this.loop = loop;
        this.ice = new IceLite(spec.local(), spec.remote(), limits.consentNanos(), loop.random());
        this.inStun = spec.sped() ? new DtlsInStun() : null;
        if (inStun != null) {
            ice.carry(inStun);
        }
        this.dtls = new DtlsEndpoint(handshake, spec, phases.work(), new DtlsReports(this, loop));
        this.activeNanos = phases.createdNanos();
        this.media =
                new SessionMedia(
                        spec,
                        limits,
                        inference,
                        ice,
                        loop,
                        phases.observer(),
                        this::hangUpAfterGrace);
        SdpData terms = spec.data();
        if (terms == null) {
            inference.noChannels();
        }
        this.data =
                terms == null
                        ? null
                        : new SessionData(
                                terms,
                                spec.snap(),
                                spec.role(),
                                inference,
                                loop.counters(),
                                loop.random(),
                                dtls::sendData);
    }

    public SessionId id() {
        return spec.id();
    }

    public SetupPhases phases() {
        return phases;
    }

    SessionSpec spec() {
        return spec;
    }

    /** Where more clients of its events join. */
    public InferenceCall inference() {
        return inference;
    }

    State state() {
        return state;
    }

    Timers.Entry<Session> timer() {
        return timer;
    }

    IceLite ice() {
        return ice;
    }

    /** Whether the session waits for DTLS from there, so that DTLS of a shared address is its. */
    boolean shakesHandsWith(IcePath from, long nowNanos) {
        return state == State.CONNECTING && ice.isValid(from, nowNanos) && !ice.isContested(from);
    }

    @Nullable Ending ending() {
        return ending;
    }

    /** Ends the session; only the first reason counts. */
    void end(EndReason reason, String message) {
        if (ending == null) {
            ending = new Ending(reason, message);
        }
    }

    // --- what comes from the client

    /** Takes a STUN message meant for this session and answers it. */
    IceVerdict receiveStun(StunReader message, IcePath from, long nowNanos) {
        Outbox outbox = loop.outbox();
        IceVerdict verdict =
                ice.handle(message, from, nowNanos, outbox.bytes(), outbox.payloadOffset());
        if (ice.answerLength() > 0) {
            outbox.commit(from, ice.answerLength());
        }
        if (ice.answerCarriesDtls()) {
            LoopCounters.add(loop.counters().dtlsInAnswers, 1);
        }
        if (verdict == IceVerdict.ANSWERED || verdict == IceVerdict.SELECTED) {
            checked(nowNanos);
            takeDtls(message, from, nowNanos);
        }
        if (verdict == IceVerdict.SELECTED) {
            phases.observer().pathSelected(from, nowNanos);
        }
        return verdict;
    }

    /** Takes the DTLS datagram in a check, if there is one and that was agreed on. */
    private void takeDtls(StunReader check, IcePath from, long nowNanos) {
        if (inStun == null || !DtlsInStun.isIn(check)) {
            return;
        }
        LoopCounters.add(loop.counters().dtlsInChecks, 1);
        // Most of them are copies of what came by itself, which say nothing of the client's pace;
        // that DTLS wants no more is nothing to count.
        if (inStun.isNew()) {
            var _ =
                    offerDtls(
                            from, check.buffer(), check.dtlsOffset(), check.dtlsLength(), nowNanos);
        }
    }

    private void checked(long nowNanos) {
        if (state == State.NEW) {
            state = State.CONNECTING;
            phases.reached(Phase.FIRST_CHECK, nowNanos);
            if (spec.role() == DtlsRole.CLIENT) {
                shakeHands(nowNanos);
            }
        }
    }

    /** Begins the handshake, or has it wait for others to end theirs. */
    private void shakeHands(long nowNanos) {
        handshakeBegun = true;
        handshakeHeardNanos = nowNanos;
        if (!hasHandshakePlace && loop.beginHandshake(limits.maxHandshakes())) {
            hasHandshakePlace = true;
            dtls.start();
        }
    }

    private void leaveHandshakePlace() {
        if (hasHandshakePlace) {
            hasHandshakePlace = false;
            loop.endHandshake();
        }
    }

    /** Whether the handshake has to begin but others are in its way. */
    private boolean waitsForHandshake() {
        return state == State.CONNECTING && handshakeBegun && !dtls.started();
    }

    /** Takes a DTLS datagram; false when it is refused. */
    boolean receiveDtls(IcePath from, ByteBuffer bytes, int offset, int length, long nowNanos) {
        boolean valid =
                state == State.CONNECTING
                        ? ice.shakesHands(from, length, nowNanos)
                        : ice.isValid(from, nowNanos);
        if (!valid || !offerDtls(from, bytes, offset, length, nowNanos)) {
            return false;
        }
        if (inStun != null && state == State.CONNECTING) {
            inStun.received(bytes, offset, length);
        }
        return true;
    }

    private boolean offerDtls(
            IcePath from, ByteBuffer bytes, int offset, int length, long nowNanos) {
        if (!dtls.offer(from, bytes, offset, length)) {
            return false;
        }
        if (state == State.CONNECTING) {
            early.flightReceived(nowNanos);
            shakeHands(nowNanos);
        }
        return true;
    }

    /** Whether keys are there, so that media can be received. */
    boolean hasMedia() {
        return media.keyed();
    }

    /** Takes an SRTP packet; negative, a SrtpVerdict's code, unless it is authentic. */
    int receiveRtp(IcePath from, ByteBuffer bytes, int offset, int length, long nowNanos) {
        int result = media.receiveRtp(bytes, offset, length, nowNanos);
        if (result >= 0) {
            heard(from, length, nowNanos);
            if (media.received() > 0) {
                phases.reached(Phase.FIRST_RTP, nowNanos);
            }
            media.sendRequest(nowNanos);
        }
        return result;
    }

    /** Takes an SRTCP packet; negative, a SrtpVerdict's code, unless it is authentic. */
    int receiveRtcp(IcePath from, ByteBuffer bytes, int offset, int length, long nowNanos) {
        int result = media.receiveRtcp(bytes, offset, length, nowNanos);
        if (result >= 0) {
            heard(from, length, nowNanos);
        }
        return result;
    }

    private void heard(IcePath from, int length, long nowNanos) {
        if (ice.heard(from, length, nowNanos)) {
            phases.observer().pathSelected(from, nowNanos);
        }
    }

    /** Audio flows this way, as we see it, from now on. */
    void direct(SdpDirection direction) {
        media.direct(direction);
    }

    // --- what comes from the DTLS thread, through the loop

    void sendQueuedDtls(byte[] datagram) {
        dtls.sent();
        early.flightSent(loop.nowNanos());
        sendDtls(datagram, 0, datagram.length);
        if (inStun != null) {
            inStun.sent(datagram);
        }
    }

    /** Sends a datagram that DTLS has written. */
    void sendDtls(byte[] bytes, int offset, int length) {
        long nowNanos = loop.nowNanos();
        IcePath path =
                state == State.CONNECTED
                        ? ice.claimPath(length, nowNanos)
                        : claimHandshakePath(length, nowNanos);
        if (path == null) {
            loop.counters().drops.increment(Drop.DTLS_UNSENT);
            return;
        }
        Outbox outbox = loop.outbox();
        outbox.bytes().put(outbox.payloadOffset(), bytes, offset, length);
        outbox.commit(path, length);
    }

    // Who has got the address meanwhile would take a handshake for his own: DTLS names no session.
    // What keys protect he drops.
    private @Nullable IcePath claimHandshakePath(int length, long nowNanos) {
        IcePath path = ice.claimHandshakePath(length, nowNanos);
        return path == null || ice.isContested(path) ? null : path;
    }

    /**
     * Takes application data, one DTLS record, which is dropped if none was negotiated.
     *
     * @param from where it came from; as good as media to say where the client is
     */
    void receiveData(IcePath from, byte[] record, long nowNanos) {
        heard(from, record.length, nowNanos);
        if (data != null) {
            data.receive(record, nowNanos);
        } else {
            loop.counters().drops.increment(Drop.DTLS_DATA);
            dataRecords++;
        }
    }

    /** Inference has something that nobody would look for soon. */
    void takeOutput(long nowNanos) {
        media.takeOutput(nowNanos);
        if (data != null && state == State.CONNECTED) {
            data.takeServerEvents(nowNanos);
        }
    }

    /** Sends application data, one DTLS record; false when there is no association. */
    boolean sendData(byte[] bytes, int offset, int length) {
        dataRecords++;
        return dtls.sendData(bytes, offset, length);
    }

    void dtlsKeyed(SrtpContexts keys, long nowNanos) {
        if (state == State.CONNECTING) {
            media.startEarly(
                    keys, EarlyOutput.firstNanos(nowNanos), early.untilNanos(nowNanos), nowNanos);
        }
    }

    void dtlsConnected(DtlsSession open, @Nullable SrtpContexts keys, long nowNanos) {
        if (state != State.CONNECTING) {
            open.close();
            return;
        }
        state = State.CONNECTED;
        leaveHandshakePlace();
        phases.reached(Phase.DTLS_CONNECTED, nowNanos);
        ice.handshakeDone(nowNanos);
        if (inStun != null) {
            // RFC 6347 4.2.4: the last flight is the server's.
            inStun.handshakeDone(spec.role() == DtlsRole.SERVER);
        }
        media.start(keys, nowNanos);
        dtls.connected(open);
        if (data != null) {
            data.start(nowNanos);
        }
        dtls.readEarly(open);
    }

    // --- time

    /** When {@link #onTimer} has something to do next. */
    long deadlineNanos(long nowNanos) {
        long deadline = phases.createdNanos() + limits.durationNanos();
        if (state == State.NEW || state == State.CONNECTING) {
            deadline = Timers.earlier(deadline, phases.createdNanos() + limits.setupNanos());
        }
        if (waitsForHandshake()) {
            deadline = Timers.earlier(deadline, nowNanos + HANDSHAKE_RETRY_NANOS);
        }
        if (hasHandshakePlace) {
            deadline = Timers.earlier(deadline, handshakeHeardNanos + HANDSHAKE_SILENCE_NANOS);
        }
        if (state == State.CONNECTED) {
            deadline = Timers.earlier(deadline, activeNanos + limits.idleNanos());
        }
        if (state != State.NEW) {
            deadline = Timers.earlier(deadline, ice.consentDeadlineNanos(nowNanos));
            deadline = Timers.earlier(deadline, ice.checkDeadlineNanos(nowNanos));
        }
        deadline = media.deadlineNanos(deadline, nowNanos);
        if (data != null && state == State.CONNECTED) {
            deadline = data.deadlineNanos(deadline, nowNanos);
        }
        if (hangingUp) {
            // Behind it the data channels' last events are on their way.
            boolean flushing = hangupNanos - nowNanos <= 0;
            deadline =
                    Timers.earlier(deadline, flushing ? nowNanos + FLUSH_CHECK_NANOS : hangupNanos);
        }
        return deadline;
    }

    void onTimer(long nowNanos) {
        if (waitsForHandshake()) {
            shakeHands(nowNanos);
        } else if (nowNanos - handshakeHeardNanos >= HANDSHAKE_SILENCE_NANOS) {
            leaveHandshakePlace();
        }
        checkPath(nowNanos);
        media.onTimer(nowNanos);
        if (data != null && state == State.CONNECTED) {
            data.onTimer(nowNanos);
        }
        noteActivity(nowNanos);
        endIfDue(nowNanos);
    }

    /** Before media has what an unproven path may get. */
    private void checkPath(long nowNanos) {
        Outbox outbox = loop.outbox();
        int length = ice.pollCheck(nowNanos, outbox.bytes(), outbox.payloadOffset());
        IcePath to = ice.findSelected();
        if (length > 0 && to != null) {
            outbox.commit(to, length);
        }
    }

    private void noteActivity(long nowNanos) {
        long messages = data == null ? 0 : data.messages();
        long now = media.activity() + messages + dataRecords;
        if (now != activity || state != State.CONNECTED) {
            activity = now;
            activeNanos = nowNanos;
        }
    }

    private void hangUpAfterGrace(String message) {
        hangingUp = true;
        hangupMessage = message;
        hangupNanos = media.outputDueNanos() + HANGUP_GRACE_NANOS;
    }

    private void endIfDue(long nowNanos) {
        long age = nowNanos - phases.createdNanos();
        if (hangingUp && hangupNanos - nowNanos <= 0 && mayHangUp(nowNanos)) {
            end(EndReason.AGENT_HANGUP, hangupMessage);
        } else if (ice.isConsentLost(nowNanos)) {
            end(EndReason.CONSENT_EXPIRED, "the client has not been heard of for too long");
        } else if (!isConnected() && age >= limits.setupNanos()) {
            end(
                    EndReason.SETUP_TIMEOUT,
                    state == State.NEW ? "no check came" : "DTLS was not finished");
        } else if (age >= limits.durationNanos()) {
            end(EndReason.MAX_DURATION, "the call has reached its longest duration");
        } else if (state == State.CONNECTED && nowNanos - activeNanos >= limits.idleNanos()) {
            end(EndReason.IDLE_TIMEOUT, "neither side has said anything for too long");
        }
    }

    private boolean isConnected() {
        return state != State.NEW && state != State.CONNECTING;
    }

    /** The client is to have what was said to it before, if it answers at all. */
    private boolean mayHangUp(long nowNanos) {
        boolean flushed = data == null || state != State.CONNECTED || data.isFlushed();
        return flushed || nowNanos - hangupNanos >= FLUSH_NANOS;
    }

    // --- the end

    /** Says goodbye on all sides and frees what it holds; the loop forgets it then. */
    void retire(Ending why, long nowNanos) {
        state = State.ENDED;
        leaveHandshakePlace();
        media.end(nowNanos);
        if (data != null) {
            data.end();
        }
        dtls.close();
        inference.end(why.reason().wire(), why.message(), media.summary());
    }

    /** What is known about it now. */
    public SessionSnapshot snapshot(long nowNanos) {
        return media.snapshot(
                state, nowNanos - phases.createdNanos(), data == null ? null : data.snapshot());
    }
}
