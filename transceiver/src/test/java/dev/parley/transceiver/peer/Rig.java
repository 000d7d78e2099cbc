package dev.parley.transceiver.peer;

import static java.util.Objects.requireNonNull;

import dev.parley.otel.Telemetry;
import dev.parley.otel.trace.RecentCalls;
import dev.parley.otel.trace.Tracing;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CloseSessionResponse;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.DescribeSessionRequest;
import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.rtp.NtpTime;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.load.Congestion;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.control.CallSetup;
import dev.parley.transceiver.control.Calls;
import dev.parley.transceiver.control.ControlService;
import dev.parley.transceiver.control.Draining;
import dev.parley.transceiver.control.OutputSettings;
import dev.parley.transceiver.control.RouteMint;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.inference.LinkCounters;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.OutputMemory;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.realtime.RealtimeCounters;
import dev.parley.transceiver.realtime.RealtimeSurface;
import dev.parley.transceiver.recording.CallTape;
import dev.parley.transceiver.session.LoopMetrics;
import dev.parley.transceiver.session.LoopSettings;
import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.SessionLimits;
import dev.parley.transceiver.session.SetupWork;
import dev.parley.transceiver.trace.CallTraces;
import io.grpc.stub.StreamObserver;
import io.opentelemetry.sdk.resources.Resource;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A media loop that the test drives by hand, with the control API, a voice agent and clients around
 * it. Time passes only in {@link #advance}; what other threads do (DTLS, gRPC, codecs) is waited
 * for.
 */
public final class Rig implements AutoCloseable {
    public static final Address RELAY = Address.ipv4(99, 4_000);
    public static final Address OTHER_RELAY = Address.ipv4(98, 4_000);
    public static final Address PROXY = Address.ipv4(200, 3_478);

    public static final SessionLimits LIMITS =
            new SessionLimits(
                    Duration.ofSeconds(15).toNanos(),
                    Duration.ofSeconds(30).toNanos(),
                    Duration.ofHours(1).toNanos(),
                    Duration.ofMillis(60).toNanos(),
                    960,
                    0,
                    Duration.ofMinutes(10).toNanos(),
                    100);

    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final long MILLI = 1_000_000L;
    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(new SecureRandom());

    /** Where a client's datagrams appear to come from. */
    public record Place(Address client, boolean headed) {}

    /** A network in place of the rig's own, which brings everything at once. */
    public interface Network extends FakeUdpPort.Network {
        /** Time has passed; what is due may {@link #arriveHeaded} or {@link #arrivePlain}. */
        void advanceTo(long nowNanos);
    }

    private final FakeVoiceAgent agent;
    private final FakeUdpPort port = new FakeUdpPort((to, bytes) -> network().sent(to, bytes));
    private @Nullable Network network;
    private final Semaphore wakeups = new Semaphore(0);
    private final AudioCounters audio = new AudioCounters();
    private final OutputMemory memory = new OutputMemory(1 << 27, 1 << 24);
    private final Backends backends;
    private final MediaLoop loop;
    private final RouteMint mint;
    private final Calls calls;
    private final Draining draining = new Draining();
    private final RecentCalls traces = new RecentCalls(100);
    private final ControlService control;
    private final Map<Address, List<Peer>> clients = new HashMap<>();
    private final Map<Place, Place> moved = new ConcurrentHashMap<>();
    private volatile Address lastRelay = RELAY;
    private final AtomicLong now;

    public Rig(FakeVoiceAgent agent, SessionLimits limits, long highWaterMillis) {
        this(agent, limits, highWaterMillis, 3);
    }

    public Rig(FakeVoiceAgent agent, SessionLimits limits, long highWaterMillis, int maxCalls) {
        this(agent, limits, highWaterMillis, maxCalls, 1_000_000_000_000L, 500);
    }

    /**
     * @param startNanos what the clock shows at first
     * @param resendMillis after how long DTLS sends again, in real time
     */
    public Rig(
            FakeVoiceAgent agent,
            SessionLimits limits,
            long highWaterMillis,
            int maxCalls,
            long startNanos,
            int resendMillis) {
        this(
                agent,
                Map.of("*", agent.target()),
                BackendSettings.DEFAULT,
                CallTape.Source.NONE,
                limits,
                highWaterMillis,
                maxCalls,
                startNanos,
                resendMillis);
    }

    /** With several agents; the first is {@link #agent}. */
    public static Rig withReplicas(BackendSettings settings, FakeVoiceAgent... agents) {
        return new Rig(
                agents[0],
                Map.of(
                        "*",
                        Arrays.stream(agents)
                                .map(FakeVoiceAgent::target)
                                .collect(Collectors.joining(" "))),
                settings,
                CallTape.Source.NONE,
                LIMITS,
                600_000,
                3,
                1_000_000_000_000L,
                500);
    }

    /** One whose calls are kept. */
    public static Rig recording(FakeVoiceAgent agent, CallTape.Source tapes) {
        return new Rig(
                agent,
                Map.of("*", agent.target()),
                BackendSettings.DEFAULT,
                tapes,
                LIMITS,
                600_000,
                3,
                1_000_000_000_000L,
                500);
    }

    private Rig(
            FakeVoiceAgent agent,
            Map<String, String> targets,
            BackendSettings settings,
            CallTape.Source tapes,
            SessionLimits limits,
            long highWaterMillis,
            int maxCalls,
            long startNanos,
            int resendMillis) {
        this.agent = agent;
        now = new AtomicLong(startNanos);
        calls = new Calls(maxCalls);
        backends = Backends.open(targets, settings, audio, Tracing.none(), tapes, null);
        SecureRandom random = new SecureRandom();
        RouteKeys keys = RouteKeys.of(Map.of(1, new byte[16]));
        mint = new RouteMint(keys, 1, 7, port.localAddress());
        loop =
                new MediaLoop(
                        new LoopSettings(List.of(Cidr.parse("10.0.0.96/30")), keys),
                        port,
                        wakeups::release,
                        new NtpTime(1_700_000_000_000_000_000L, now.get()),
                        random,
                        calls,
                        backends::flush);
        CallSetup setup =
                new CallSetup(
                        new CallSetup.Settings(
                                limits,
                                highWaterMillis * 48,
                                memory,
                                OutputSettings.DEFAULT,
                                Duration.ofSeconds(2).toNanos(),
                                true,
                                true,
                                true,
                                true),
                        calls,
                        SetupWork.unbounded(),
                        backends,
                        List.of(new CallSetup.Target(loop, mint)),
                        IDENTITY,
                        new DtlsHandshake(random, 60_000, resendMillis),
                        OpusLibrary.best(),
                        RealtimeSurface.factory(new RealtimeCounters()),
                        now::get,
                        random,
                        new CallTraces(
                                Tracing.of(Resource.getDefault(), 1, List.of(traces)),
                                Telemetry.none(),
                                now::get));
        control = new ControlService(setup, calls, draining, Congestion.none());
    }

    public static Rig withOpus() {
        return new Rig(new FakeVoiceAgent(FakeVoiceAgent.opus(), false), LIMITS, 600_000);
    }

    public FakeVoiceAgent agent() {
        return agent;
    }

    public long now() {
        return now.get();
    }

    /** The spans of its calls. */
    public RecentCalls traces() {
        return traces;
    }

    /** Datagrams that the loop has received so far. */
    public int taken() {
        return port.taken();
    }

    public ControlService control() {
        return control;
    }

    /** Rotates route keys: tokens of all of these are opened, new ones sealed with one. */
    public void useKeys(RouteKeys keys, int sealWith) {
        loop.useKeys(keys);
        mint.useKey(keys, sealWith);
        run();
    }

    public Draining draining() {
        return draining;
    }

    public Calls calls() {
        return calls;
    }

    public MediaLoop loop() {
        return loop;
    }

    /** What happened to streams to inference. */
    public LinkCounters links() {
        return backends.links();
    }

    /** Output that waits in all calls. */
    public OutputMemory memory() {
        return memory;
    }

    /** Dropped audio. */
    public AudioCounters audio() {
        return audio;
    }

    /** A client at a place. */
    public Peer client(String setup, Place place) {
        Peer peer =
                new Peer(
                        setup,
                        place.client().low() + clients.size(),
                        datagram -> arrive(moved.getOrDefault(place, place), datagram));
        // The newest first: it is the one that shakes hands.
        clients.computeIfAbsent(place.client(), _ -> new ArrayList<>()).addFirst(peer);
        return peer;
    }

    /** A client's datagrams now come from elsewhere, and answers must go there. */
    public void rebind(Place from, Place to) {
        clients.put(to.client(), clients.getOrDefault(from.client(), List.of()));
        clients.remove(from.client());
        moved.put(from, to);
    }

    /** A datagram of a client arrives, by the relay used last if it is headed. */
    public void arrive(Place place, byte[] datagram) {
        if (place.headed()) {
            arriveHeaded(lastRelay, place.client(), datagram);
        } else {
            arrivePlain(place.client(), datagram);
        }
    }

    public void arrivePlain(Address client, byte[] datagram) {
        port.arrive(client, datagram);
        wakeups.release();
    }

    public void arriveHeaded(Address relay, Address client, byte[] datagram) {
        ByteBuffer headed = ByteBuffer.allocate(ClientHeader.LENGTH + datagram.length);
        ClientHeader.write(
                headed,
                0,
                client.high(),
                client.low(),
                client.port(),
                PROXY.high(),
                PROXY.low(),
                PROXY.port());
        headed.put(ClientHeader.LENGTH, datagram);
        port.arrive(relay, headed.array());
        wakeups.release();
    }

    /** Datagrams now come through another relay, and answers must go there. */
    public void useRelay(Address relay) {
        lastRelay = relay;
    }

    /** From now on this network carries what is sent. */
    public void useNetwork(Network other) {
        network = other;
    }

    private FakeUdpPort.Network network() {
        return network == null ? this::deliver : network;
    }

    private void deliver(Address to, byte[] datagram) {
        ClientHeader header = new ClientHeader();
        Address client = to;
        byte[] payload = datagram;
        if (header.wrap(ByteBuffer.wrap(datagram), 0, datagram.length)) {
            if (!to.equals(lastRelay)) {
                throw new AssertionError("sent to the wrong relay: " + to);
            }
            client = new Address(header.clientHigh(), header.clientLow(), header.clientPort());
            payload = Arrays.copyOfRange(datagram, ClientHeader.LENGTH, datagram.length);
        }
        for (Peer peer : clients.getOrDefault(client, List.of())) {
            if (peer.receive(payload, now.get())) {
                return;
            }
        }
        throw new AssertionError("nobody wants what was sent to " + client);
    }

    /** Sets a call up and gives the client its answer. */
    public CreateSessionResponse create(Peer peer) {
        return create(peer, "model");
    }

    public CreateSessionResponse create(Peer peer, String model) {
        CreateSessionResponse response = request(call(peer, model), control::createSession);
        peer.answer(response.getAnswerSdp(), now.get());
        return response;
    }

    private static CreateSessionRequest call(Peer peer, String model) {
        return CreateSessionRequest.newBuilder()
                .setOfferSdp(peer.offer())
                .setModel(model)
                .addRelayAddresses("203.0.113.10:3478")
                .build();
    }

    /** A call is made, and its client checks, while the loop's turn has begun. */
    public void createInTurn(Peer peer) {
        port.meanwhile(
                () -> {
                    peer.answer(createUnnoticed(peer).getAnswerSdp(), now.get());
                    peer.check(now.get());
                });
        run();
    }

    /** A call is made, of which the loop hears with its next turn. */
    public CreateSessionResponse createUnnoticed(Peer peer) {
        CompletableFuture<CreateSessionResponse> answer = new CompletableFuture<>();
        control.createSession(call(peer, "model"), new Answer<>(answer, wakeups));
        return answer.join();
    }

    /** Makes a control request on a thread of its own, as gRPC does, while the loop runs. */
    public <Q, R> R request(Q request, BiConsumer<Q, StreamObserver<R>> method) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> method.accept(request, new Answer<>(answer, wakeups)));
        pump(answer::isDone);
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private record Answer<R>(CompletableFuture<R> to, Semaphore wakeups)
            implements StreamObserver<R> {
        @Override
        public void onNext(R value) {
            to.complete(value);
            wakeups.release();
        }

        @Override
        public void onError(Throwable t) {
            to.completeExceptionally(t);
            wakeups.release();
        }

        @Override
        public void onCompleted() {}
    }

    public void close(CreateSessionResponse session) {
        var _ =
                this.<CloseSessionRequest, CloseSessionResponse>request(
                        CloseSessionRequest.newBuilder()
                                .setSessionId(session.getSessionId())
                                .build(),
                        control::closeSession);
    }

    public DescribeSessionResponse describe(CreateSessionResponse session) {
        return request(
                DescribeSessionRequest.newBuilder().setSessionId(session.getSessionId()).build(),
                control::describeSession);
    }

    /** A client with a call whose DTLS is done on both sides. */
    public CreateSessionResponse connect(Peer peer) {
        CreateSessionResponse created = create(peer);
        peer.check(now.get());
        run();
        peer.startDtls();
        pump(() -> peer.dtlsDone() && isConnected(created));
        if (peer.hasAudio()) {
            int before = peer.received().size();
            advanceUntil(() -> peer.received().size() > before);
        }
        return created;
    }

    private boolean isConnected(CreateSessionResponse created) {
        return describe(created).getSetup().hasDtlsConnectedMs();
    }

    /** One turn of the loop at the time that it is. */
    public void run() {
        while (loop.runOnce(now.get()) > 0) {}
    }

    /** Runs the loop, time standing still, until other threads have brought a condition about. */
    public void pump(BooleanSupplier until) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        run();
        while (!until.getAsBoolean()) {
            awaitWakeup(deadline);
            run();
        }
    }

    /** Waits, the loop doing nothing, until other threads have brought a condition about. */
    public void await(BooleanSupplier until) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!until.getAsBoolean()) {
            awaitWakeup(deadline);
        }
    }

    /** Lets time pass in steps of a millisecond. */
    public void advance(long millis) {
        for (long i = 0; i < millis; i++) {
            long moved = now.addAndGet(MILLI);
            if (network != null) {
                network.advanceTo(moved);
            }
            run();
        }
    }

    /** Lets time pass, other threads getting theirs, until a condition holds. */
    public void advanceUntil(BooleanSupplier until) {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!until.getAsBoolean()) {
            advance(5);
            awaitWakeup(deadline);
        }
    }

    private void awaitWakeup(long deadline) {
        if (System.nanoTime() > deadline) {
            throw new AssertionError("it did not happen; counters: " + counters());
        }
        try {
            if (wakeups.tryAcquire(1, TimeUnit.MILLISECONDS)) {
                wakeups.drainPermits();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** DTLS in checks and their answers. */
    public long dtlsInStun(String direction) {
        return requireNonNull(new LoopMetrics(List.of(loop)).dtlsInStun().get(direction))
                .getAsLong();
    }

    /** Drops that were counted, by reason, those that are 0 left out. */
    public Map<String, Long> counters() {
        Map<String, Long> counts = new HashMap<>();
        new LoopMetrics(List.of(loop))
                .drops()
                .forEach(
                        (reason, count) -> {
                            if (count.getAsLong() > 0) {
                                counts.put(reason, count.getAsLong());
                            }
                        });
        return counts;
    }

    @Override
    public void close() {
        var _ = loop.endAll(dev.parley.transceiver.session.EndReason.SHUTDOWN, "test is over");
        run();
        backends.close();
        agent.close();
    }
}
