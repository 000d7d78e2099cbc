package dev.parley.app;

import dev.parley.inferencestub.InferenceStub;
import dev.parley.inferencestub.InferenceStubConfig;
import dev.parley.otel.Telemetry;
import dev.parley.relay.Relay;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.Signaling;
import dev.parley.signaling.SignalingConfig;
import dev.parley.transceiver.Transceiver;
import dev.parley.transceiver.TransceiverConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The four services in one process, joined by the same sockets as in a fleet, with keys that live
 * as long as the process. Only the page and the public media port are at known places.
 */
public final class AllInOne implements AutoCloseable {
    private static final String LOOPBACK_ANY_PORT = "127.0.0.1:0";
    private static final int KEY_BYTES = 16;

    private final ClosingStack services;
    private final InetSocketAddress http;
    private final InetSocketAddress relay;

    private AllInOne(ClosingStack services, InetSocketAddress http, InetSocketAddress relay) {
        this.services = services;
        this.http = http;
        this.relay = relay;
    }

    /**
     * Starts everything, or nothing.
     *
     * @throws ConfigException when an address cannot be bound; the message names the option to
     *     change
     */
    public static AllInOne start(UpOptions options, Telemetry telemetry) {
        return start(options, telemetry, config -> InferenceStub.start(config, telemetry));
    }

    /** As above, with an inference stub of the caller's making, so that it can be watched. */
    public static AllInOne start(UpOptions options, Telemetry telemetry, StubStarter stubStarter) {
        ClosingStack services = new ClosingStack();
        try {
            String routeKeys = "1=" + randomKey();
            String publicAddresses =
                    options.publicAddresses().stream()
                            .map(each -> new HostPort(each.getHostAddress(), options.udpPort()))
                            .map(HostPort::toString)
                            .collect(Collectors.joining(","));

            // The relay first, so that it stops last and the transceiver's goodbyes reach their
            // clients.
            Relay relay =
                    services.push(
                            explaining(
                                    "--udp and --public-address",
                                    () ->
                                            Relay.start(
                                                    ConfigLoader.of(
                                                            RelayConfig.class,
                                                            Map.of(
                                                                    "public_addresses",
                                                                    publicAddresses,
                                                                    "upstream_address",
                                                                    LOOPBACK_ANY_PORT,
                                                                    "workers",
                                                                    "1",
                                                                    "flow_store",
                                                                    "memory",
                                                                    "handover",
                                                                    "false",
                                                                    "health_address",
                                                                    LOOPBACK_ANY_PORT,
                                                                    "transceiver_cidrs",
                                                                    "127.0.0.0/8",
                                                                    "route_keys",
                                                                    routeKeys)),
                                                    telemetry)));
            InferenceStub stub =
                    services.push(
                            stubStarter.start(
                                    ConfigLoader.of(
                                            InferenceStubConfig.class,
                                            Map.of("grpc_address", LOOPBACK_ANY_PORT))));
            Transceiver transceiver =
                    services.push(
                            Transceiver.start(
                                    ConfigLoader.of(
                                            TransceiverConfig.class,
                                            Map.of(
                                                    "media_address",
                                                    LOOPBACK_ANY_PORT,
                                                    "control_address",
                                                    LOOPBACK_ANY_PORT,
                                                    "relay_cidrs",
                                                    "127.0.0.0/8",
                                                    "route_key_id",
                                                    "1",
                                                    "route_keys",
                                                    routeKeys,
                                                    "backends",
                                                    "*=" + HostPort.of(stub.address()))),
                                    telemetry));
            List<InetSocketAddress> relayAddresses = relay.publicAddresses();
            Map<String, String> signalingOptions = new HashMap<>();
            signalingOptions.put(
                    "http_address",
                    httpHost(options.publicAddresses().getFirst()) + ":" + options.httpPort());
            signalingOptions.put(
                    "transceivers", HostPort.of(transceiver.controlAddress()).toString());
            signalingOptions.put(
                    "relay_addresses",
                    relayAddresses.stream()
                            .map(each -> HostPort.of(each).toString())
                            .collect(Collectors.joining(",")));
            signalingOptions.put("call_id_key", randomKey());
            signalingOptions.put("auth", "any");
            Signaling signaling =
                    services.push(
                            explaining(
                                    "--http",
                                    () ->
                                            Signaling.start(
                                                    ConfigLoader.of(
                                                            SignalingConfig.class,
                                                            signalingOptions),
                                                    telemetry)));
            return new AllInOne(services, signaling.address(), relayAddresses.getFirst());
        } catch (RuntimeException e) {
            services.close();
            throw e;
        }
    }

    /** Starts the inference stub from its config. */
    @FunctionalInterface
    public interface StubStarter {
        InferenceStub start(InferenceStubConfig config);
    }

    /** Where a person talks to it. */
    public String url() {
        return "http://localhost:" + http.getPort();
    }

    /** The public media address that answers advertise first. */
    public InetSocketAddress relayAddress() {
        return relay;
    }

    @Override
    public void close() {
        services.close();
    }

    private static <T> T explaining(String flags, Supplier<T> start) {
        try {
            return start.get();
        } catch (ConfigException e) {
            throw new ConfigException(e.getMessage() + " (set here by " + flags + ")");
        }
    }

    // A page on a public address is meant to be reached from there; otherwise nobody but this
    // machine may.
    private static String httpHost(InetAddress publicAddress) {
        return publicAddress.isLoopbackAddress() ? "127.0.0.1" : "0.0.0.0";
    }

    private static String randomKey() {
        byte[] key = new byte[KEY_BYTES];
        new SecureRandom().nextBytes(key);
        return HexFormat.of().formatHex(key);
    }
}
