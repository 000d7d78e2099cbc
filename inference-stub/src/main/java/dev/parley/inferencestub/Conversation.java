package dev.parley.inferencestub;

import dev.parley.inferencestub.script.Script;
import dev.parley.inferencestub.script.ScriptException;
import dev.parley.inferencestub.script.ScriptParser;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One Converse stream: checks the contract's order, agrees on formats and hands what is left to an
 * agent. gRPC's thread for the stream and the stub's timer both enter it, so all entries are
 * synchronized; none of them blocks.
 */
final class Conversation implements StreamObserver<ConverseRequest>, CallContext {
    /** Messages asked for ahead, so that reading never waits for the round trip. */
    private static final int READ_AHEAD = 64;

    private static final Pattern SESSION_ID = Pattern.compile("[0-9a-f]{32}");

    private enum State {
        AWAITING_START,
        TALKING,
        OVER
    }

    private final VoiceAgentService service;
    private final ServerCallStreamObserver<ConverseResponse> stream;
    private final long openedNanos;
    private State state = State.AWAITING_START;
    private String sessionId = "";
    private Agent agent = new SilenceAgent();
    private Formats formats = new Formats(WireFormat.LINEAR16_24K, WireFormat.LINEAR16_24K);
    private final Voice voice;
    private long readyNanos;
    private boolean readySent;
    private long readAgainNanos;
    private int unread;
    private long nextSequenceNumber;
    private long lastOffsetMs;

    Conversation(VoiceAgentService service, ServerCallStreamObserver<ConverseResponse> stream) {
        this.service = service;
        this.stream = stream;
        this.openedNanos = service.nanoTime();
        // The handlers of a broken stream and of a stream that takes data again.
        stream.setOnCancelHandler(this::cancelled);
        stream.setOnReadyHandler(this::tick);
        stream.disableAutoRequest();
        stream.request(READ_AHEAD);
        this.voice =
                new Voice(
                        stream,
                        response ->
                                service.observer()
                                        .onResponse(sessionId, response, service.nanoTime()),
                        service.counters().framesDropped);
        this.readAgainNanos = openedNanos;
    }

    @Override
    public synchronized void onNext(ConverseRequest request) {
        unread++;
        if (state == State.OVER) {
            return;
        }
        try {
            handle(request);
        } catch (Refusal refusal) {
            refuse(refusal);
        } catch (RuntimeException fault) {
            fail(fault);
        }
        readOn();
    }

    /** The edge has half-closed. */
    @Override
    public synchronized void onCompleted() {
        if (state != State.OVER) {
            service.counters().count(Misuse.NO_SESSION_END);
            end(Status.OK);
        }
    }

    @Override
    public void onError(Throwable thrown) {
        // The cancel handler has been called as well, and is called after a half-close too.
    }

    /** The stub's timer, and gRPC when the stream takes data again. */
    synchronized void tick() {
        long now = service.nanoTime();
        switch (state) {
            case AWAITING_START -> {
                if (now - openedNanos > service.config().startTimeout().toNanos()) {
                    refuse(
                            Misuse.NO_SESSION_START.refusal(
                                    "no session_start within "
                                            + service.config().startTimeout().toMillis()
                                            + " ms"));
                }
            }
            case TALKING -> {
                try {
                    talk(now);
                } catch (RuntimeException fault) {
                    fail(fault);
                }
            }
            case OVER -> {}
        }
    }

    synchronized void refuse(Refusal refusal) {
        service.counters().count(refusal.kind());
        end(refusal.status());
    }

    /** The stub wants to stop: the call is to go on elsewhere. */
    synchronized void leave() {
        if (state == State.TALKING && readySent) {
            voice.handOver();
        } else {
            end(VoiceAgentService.STOPPING);
        }
    }

    /** Ends the stream with a status, unless it is over already. */
    synchronized void end(Status status) {
        if (state == State.OVER) {
            return;
        }
        close(status);
        if (status.isOk()) {
            stream.onCompleted();
        } else {
            stream.onError(status.asException());
        }
    }

    private synchronized void cancelled() {
        if (state != State.OVER) {
            close(Status.CANCELLED);
        }
    }

    private void close(Status status) {
        state = State.OVER;
        service.forget(this);
        if (!sessionId.isEmpty()) {
            service.observer().onEnd(sessionId, status, service.nanoTime());
        }
    }

    private void fail(RuntimeException fault) {
        service.logFault(sessionId, fault);
        end(Status.INTERNAL.withDescription("the inference stub has failed: " + fault));
    }

