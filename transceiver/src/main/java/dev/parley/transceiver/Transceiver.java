package dev.parley.transceiver;

import dev.parley.otel.Histogram;
import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.otel.trace.Tracing;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.rtp.NtpTime;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.load.Congestion;
import dev.parley.runtime.load.LoopWatch;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.LoopThreads;
import dev.parley.runtime.udp.UdpBindException;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import dev.parley.transceiver.audio.OpusBandwidth;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.control.CallRows;
import dev.parley.transceiver.control.CallSetup;
import dev.parley.transceiver.control.Calls;
import dev.parley.transceiver.control.ControlServer;
import dev.parley.transceiver.control.ControlService;
import dev.parley.transceiver.control.Draining;
import dev.parley.transceiver.control.OutputSettings;
import dev.parley.transceiver.control.RouteMint;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.OutputMemory;
import dev.parley.transceiver.realtime.RealtimeCounters;
import dev.parley.transceiver.realtime.RealtimeSurface;
import dev.parley.transceiver.recording.CallTape;
import dev.parley.transceiver.recording.RecordingCounters;
import dev.parley.transceiver.recording.Recordings;
import dev.parley.transceiver.session.EndReason;
import dev.parley.transceiver.session.LoopSettings;
import dev.parley.transceiver.session.LoopThread;
import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.SessionLimits;
import dev.parley.transceiver.session.SetupWork;
import dev.parley.transceiver.trace.CallTraces;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The transceiver service: owns every bit of WebRTC state of its calls. */
public final class Transceiver implements AutoCloseable {
    private static final long USUAL_CALL_NANOS = 10_000_000L;
    private static final Logger LOGGER = System.getLogger(Transceiver.class.getName());

    private static final long END_CALLS_SECONDS = 2;

    private final List<Loop> loops;
    private final Backends backends;
    private final Calls calls;
    private final Draining draining;
    private final Congestion congestion;
    private final Duration drainTimeout;
    private final Optional<Recordings> recordings;
    private final ControlServer server;
    private final LoopWatch loopWatch;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** A media loop, its thread and its address. */
    private record Loop(MediaLoop loop, LoopThread thread, InetSocketAddress address) {}

    private final List<RouteMint> mints;

    private Transceiver(
            List<Loop> loops,
            Backends backends,
            Calls calls,
            Draining draining,
            Congestion congestion,
            Duration drainTimeout,
            Optional<Recordings> recordings,
            ControlServer server,
            List<RouteMint> mints) {
        this.mints = mints;
        this.loops = loops;
        this.backends = backends;
        this.calls = calls;
        this.draining = draining;
        this.congestion = congestion;
        this.drainTimeout = drainTimeout;
        this.recordings = recordings;
        this.server = server;
        // Its loops tell themselves how long their turns took.
        this.loopWatch =
                LoopWatch.start(
                        loops.stream().map(loop -> loop.thread().pulse()).toList(),
                        _ -> {},
                        standing -> standsStill(standing, loops, server));
    }

    private static void standsStill(boolean standing, List<Loop> loops, ControlServer server) {
        if (standing) {
            LOGGER.log(Level.ERROR, "a media loop stands still, its callers hear nothing");
        } else {
            LOGGER.log(Level.INFO, "all media loops turn again");
        }
        server.serving(!standing && loops.stream().noneMatch(loop -> loop.loop().isDead()));
    }

    /**
     * Binds the sockets and begins to take calls.
     *
     * @throws ConfigException when an address cannot be bound or a value cannot be used; the
     *     message names the key
     */
    public static Transceiver start(TransceiverConfig config, Telemetry telemetry) {
        return start(config, telemetry, null);
    }

