package dev.parley.bench.relay;

import dev.parley.otel.Telemetry;
import dev.parley.relay.Relay;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigLoader;
import dev.parley.runtime.udp.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Relays of two clusters in one process: clients come in by the one, the transceiver is the
 * other's. So what this process uses more than {@link RelayUnderTest} is what the second hop costs.
 */
public final class TwoRelaysUnderTest {
    private static final int INGRESS = 1;

    /** The cluster that the load's route tokens name. */
    private static final int HOME = 0;

    private TwoRelaysUnderTest() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, String> options = RelayUnderTest.options(arguments);
        InetSocketAddress ingressLeg = BenchRun.freeAddress();
        InetSocketAddress homeLeg = BenchRun.freeAddress();
        Path map = Files.createTempFile("clusters-under-test", ".yaml");
        map.toFile().deleteOnExit();
        Files.writeString(
                map,
                """
                clusters:
                  - {id: %d, name: ingress, region: one, latitude: 0, longitude: 0, relays: [
                      {public: "%s", legs: "%s"}]}
                  - {id: %d, name: home, region: two, latitude: 0, longitude: 0, relays: [
                      {public: "127.0.0.1:1", legs: "%s"}]}
                """
                        .formatted(
                                INGRESS,
                                options.get("public_addresses"),
                                IpAddress.text(ingressLeg),
                                HOME,
                                IpAddress.text(homeLeg)));
        options.put("cluster_map", map.toString());
        options.put("leg_keys", RelayFile.KEY_ID + "=" + RelayFile.KEY_HEX);
        options.put("leg_key_id", String.valueOf(RelayFile.KEY_ID));
        Relay home = start(options, HOME, homeLeg, "127.0.0.1:0");
        Relay ingress =
                start(
                        options,
                        INGRESS,
                        ingressLeg,
                        Objects.requireNonNull(options.get("public_addresses")));
        System.out.println("ready " + ingress.publicAddresses() + " and " + home.publicAddresses());
        RelayUnderTest.answer();
    }

    private static Relay start(
            Map<String, String> options, int cluster, InetSocketAddress leg, String publicAddress)
            throws IOException {
        Map<String, String> own = new LinkedHashMap<>(options);
        own.put("cluster_id", String.valueOf(cluster));
        own.put("leg_address", IpAddress.text(leg));
        own.put("public_addresses", publicAddress);
        Path file = RelayFile.write(own);
        return Relay.start(ConfigLoader.load(RelayConfig.class, file), Telemetry.none());
    }
}
