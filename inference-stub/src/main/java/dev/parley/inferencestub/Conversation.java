package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * One Converse stream: checks the contract's order, agrees on formats and hands what is left to an
 * agent. gRPC's thread for the stream and the stub's timer both enter it, so all entries are
 * synchronized; none of them blocks.
 */
final class Conversation implements StreamObserver<ConverseRequest> {
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
    private WireFormat inputFormat = WireFormat.LINEAR16_24K;
    private long nextSequenceNumber;
    private long lastOffsetMs;

    Conversation(VoiceAgentService service, ServerCallStreamObserver<ConverseResponse> stream) {
        this.service = service;
        this.stream = stream;
        this.openedNanos = service.nanoTime();
        // The handlers of a broken stream and of a stream that takes data again.
        stream.setOnCancelHandler(this::cancelled);
        stream.setOnReadyHandler(this::tick);
    }

    @Override
    public synchronized void onNext(ConverseRequest request) {
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
                    agent.onTick(now);
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
        Formats formats = Formats.choose(model, start);
        SessionReady ready =
                SessionReady.newBuilder()
                        .setInputFormat(formats.input().toProto())
                        .setOutputFormat(formats.output().toProto())
                        .build();

        sessionId = start.getSessionId();
        inputFormat = formats.input();
        Voice voice =
                new Voice(
                        stream,
                        response ->
                                service.observer()
                                        .onResponse(sessionId, response, service.nanoTime()),
                        service.counters().framesDropped);
        agent = model.agent(service.config(), formats, voice);
        state = State.TALKING;
        service.counters().count(model);
        service.observer().onStart(start, ready, service.nanoTime());
        voice.send(ConverseResponse.newBuilder().setSessionReady(ready).build());
        agent.onTick(service.nanoTime());
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
        int perSample = inputFormat.bytesPerSample();
        if (bytes == 0) {
            throw Misuse.BAD_AUDIO.refusal("audio is empty");
        }
        if (inputFormat.isPcm() && bytes != audio.getNumSamples() * perSample) {
            throw Misuse.BAD_AUDIO.refusal(
                    bytes
                            + " bytes of "
                            + inputFormat
                            + " are not num_samples "
                            + Integer.toUnsignedString(audio.getNumSamples())
                            + " times "
                            + perSample);
        }
    }
}