    /**
     * The same for a benchmark that reaches backends in another way.
     *
     * @param channels null for those over HTTP/2
     */
    public static Transceiver start(
            TransceiverConfig config, Telemetry telemetry, Backends.@Nullable Channels channels) {
        LOGGER.log(Level.INFO, "transceiver config:\n" + ConfigLoader.describe(config));
        SecureRandom random = new SecureRandom();
        LongSupplier clock = System::nanoTime;
        NtpTime ntp = new NtpTime(unixNanos(), clock.getAsLong());
        RouteKeys keys = config.keys();
        DtlsIdentity identity = DtlsIdentity.generate(random);
        // A call costs one side of a handshake, and about as much around it.
        SetupWork work = setupWork(config, WarmUp.run(identity, random), clock);
        Calls calls = new Calls(config.maxSessions());
        Draining draining = new Draining();
        Congestion congestion = Congestion.watch(config.maxDelay());
        AudioCounters audio = new AudioCounters();
        RealtimeCounters realtime = new RealtimeCounters();
        List<Loop> loops = new ArrayList<>();
        Tracing tracing = telemetry.tracing("transceiver");
        RecordingCounters recorded = new RecordingCounters();
        Optional<Recordings> recordings =
                config.findRecording()
                        .map(to -> Recordings.start(to, recorded, clock, Clock.systemUTC()));
        Backends backends =
                Backends.open(
                        config.backends(),
                        config.backendSettings(),
                        audio,
                        tracing,
                        recordings.isPresent() ? recordings.get() : CallTape.Source.NONE,
                        channels);
        try {
            InetSocketAddress media = mediaAddress(config);
            LoopSettings settings = new LoopSettings(config.relayCidrs(), keys);
            CompletableFuture<ControlServer> serving = new CompletableFuture<>();
            Runnable onDied =
                    () -> {
                        var _ = serving.thenAccept(server -> server.serving(false));
                    };
            Histogram stalls = telemetry.histogram(Metric.LOOP_STALL);
            LongConsumer onStall = nanos -> stalls.record(nanos / 1e9, "media");
            for (int i = 0; i < config.mediaLoops(); i++) {
                loops.add(
                        open(
                                config,
                                settings,
                                media,
                                i,
                                clock,
                                ntp,
                                random,
                                calls,
                                backends::flush,
                                onDied,
                                onStall));
            }
            List<CallSetup.Target> targets =
                    loops.stream()
                            .map(
                                    loop ->
                                            new CallSetup.Target(
                                                    loop.loop(),
                                                    new RouteMint(
                                                            keys,
                                                            config.routeKeyId(),
                                                            config.clusterId(),
                                                            loop.address())))
                            .toList();
            OutputMemory output =
                    new OutputMemory(config.outputMemoryBytes(), config.outputMemoryBytes() / 8);
            telemetry.gauge(Metric.TRANSCEIVER_OUTPUT_WAITING, output::bytes);
            CallSetup setup =
                    new CallSetup(
                            settings(config, output),
                            calls,
                            work,
                            backends,
                            targets,
                            identity,
                            handshake(config, random),
                            // Loaded now, not while the first caller waits.
                            OpusLibrary.best(),
                            RealtimeSurface.factory(realtime),
                            clock,
                            random,
                            new CallTraces(tracing, telemetry, clock));
            ControlService service = new ControlService(setup, calls, draining, congestion);
            ControlServer server =
                    ControlServer.start(
                            config.controlAddress().resolve("control_address"), service, tracing);
            try {
                serving.complete(server);
                telemetry.view("sessions", new CallRows(calls));
                TransceiverMetrics.register(
                        telemetry,
                        loops.stream().map(Loop::loop).toList(),
                        calls,
                        draining,
                        congestion,
                        work,
                        audio,
                        backends.links(),
                        realtime,
                        recorded);
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
            Transceiver started =
                    new Transceiver(
                            List.copyOf(loops),
                            backends,
                            calls,
                            draining,
                            congestion,
                            config.drainTimeout(),
                            recordings,
                            server,
                            targets.stream().map(CallSetup.Target::routes).toList());
            LOGGER.log(Level.INFO, started.addresses());
            return started;
        } catch (RuntimeException e) {
            congestion.close();
            loops.forEach(loop -> loop.thread().close());
            backends.close();
            recordings.ifPresent(Recordings::close);
            throw e;
        }
    }

    private static long unixNanos() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    private static SetupWork setupWork(
            TransceiverConfig config, long callNanos, LongSupplier clock) {
        return new SetupWork(
                SetupWork.workersOf(Runtime.getRuntime().availableProcessors()),
                config.maxDelay().toNanos(),
                // A warm-up that failed measured nothing.
                callNanos == 0 ? USUAL_CALL_NANOS : callNanos,
                clock);
    }

    private static CallSetup.Settings settings(TransceiverConfig config, OutputMemory output) {
        return new CallSetup.Settings(
                new SessionLimits(
                        config.setupTimeout().toNanos(),
                        config.consentTimeout().toNanos(),
                        config.maxDuration().toNanos(),
                        config.reorderWait().toNanos(),
                        (int) samples(config.outputCushion()),
                        config.outputCatchUp().toNanos(),
                        config.idleTimeout().toNanos(),
                        Math.ceilDiv(config.maxHandshakes(), config.mediaLoops())),
                samples(config.outputHighWater()),
                output,
                new OutputSettings((int) config.packetTime().toMillis(), encoder(config)),
                config.backendReadyTimeout().toNanos(),
                config.red(),
                config.nack(),
                config.sped(),
                config.snap());
    }

    private static DtlsHandshake handshake(TransceiverConfig config, SecureRandom random) {
        DtlsHandshake handshake =
                new DtlsHandshake(
                        random,
                        (int) config.setupTimeout().toMillis(),
                        DtlsHandshake.DEFAULT_RESEND_MILLIS);
        return config.dtlsFalseStart() ? handshake : handshake.withoutFalseStart();
    }

    private static OpusSettings encoder(TransceiverConfig config) {
        return new OpusSettings(
                config.opusBitrate(),
                config.opusComplexity(),
                config.opusFec(),
                OpusSettings.VOICE.expectedLossPercent(),
                config.outputDtx(),
                false,
                OpusBandwidth.FULL);
    }

    private static long samples(Duration duration) {
        return duration.toMillis() * (InputClock.RATE_HZ / 1000);
    }

    /** What relays send to, so it must be an address and not all of them. */
    private static InetSocketAddress mediaAddress(TransceiverConfig config) {
        InetSocketAddress address = config.mediaAddress().resolve("media_address");
        if (address.getAddress().isAnyLocalAddress()) {
            throw new ConfigException(
                    "media_address: \""
                            + config.mediaAddress()
                            + "\" is a wildcard, but relays send to it;"
                            + " give the address of this machine that they reach");
        }
        return address;
    }

    private static Loop open(
            TransceiverConfig config,
            LoopSettings settings,
            InetSocketAddress base,
            int index,
            LongSupplier clock,
            NtpTime ntp,
            SecureRandom random,
            Calls calls,
            Runnable afterTurn,
            Runnable onDied,
            LongConsumer onStall) {
        int wanted = base.getPort() == 0 ? 0 : base.getPort() + index;
        UdpPoller poller = config.udp().open();
        UdpPort port;
        try {
            port =
                    poller.bind(
                            new InetSocketAddress(base.getAddress(), wanted),
                            new UdpOptions(
                                    false, config.receiveBufferBytes(), config.sendBufferBytes()));
        } catch (UdpBindException e) {
            poller.close();
            throw new ConfigException(
                    "media_address: "
                            + e.getMessage()
                            + "; free it or give an address of this machine");
        }
        MediaLoop loop =
                new MediaLoop(settings, port, poller::wakeup, ntp, random, calls, afterTurn);
        LoopThread thread =
                LoopThread.start(
                        LoopThreads.factory("media-loop-", config.udp()),
                        loop,
                        poller,
                        clock,
                        onDied,
                        onStall,
                        config.packetGathering().toNanos());
        return new Loop(loop, thread, port.localAddress());
    }

    private String addresses() {
        StringBuilder text = new StringBuilder("transceiver on");
        mediaAddresses().forEach(a -> text.append(' ').append(IpAddress.text(a)));
        return text + ", control on " + IpAddress.text(controlAddress());
    }

    /** Where signaling reaches it. */
    public InetSocketAddress controlAddress() {
        return server.address();
    }

    /** Where relays reach its media loops. */
    public List<InetSocketAddress> mediaAddresses() {
        return loops.stream().map(Loop::address).toList();
    }

    /**
     * Takes the route keys of a config that was read again; calls go on, as long as the key of
     * their token is still among them. Certificates for backends are read again, too. Nothing else
     * of it is looked at.
     */
    public void reload(TransceiverConfig config) {
        RouteKeys keys = config.keys();
        loops.forEach(loop -> loop.loop().useKeys(keys));
        mints.forEach(mint -> mint.useKey(keys, config.routeKeyId()));
        backends.refreshTls();
        LOGGER.log(
                Level.INFO,
                "route keys were read again; new tokens are sealed with key {0}",
                config.routeKeyId());
    }

    /**
     * Takes no new calls and waits for those that exist to end, for the drain timeout at most. Then
     * {@link #close} it, unless this answers false: somebody wants it to go on.
     *
     * @param onRevoked run as soon as that is so, before whoever wants it is answered
     */
    public boolean drain(Runnable onRevoked) {
        Draining.Wait wait = draining.begin(onRevoked);
        LOGGER.log(
                Level.INFO,
                "draining: {0} calls, which have {1} s",
                calls.count(),
                drainTimeout.toSeconds());
        Draining.Outcome outcome = wait.await(() -> calls.count() == 0, drainTimeout);
        LOGGER.log(
                Level.INFO,
                switch (outcome) {
                    case EMPTY -> "drained";
                    case DEADLINE -> "drained no further: " + calls.count() + " calls are left";
                    case REVOKED -> "draining was revoked; new calls are taken again";
                });
        return outcome != Draining.Outcome.REVOKED;
    }

    /** Ends all calls, tells everyone why, and stops. Calling it again does nothing. */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        draining.close();
        congestion.close();
        loopWatch.close();
        server.drain();
        endCalls();
        loops.forEach(loop -> loop.thread().close());
        backends.close();
        recordings.ifPresent(Recordings::close);
        calls.awaitTold();
        server.close();
        LOGGER.log(Level.INFO, "transceiver stopped");
    }

    private void endCalls() {
        CompletableFuture<?>[] ended =
                loops.stream()
                        .map(
                                loop ->
                                        loop.loop()
                                                .endAll(
                                                        EndReason.SHUTDOWN,
                                                        "the transceiver stops"))
                        .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(ended).get(END_CALLS_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOGGER.log(Level.WARNING, "calls could not be ended in time", e);
        }
    }
}
