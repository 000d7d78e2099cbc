package dev.parley.transceiver.control;

import com.google.protobuf.ByteString;
import dev.parley.otel.trace.CallTrace;
import dev.parley.proto.control.ErrorTrailers;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.sdp.SdpCandidate;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.rtc.sdp.SdpException;
import dev.parley.rtc.sdp.SdpFragment;
import dev.parley.rtc.sdp.SdpOffer;
import dev.parley.runtime.config.HostPort;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.inference.EventSurface;
import dev.parley.transceiver.inference.Formats;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.OutputMemory;
import dev.parley.transceiver.session.CallObserver;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.EndedCall;
import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.Session;
import dev.parley.transceiver.session.SessionId;
import dev.parley.transceiver.session.SessionLimits;
import dev.parley.transceiver.session.SessionSpec;
import dev.parley.transceiver.session.SetupPhases;
import dev.parley.transceiver.session.SetupWork;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Sets calls up: reads the offer, asks inference, writes the answer, and hands the session to a
 * media loop. Runs on the thread of the control request, which may block.
 */
public final class CallSetup {
    /** A media loop and how route tokens name it. */
    public record Target(MediaLoop loop, RouteMint routes) {}

    /**
     * What calls of this process have in common.
     *
     * @param highWaterSamples output audio at 48 kHz that may wait before inference is not read
     * @param outputMemory bounds the output that waits in all calls
     * @param output how it is encoded and sent
     * @param readyNanos how long inference may take to accept
     * @param red whether clients that offer redundant audio are to send it
     * @param nack whether clients are asked to send lost packets again
     * @param sped whether clients may have DTLS in STUN
     * @param snap whether clients may have SCTP's INIT chunks in SDP
     */
    public record Settings(
            SessionLimits limits,
            long highWaterSamples,
            OutputMemory outputMemory,
            OutputSettings output,
            long readyNanos,
            boolean red,
            boolean nack,
            boolean sped,
            boolean snap) {}

    private final Settings settings;
    private final Calls calls;
    private final SetupWork work;
    private final Backends backends;
    private final List<Target> targets;
    private final DtlsIdentity identity;
    private final DtlsHandshake handshake;
    private final OpusLibrary opus;
    private final EventSurface.Factory surfaces;
    private final LongSupplier clock;
    private final RandomGenerator random;
    private final CallObserver.Source observers;
    private final AtomicInteger nextTarget = new AtomicInteger();

    /**
     * @param work where set-ups take turns
     * @param observers see what becomes of each call
     */
    public CallSetup(
            Settings settings,
            Calls calls,
            SetupWork work,
            Backends backends,
            List<Target> targets,
            DtlsIdentity identity,
            DtlsHandshake handshake,
            OpusLibrary opus,
            EventSurface.Factory surfaces,
            LongSupplier clock,
            RandomGenerator random,
            CallObserver.Source observers) {
        this.settings = settings;
        this.calls = calls;
        this.work = work;
        this.backends = backends;
        this.targets = List.copyOf(targets);
        this.identity = identity;
        this.handshake = handshake;
        this.opus = opus;
        this.surfaces = surfaces;
        this.clock = clock;
        this.random = random;
        this.observers = observers;
    }

    /** Sets a call up. */
    CreateSessionResponse create(CreateSessionRequest request) throws RefusedException {
        // Before anything is done for it, so that refusing takes nothing from those that are there.
        if (calls.isFull()) {
            throw full();
        }
        if (!work.admit()) {
            throw RefusedException.overloaded();
        }
        SessionId id = id(request);
        long now = clock.getAsLong();
        SetupPhases phases =
                new SetupPhases(now, observers.observe(id, request.getModel(), now), work.share());
        try {
            return create(request, id, phases);
        } catch (RefusedException e) {
            phases.observer().refused(e.code(), String.valueOf(e.getMessage()), clock.getAsLong());
            throw e;
        } catch (RuntimeException e) {
            phases.observer().refused("internal_error", "internal error", clock.getAsLong());
            throw e;
        }
    }

