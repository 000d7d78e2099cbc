package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IceLite;
import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.inference.OutputFeed;
import dev.parley.transceiver.media.CallQuality;
import dev.parley.transceiver.media.CallSummary;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputPath;
import dev.parley.transceiver.media.Playout;
import dev.parley.transceiver.recording.CallTape;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The audio of one session: from SRTP to inference and back, with its reports. It takes output from
 * the start and moves packets once DTLS has given it keys. Owned by the session and its loop.
 */
final class SessionMedia implements MediaTransport.Listener {
    /** How often inference is told how the call sounds. */
    private static final long QUALITY_INTERVAL_NANOS = 10_000_000_000L;

    /** Packets that one NACK may have us send again. */
    private static final int MAX_AGAIN = 17;

    private final SessionSpec spec;
    private final InferenceCall inference;
    private final IceLite ice;
    private final MediaLoop loop;
    private final InputPath input;
    private final Playout playout;
    private final OutputFeed feed;
    private final OutputPath output;

    private SdpDirection direction;
    private @Nullable MediaTransport transport;
    private boolean trusted;
    private long earlyFirstNanos;
    private long earlyUntilNanos;
    private boolean outputWaits;
    private final CallQuality quality = new CallQuality();
    private final int[] again = new int[MAX_AGAIN];
    private int agains;
    private long heardPackets;
    private long heardLost;
    private long qualityDueNanos;

    /**
     * @param ice says where packets go
     * @param observer sees what becomes of output
     * @param onHangUp told with the agent's words when all that it said has been sent
     */
    SessionMedia(
            SessionSpec spec,
            SessionLimits limits,
            InferenceCall inference,
            IceLite ice,
            MediaLoop loop,
            CallObserver observer,
            Consumer<String> onHangUp) {
        this.spec = spec;
        this.direction = spec.direction();
        this.inference = inference;
        this.ice = ice;
        this.loop = loop;
        this.input =
                new InputPath(
                        spec.formats(),
                        limits.reorderNanos(),
                        inference.input(),
                        inference.counters());
        this.playout =
                new Playout(
                        limits.cushionSamples(),
                        new ObservedPlayout(inference.reports(onHangUp), observer, loop::nowNanos));
        this.feed = new OutputFeed(inference, playout);
        this.output =
                new OutputPath(
                        spec.ssrc(),
                        spec.output(),
                        OutputPath.firstSequence(loop.random()),
                        loop.random().nextInt(),
                        playout,
                        limits.liveNanos());
        CallTape tape = inference.tape();
        if (tape.runs()) {
            output.tap(tape::output);
        }
    }

    /**
     * Audio may go out before DTLS is done; nothing that comes in is taken, and no report is made.
     *
     * @param firstNanos when the first packet is due
     * @param untilNanos from when on the next one waits for {@link #start}
     */
    void startEarly(SrtpContexts keys, long firstNanos, long untilNanos, long nowNanos) {
        transport = transport(keys, nowNanos);
        earlyUntilNanos = untilNanos;
        output.start(firstNanos);
        earlyFirstNanos = output.dueNanos();
    }

    /**
     * DTLS is done: packets may move both ways from now on.
     *
     * @param keys null in a call without audio
     */
    void start(@Nullable SrtpContexts keys, long nowNanos) {
        if (transport == null && keys != null) {
            transport = transport(keys, nowNanos);
        }
        trusted = true;
        qualityDueNanos = nowNanos + QUALITY_INTERVAL_NANOS;
        boolean sentNothing = !output.started() || output.dueNanos() == earlyFirstNanos;
        if (sentNothing) {
            output.start(nowNanos);
        }
    }

    private MediaTransport transport(SrtpContexts keys, long nowNanos) {
        return new MediaTransport(
                spec,
                direction,
                keys.receiver(),
                keys.sender(),
                input,
                output,
                loop.counters(),
                loop.ntp(),
                loop.random(),
                this,
                nowNanos);
    }

