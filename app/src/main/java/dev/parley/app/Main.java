package dev.parley.app;

import dev.parley.app.load.LoadCommand;
import dev.parley.app.load.LoadOptions;
import dev.parley.inferencestub.InferenceStub;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.otel.AdminServer;
import dev.parley.otel.MaskedAddresses;
import dev.parley.otel.Metric;
import dev.parley.otel.ProcessWatch;
import dev.parley.otel.Telemetry;
import dev.parley.relay.Relay;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.Signaling;
import dev.parley.signaling.SignalingConfig;
import dev.parley.signaling.auth.ApiKeys;
import dev.parley.transceiver.Transceiver;
import dev.parley.transceiver.TransceiverConfig;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The process behind {@code ./parley}: one service alone, or all in one. */
public final class Main {
    /** The command line or the config cannot be used; the reason stands on standard error. */
    private static final int EXIT_USAGE = 2;

    /** What was asked for was tried and did not succeed. */
    private static final int EXIT_FAILED = 1;

    private static final System.Logger LOGGER = System.getLogger(Main.class.getName());

    private Main() {}

    /**
     * Runs until SIGINT or SIGTERM; {@code api-key}, {@code replay} and {@code load} end by
     * themselves.
     *
     * @param args {@code up [--http PORT] [--udp PORT] [--public-address IP]}, {@code api-key
     *     NAME}, {@code replay FILE --to HOST:PORT}, or a service's name with {@code --config FILE}
     */
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("load")) {
            PacketLoops.leaveACore();
        } else {
            PacketLoops.sizeScheduler();
        }
        PageLimits.set();
        Logging.configure();
        try {
            run(args);
        } catch (ConfigException e) {
            System.err.println("parley: " + e.getMessage());
            System.exit(EXIT_USAGE);
        }
    }

    private static void run(String[] args) {
        Arguments arguments = Arguments.parse(args);
        switch (arguments.command()) {
            case "up" -> up(arguments);
            case "api-key" -> apiKey(arguments);
            case "replay" -> {
                if (!ReplayCommand.run(arguments)) {
                    System.exit(EXIT_FAILED);
                }
            }
            case "load" -> load(arguments);
            case "relay" ->
                    serve(
                            arguments,
                            RelayConfig.class,
                            Relay::start,
                            Relay::publicAddresses,
                            (_, _) -> true,
                            Optional.of(Relay::reload));
            case "transceiver" ->
                    serve(
                            arguments,
                            TransceiverConfig.class,
                            Transceiver::start,
                            transceiver -> List.of(transceiver.controlAddress()),
                            Transceiver::drain,
                            Optional.of(Transceiver::reload));
            case "signaling" ->
                    serve(
                            arguments,
                            SignalingConfig.class,
                            Signaling::start,
                            signaling -> List.of(signaling.address()));
            case "inference-stub" ->
                    serve(
                            arguments,
                            InferenceStubConfig.class,
                            InferenceStub::start,
                            stub -> List.of(stub.address()),
                            (stub, _) -> stub.drain(),
                            Optional.empty());
            default ->
                    throw new ConfigException(
                            "unknown command '"
                                    + arguments.command()
                                    + "': use up, relay, transceiver, signaling or inference-stub");
        }
    }

    private static void up(Arguments arguments) {
        Map<String, String> options =
                arguments.options("http", "udp", "public-address", "admin", "otlp", "rehearsal");
        UpOptions up = UpOptions.of(options);
        Map<String, String> told = new HashMap<>();
        told.put("admin_address", "127.0.0.1:" + options.getOrDefault("admin", "9480"));
        told.put("otlp_endpoint", options.getOrDefault("otlp", ""));
        told.put("rehearsal", options.getOrDefault("rehearsal", "4s"));
        ProcessConfig process = ConfigLoader.of(ProcessConfig.class, told);
        StopSignal stop = StopSignal.install();
        try (ClosingStack services = new ClosingStack()) {
            Telemetry telemetry = watched("up", process, up.toString(), services);
            AllInOne system = services.push(AllInOne.start(up, telemetry));
            Rehearsal.run(process.rehearsal());
            System.out.println("ready " + system.url());
            stop.await();
        }
    }

    /** What goes on in this process, from now on. */
    private static Telemetry watched(
            String command, ProcessConfig process, String config, ClosingStack services) {
        Logging.configure(
                process.logFormat(), process.logMaskAddresses(), MaskedAddresses.of(config));
        Telemetry telemetry =
                services.push(Telemetry.start(command, System.getenv(), process.telemetry()));
        services.push(ProcessWatch.start(telemetry));
        telemetry.counters(Metric.PROCESS_LOG_DROPS, Map.of("standard_error", Logging::dropped));
        process.findAdmin(ProcessConfig.standardAdmin(command))
                .ifPresent(
                        address ->
                                services.push(
                                        AdminServer.start(
                                                telemetry, address, process.peers(command))));
        return telemetry;
    }

    private static void apiKey(Arguments arguments) {
        if (arguments.rest().size() != 1) {
            throw new ConfigException("api-key takes one name, such as: api-key shop");
        }
        ApiKeys.Generated made = ApiKeys.generate(arguments.rest().getFirst(), new SecureRandom());
        System.out.println("the key, shown only now:        " + made.key());
        System.out.println("for the list in api_keys_file:  " + made.fileEntry());
    }

    private static void load(Arguments arguments) {
        if (arguments.rest().contains("--help") || arguments.rest().contains("-h")) {
            System.out.print(LoadOptions.USAGE);
            return;
        }
        int exit = LoadCommand.run(arguments.options(LoadOptions.names()));
        if (exit != 0) {
            System.exit(exit);
        }
    }

    private static <C extends Record, S extends AutoCloseable> void serve(
            Arguments arguments,
            Class<C> configType,
            BiFunction<C, Telemetry, S> start,
            Function<S, List<InetSocketAddress>> addresses) {
        serve(arguments, configType, start, addresses, (_, _) -> true, Optional.empty());
    }

    /**
     * @param drain told to stop: whether the service is ready to, or has been told to go on, in
     *     which case it has run what it is given
     * @param reload what to do with a config that was read again
     */
    private static <C extends Record, S extends AutoCloseable> void serve(
            Arguments arguments,
            Class<C> configType,
            BiFunction<C, Telemetry, S> start,
            Function<S, List<InetSocketAddress>> addresses,
            BiPredicate<S, Runnable> drain,
            Optional<BiConsumer<S, C>> reload) {
        String file = arguments.options("config").get("config");
        if (file == null) {
            throw new ConfigException(
                    arguments.command()
                            + " needs --config FILE, for example app/config/"
                            + arguments.command()
                            + ".yaml");
        }
        C config = ConfigLoader.loadBeside(configType, ProcessConfig.class, Path.of(file));
        ProcessConfig process =
                ConfigLoader.loadBeside(ProcessConfig.class, configType, Path.of(file));
        StopSignal stop = StopSignal.install();
        try (ClosingStack services = new ClosingStack()) {
            Telemetry telemetry =
                    watched(
                            arguments.command(),
                            process,
                            ConfigLoader.describe(config) + ConfigLoader.describe(process),
                            services);
            Rehearsal.run(process.rehearsal());
            S service = services.push(start.apply(config, telemetry));
            System.out.println(
                    "ready " + arguments.command() + " " + text(addresses.apply(service)));
            reload.ifPresent(
                    take ->
                            services.push(
                                    ConfigReload.start(
                                            configType,
                                            Path.of(file),
                                            fresh -> take.accept(service, fresh))));
            stop.await();
            while (!drain.test(service, stop::rearm)) {
                LOGGER.log(System.Logger.Level.INFO, "going on until the next signal");
                stop.await();
            }
        }
    }

    private static String text(List<InetSocketAddress> addresses) {
        return addresses.stream()
                .map(HostPort::of)
                .map(HostPort::toString)
                .collect(Collectors.joining(" "));
    }
}