    /** Work that lies ahead of a new call, as a share of what may. */
    double pressure() {
        return work.pressure();
    }

    private RefusedException full() {
        return new RefusedException(
                Status.Code.RESOURCE_EXHAUSTED,
                ErrorTrailers.SESSION_LIMIT,
                null,
                "all " + calls.max() + " sessions of this transceiver are in use");
    }

    /** Signaling's, so that its own part of the trace has the same id. */
    private SessionId id(CreateSessionRequest request) throws RefusedException {
        if (request.getSessionId().isEmpty()) {
            return SessionId.of(CallTrace.mint(random, 1).bytes());
        }
        byte[] bytes = request.getSessionId().toByteArray();
        SessionId id = bytes.length == SessionId.BYTES ? SessionId.of(bytes) : null;
        // A second token with the same nonce would give the fleet's key away.
        if (id == null || id.isZero() || calls.find(id) != null || calls.findEnded(id) != null) {
            throw new RefusedException(
                    Status.Code.INVALID_ARGUMENT,
                    "invalid_session_id",
                    null,
                    "session_id must be 16 random bytes that were never used before");
        }
        return id;
    }

    private CreateSessionResponse create(
            CreateSessionRequest request, SessionId id, SetupPhases phases)
            throws RefusedException {
        try (Calls.Place place = calls.findPlace()) {
            if (place == null) {
                throw full();
            }
            try (SetupWork.Turn turn = phases.work().takeTurn()) {
                return create(request, id, phases, place, turn);
            }
        }
    }

    private CreateSessionResponse create(
            CreateSessionRequest request,
            SessionId id,
            SetupPhases phases,
            Calls.Place place,
            SetupWork.Turn turn)
            throws RefusedException {
        SdpOffer offer = offer(request.getOfferSdp());
        List<SdpCandidate> candidates = candidates(request.getRelayAddressesList());
        if (!backends.serves(request.getModel())) {
            throw new RefusedException(
                    Status.Code.NOT_FOUND,
                    "model_not_found",
                    "model",
                    "no such model: " + request.getModel());
        }
        ClientCodec client = ClientCodec.of(offer.voice());
        InferenceCall inference =
                InferenceCall.open(
                        backends,
                        start(id, request, offer, client),
                        new Backlog(settings.highWaterSamples(), settings.outputMemory()));
        boolean connected = false;
        try {
            // While inference decides, the answer is written.
            Target target = nextTarget();
            Negotiation negotiation =
                    new Negotiation(
                            id,
                            offer,
                            candidates,
                            new Negotiation.Sides(
                                    target.routes(),
                                    identity,
                                    random,
                                    settings.red(),
                                    settings.nack(),
                                    settings.sped(),
                                    settings.snap()));
            Output output = Output.of(offer, settings.output());
            SessionSpec spec = negotiation.spec(request.getModel(), output.format());
            turn.pause();
            Formats formats = formats(inference, client);
            Session session =
                    connect(spec, output, phases, inference, formats, target, place, negotiation);
            connected = true;
            phases.reached(SetupPhases.Phase.ANSWERED, clock.getAsLong());
            return CreateSessionResponse.newBuilder()
                    .setSessionId(ByteString.copyFrom(session.id().bytes()))
                    .setAnswerSdp(negotiation.answer().text())
                    .build();
        } finally {
            if (!connected) {
                inference.cancel("the call was not set up");
            }
        }
    }

    private Target nextTarget() throws RefusedException {
        for (int i = 0; i < targets.size(); i++) {
            Target target =
                    targets.get(Math.floorMod(nextTarget.getAndIncrement(), targets.size()));
            if (!target.loop().isDead()) {
                return target;
            }
        }
        throw RefusedException.unavailable("media_failed", "this transceiver has failed");
    }