    private void handle(ConverseRequest request) throws Refusal {
        switch (request.getMessageCase()) {
            case SESSION_START -> start(request.getSessionStart());
            case INPUT_AUDIO -> {
                requireStarted(request);
                check(request.getInputAudio());
                long now = service.nanoTime();
                service.observer().onRequest(sessionId, request, now);
                agent.onAudio(request.getInputAudio(), now);
            }
            case SESSION_END -> {
                requireStarted(request);
                service.observer().onRequest(sessionId, request, service.nanoTime());
                end(Status.OK);
            }
            case MESSAGE_NOT_SET -> service.counters().count(Misuse.UNKNOWN_MESSAGE);
            default -> {
                requireStarted(request);
                service.observer().onRequest(sessionId, request, service.nanoTime());
                agent.onEvent(request);
            }
        }
    }

    private void start(SessionStart start) throws Refusal {
        if (state != State.AWAITING_START) {
            throw Misuse.SECOND_SESSION_START.refusal("session_start may be sent only once");
        }
        if (!SESSION_ID.matcher(start.getSessionId()).matches()) {
            throw Misuse.BAD_SESSION_ID.refusal(
                    "session_id must be 32 lower-case hexadecimal digits");
        }
        Model model = Model.named(start.getModel());
        SessionJson wanted = SessionJson.of(start);
        formats = Formats.choose(model, wanted.format(), start).withRealtime(wanted.realtime());
        Script script = script(wanted);
        agent = model.agent(this, script);
        sessionId = start.getSessionId();
        state = State.TALKING;
        service.counters().count(model);
        service.observer().onStart(start, formats.toReady(), service.nanoTime());
        readyNanos = service.nanoTime();
        if (model == Model.SCRIPTED) {
            readyNanos += script.readyAfter().toNanos();
        }
        talk(service.nanoTime());
    }

    private Script script(SessionJson wanted) throws Refusal {
        if (wanted.script().isEmpty()) {
            return service.script();
        }
        try {
            return ScriptParser.parse(wanted.script());
        } catch (ScriptException e) {
            throw Misuse.BAD_SCRIPT.refusal(e.reason());
        }
    }

    private void talk(long now) {
        if (!readySent && readyNanos - now <= 0) {
            readySent = true;
            voice.ready(formats);
        }
        if (readySent) {
            agent.onTick(now);
        }
        readOn();
    }

    /** Asks for as many messages as have come, unless the agent does not want any now. */
    private void readOn() {
        if (unread > 0 && readAgainNanos - service.nanoTime() <= 0) {
            stream.request(unread);
            unread = 0;
        }
    }

    // --- what the agent sees of it

    @Override
    public InferenceStubConfig config() {
        return service.config();
    }

    @Override
    public Formats formats() {
        return formats;
    }

    @Override
    public Voice voice() {
        return voice;
    }

    @Override
    public Synthesizer synthesizer() {
        return service.synthesizer();
    }

    @Override
    public InstantSource clock() {
        return InstantSource.system();
    }

    @Override
    public long nowNanos() {
        return service.nanoTime();
    }

    @Override
    public Runnable wake() {
        return this::tick;
    }

    @Override
    public boolean over() {
        return state == State.OVER;
    }

    @Override
    public void stopReading(Duration length) {
        readAgainNanos = service.nanoTime() + length.toNanos();
    }

    @Override
    public void fail(Status status) {
        end(status);
    }

    private void requireStarted(ConverseRequest request) throws Refusal {
        if (state == State.AWAITING_START) {
            throw Misuse.WRONG_FIRST_MESSAGE.refusal(
                    "the first message must be session_start, not "
                            + request.getMessageCase().name().toLowerCase(Locale.ROOT));
        }
    }

    private void check(InputAudio audio) throws Refusal {
        long number = audio.getSequenceNumber();
        if (number < nextSequenceNumber) {
            throw Misuse.OUT_OF_ORDER_AUDIO.refusal(
                    "sequence_number " + number + " came after " + (nextSequenceNumber - 1));
        }
        long offset = audio.getAudioOffsetMs();
        if (offset < lastOffsetMs) {
            throw Misuse.OUT_OF_ORDER_AUDIO.refusal(
                    "audio_offset_ms " + offset + " came after " + lastOffsetMs);
        }
        nextSequenceNumber = number + 1;
        lastOffsetMs = offset;

        int bytes = audio.getAudio().size();
        int perSample = formats.input().bytesPerSample();
        if (bytes == 0) {
            throw Misuse.BAD_AUDIO.refusal("audio is empty");
        }
        if (formats.input().isPcm() && bytes != audio.getNumSamples() * perSample) {
            throw Misuse.BAD_AUDIO.refusal(
                    bytes
                            + " bytes of "
                            + formats.input()
                            + " are not num_samples "
                            + Integer.toUnsignedString(audio.getNumSamples())
                            + " times "
                            + perSample);
        }
    }
}