    /** Whether packets can be read and believed, which a call without audio never does. */
    boolean keyed() {
        return trusted && transport != null;
    }

    /** Whether the packet that is due goes out. */
    private boolean flows(long nowNanos) {
        return output.started() && (trusted || earlyUntilNanos - nowNanos > 0);
    }

    private MediaTransport transport() {
        MediaTransport started = transport;
        if (started == null) {
            throw new IllegalStateException("no keys yet");
        }
        return started;
    }

    /** Audio flows this way from now on. */
    void direct(SdpDirection changed) {
        direction = changed;
        MediaTransport started = transport;
        if (started != null) {
            started.direct(changed);
        }
        inference.tellMedia(changed.receives(), changed.sends());
    }

    /** Takes an SRTP packet; negative, a SrtpVerdict's code, unless it is authentic. */
    int receiveRtp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        return transport().receiveRtp(bytes, offset, length, nowNanos);
    }

    /** Takes an SRTCP packet; negative, a SrtpVerdict's code, unless it is authentic. */
    int receiveRtcp(ByteBuffer bytes, int offset, int length, long nowNanos) {
        int result = transport().receiveRtcp(bytes, offset, length, nowNanos);
        sendAgain(nowNanos);
        return result;
    }

    @Override
    public void reported(RtcpExchange.Report report) {
        if (report.isRoundTripNew()) {
            quality.roundTrip(report.roundTripNanos());
        }
        quality.callerHeard(report.fractionLost(), report.jitterNanos());
        inference.steer(report.fractionLost(), report.roundTripNanos());
    }

    @Override
    public void askedAgain(int sequenceNumber) {
        if (agains < MAX_AGAIN) {
            again[agains++] = sequenceNumber;
        }
    }

    private void sendAgain(long nowNanos) {
        for (int i = 0; i < agains; i++) {
            Outbox outbox = loop.outbox();
            int length = transport().writeAgain(again[i], outbox.bytes(), outbox.payloadOffset());
            if (length > 0 && commit(length, nowNanos)) {
                LoopCounters.add(loop.counters().rtpSentAgain, 1);
            }
        }
        agains = 0;
    }

    /** RTP packets taken so far. */
    long received() {
        MediaTransport started = transport;
        return started == null ? 0 : started.received();
    }

    /** Grows with everything that the client or the agent says. */
    long activity() {
        return received() + playout.leftFrames() + playout.leftSamples();
    }

    /** When {@link #onTimer} has something to do next, at most {@code latest}. */
    long deadlineNanos(long latest, long nowNanos) {
        long deadline = latest;
        MediaTransport started = transport;
        if (started != null && trusted) {
            deadline = Timers.earlier(deadline, started.reportDueNanos());
        }
        if (flows(nowNanos)) {
            deadline = Timers.earlier(deadline, output.dueNanos());
        }
        if (input.waiting()) {
            deadline = Timers.earlier(deadline, input.deadlineNanos());
        }
        if (outputWaits) {
            // Not within this turn, so that other sessions get theirs.
            deadline = Timers.earlier(deadline, nowNanos + 1);
        }
        return deadline;
    }

    /** Does what is due. */
    void onTimer(long nowNanos) {
        if (input.waiting()) {
            input.onDeadline(nowNanos);
        }
        take(nowNanos);
        MediaTransport started = transport;
        output.turn(nowNanos);
        while (flows(nowNanos) && output.dueNanos() - nowNanos <= 0) {
            sendRtp(started, nowNanos);
        }
        if (started != null && trusted && started.reportDueNanos() - nowNanos <= 0) {
            sendReport(started, nowNanos);
        }
        feed.tellLeft();
        await();
    }

    /** Takes what inference says after a pause, which need not wait for the next packet's time. */
    void takeOutput(long nowNanos) {
        take(nowNanos);
        // The first packet may have to wait for the second.
        await();
    }

    private void take(long nowNanos) {
        outputWaits = feed.take();
        if (flows(nowNanos)) {
            output.hasten(nowNanos);
        }
    }

    private void await() {
        if (output.awaits() && !outputWaits) {
            outputWaits = feed.await();
        }
    }

    private void sendRtp(@Nullable MediaTransport started, long nowNanos) {
        // For a client that wants no audio, for a while or ever, the pace is kept all the same, or
        // an agent would wait for ever to be heard out.
        if (started == null || !direction.sends()) {
            output.withhold(nowNanos);
            return;
        }
        Outbox outbox = loop.outbox();
        int length = started.writeRtp(outbox.bytes(), outbox.payloadOffset(), nowNanos);
        if (length > 0 && commit(length, nowNanos)) {
            LoopCounters.add(loop.counters().rtpSent, 1);
        } else if (length > 0 && !trusted) {
            // No more may go there until it is proven: what is said next waits for the handshake.
            earlyUntilNanos = nowNanos;
        }
    }

    private boolean commit(int length, long nowNanos) {
        IcePath to = ice.claimPath(length, nowNanos);
        if (to != null) {
            loop.outbox().commit(to, length);
        }
        return to != null;
    }

    private void sendReport(MediaTransport started, long nowNanos) {
        noteInput(started);
        if (qualityDueNanos - nowNanos <= 0) {
            qualityDueNanos = nowNanos + QUALITY_INTERVAL_NANOS;
            inference.tellQuality(qualitySoFar(started, false));
        }
        Outbox outbox = loop.outbox();
        int length = started.writeReport(outbox.bytes(), outbox.payloadOffset(), nowNanos);
        if (length > 0) {
            var _ = commit(length, nowNanos);
        }
    }

    private void noteInput(MediaTransport started) {
        long packets = started.received();
        long lost = input.lost();
        quality.heardCaller(packets - heardPackets, lost - heardLost, started.jitterNanos());
        heardPackets = packets;
        heardLost = lost;
    }

    private CallSummary qualitySoFar(MediaTransport started, boolean whole) {
        return CallSummary.of(
                quality,
                whole,
                started.received(),
                input.lost(),
                inference.concealedMillis(),
                output.packets(),
                started.report().cumulativeLost(),
                started.report().roundTripNanos());
    }

    /** The whole call; null when nothing has moved. */
    @Nullable CallSummary summary() {
        MediaTransport started = transport;
        if (started == null || !trusted) {
            return null;
        }
        noteInput(started);
        return qualitySoFar(started, true);
    }

    /** Asks the client to send again what is missing, if that can help. */
    void sendRequest(long nowNanos) {
        if (!input.gaps().requestPending()) {
            return;
        }
        Outbox outbox = loop.outbox();
        int length = transport().writeRequest(outbox.bytes(), outbox.payloadOffset());
        if (length > 0) {
            var _ = commit(length, nowNanos);
        }
    }

    /** When the packet behind the one sent last is due. */
    long outputDueNanos() {
        return output.dueNanos();
    }

    /** Tells inference how far its output came, and says goodbye in RTCP if anyone is there. */
    void end(long nowNanos) {
        playout.end();
        MediaTransport started = transport;
        if (started == null || !trusted) {
            return;
        }
        Outbox outbox = loop.outbox();
        int length = started.writeGoodbye(outbox.bytes(), outbox.payloadOffset(), nowNanos);
        if (length > 0) {
            var _ = commit(length, nowNanos);
        }
    }

    SessionSnapshot snapshot(Session.State state, long ageNanos, @Nullable DataSnapshot data) {
        MediaTransport started = transport;
        return new SessionSnapshot(
                state,
                ageNanos,
                received(),
                started == null ? 0 : output.packets(),
                input.lost(),
                inference.inputDropped(),
                started == null ? 0 : started.report().cumulativeLost(),
                started == null ? -1 : started.report().roundTripNanos(),
                started == null ? 0 : started.jitterNanos(),
                summary(),
                data);
    }
}