    private static SdpOffer offer(String text) throws RefusedException {
        try {
            return SdpOffer.parse(text);
        } catch (SdpException e) {
            throw RefusedException.badSdp(e);
        }
    }

    private static List<SdpCandidate> candidates(List<String> addresses) throws RefusedException {
        List<SdpCandidate> candidates = new ArrayList<>();
        for (String address : addresses) {
            try {
                HostPort hostPort = HostPort.parse(address);
                candidates.add(new SdpCandidate(hostPort.host(), hostPort.port()));
            } catch (IllegalArgumentException e) {
                throw new RefusedException(
                        Status.Code.INVALID_ARGUMENT,
                        "invalid_relay_address",
                        "relay_addresses",
                        "relay address " + address + ": " + e.getMessage());
            }
        }
        if (candidates.isEmpty()) {
            throw new RefusedException(
                    Status.Code.INVALID_ARGUMENT,
                    "no_relay_address",
                    "relay_addresses",
                    "at least one relay address is needed");
        }
        return candidates;
    }

    private static SessionStart start(
            SessionId id, CreateSessionRequest request, SdpOffer offer, ClientCodec client) {
        return SessionStart.newBuilder()
                .setSessionId(id.toString())
                .setModel(request.getModel())
                .addAllInputFormats(Formats.offered(client))
                .addAllOutputFormats(Formats.offered(client))
                .setSessionJson(request.getSessionJson())
                .putAllAttributes(request.getAttributesMap())
                .setMedia(
                        CallMedia.newBuilder()
                                .setInputAudio(offer.direction().sends())
                                .setOutputAudio(offer.direction().receives())
                                .setDataChannels(offer.findAcceptableData() != null))
                .build();
    }

    private Formats formats(InferenceCall inference, ClientCodec client) throws RefusedException {
        try {
            SessionReady ready = inference.ready().get(settings.readyNanos(), TimeUnit.NANOSECONDS);
            Formats formats = Formats.find(client, ready);
            if (formats == null) {
                inference.refuse(Formats.whyNot(client, ready));
                throw RefusedException.unavailable(
                        "inference_bad_format", "the model chose an unknown format");
            }
            return formats;
        } catch (IllegalArgumentException e) {
            inference.refuse("speech_detection: " + e.getMessage());
            throw RefusedException.unavailable(
                    "inference_bad_speech_detection", "the model's " + e.getMessage());
        } catch (TimeoutException e) {
            inference.refuse(
                    "no session_ready within "
                            + TimeUnit.NANOSECONDS.toMillis(settings.readyNanos())
                            + " ms");
            throw RefusedException.unavailable(
                    "inference_timeout", "the model did not answer in time");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RefusedException.unavailable("shutting_down", "the transceiver stops");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof StatusRuntimeException refusal) {
                throw refused(refusal.getStatus());
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** voice_agent.proto: what a backend's status in place of SessionReady means. */
    private static RefusedException refused(Status status) {
        String text = status.getDescription();
        String detail = text == null || text.isBlank() ? status.getCode().name() : text;
        return switch (status.getCode()) {
            case RESOURCE_EXHAUSTED ->
                    new RefusedException(
                            Status.Code.RESOURCE_EXHAUSTED, "model_overloaded", "model", detail);
            case NOT_FOUND ->
                    new RefusedException(Status.Code.NOT_FOUND, "model_not_found", "model", detail);
            case INVALID_ARGUMENT ->
                    new RefusedException(
                            Status.Code.INVALID_ARGUMENT, "invalid_session", "session", detail);
            default ->
                    RefusedException.unavailable(
                            "inference_unavailable", "the model cannot be reached");
        };
    }

    private Session connect(
            SessionSpec spec,
            Output output,
            SetupPhases phases,
            InferenceCall inference,
            Formats formats,
            Target target,
            Calls.Place place,
            Negotiation negotiation)
            throws RefusedException {
        MediaLoop loop = target.loop();
        SessionInference owner = new SessionInference(loop, phases, clock);
        inference.connect(formats, spec.output(), output.encoder(), opus, clock, surfaces, owner);
        Session session = new Session(spec, settings.limits(), phases, inference, handshake, loop);
        place.fill(session, loop, negotiation);
        // Nobody waits for the loop: what it is given next comes behind the session, and the
        // client's first check behind our answer.
        CompletableFuture<Void> added = loop.add(session);
        if (added.isCompletedExceptionally()) {
            var _ = calls.withdraw(session);
            throw RefusedException.overloaded();
        }
        var _ = added.whenComplete((_, fault) -> added(session, inference, fault));
        owner.joined(session);
        return session;
    }

    /** A loop that could not take a session knows nothing of it, but its client has the answer. */
    private void added(Session session, InferenceCall inference, @Nullable Throwable fault) {
        if (fault != null) {
            calls.onEnded(
                    session,
                    new EndedCall(
                            EndReason.INTERNAL_ERROR,
                            "internal error",
                            session.snapshot(clock.getAsLong())));
            inference.cancel("the call was not set up");
        }
    }

    /** Changes the transport of a call. */
    UpdateSessionResponse update(Calls.Call call, UpdateSessionRequest request)
            throws RefusedException {
        List<SdpCandidate> candidates = candidates(request.getRelayAddressesList());
        Negotiation negotiation = call.negotiation();
        OptionalInt meantFor =
                request.hasIceGeneration()
                        ? OptionalInt.of(request.getIceGeneration())
                        : OptionalInt.empty();
        UpdateSessionResponse.Builder response = UpdateSessionResponse.newBuilder();
        Negotiation.Change change = new CallChange(call);
        Negotiation.Taken taken =
                switch (request.getChangeCase()) {
                    case OFFER_SDP ->
                            negotiation.take(
                                    offer(request.getOfferSdp()), meantFor, candidates, change);
                    case ICE_FRAGMENT -> {
                        SdpFragment fragment = fragment(request.getIceFragment());
                        calls.trickled(fragment.candidates());
                        yield negotiation.take(
                                fragment, meantFor, request.getIceRestart(), candidates, change);
                    }
                    case CHANGE_NOT_SET ->
                            throw new RefusedException(
                                    Status.Code.INVALID_ARGUMENT,
                                    "nothing_to_change",
                                    null,
                                    "neither an offer nor a fragment is given");
                };
        if (taken.text() != null && request.hasOfferSdp()) {
            response.setAnswerSdp(taken.text());
        } else if (taken.text() != null) {
            response.setIceFragment(taken.text());
        }
        return response.setIceGeneration(taken.generation()).build();
    }

    private static SdpFragment fragment(String text) throws RefusedException {
        try {
            return SdpFragment.parse(text);
        } catch (SdpException e) {
            throw RefusedException.badSdp(e);
        }
    }

    /** What a later offer changes about a call. */
    private final class CallChange implements Negotiation.Change {
        private final Calls.Call call;

        CallChange(Calls.Call call) {
            this.call = call;
        }

        @Override
        public void restart(IceCredentials fresh, IceCredentials remote) throws RefusedException {
            if (!await(call.loop().restart(call.session(), fresh, remote))) {
                throw RefusedException.noSuchSession();
            }
            calls.restarted();
        }

        @Override
        public void direct(SdpDirection direction) {
            call.loop().direct(call.session(), direction);
        }
    }

    /** Waits for a media loop's answer. */
    private <T> T await(CompletableFuture<T> answer) throws RefusedException {
        try {
            return answer.get(settings.readyNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw RefusedException.unavailable("shutting_down", "the transceiver stops");
        } catch (ExecutionException | TimeoutException e) {
            throw RefusedException.overloaded();
        }
    }
}
