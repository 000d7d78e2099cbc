package dev.parley.signaling;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.config.Option;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/**
 * Everything that a signaling process can be told. All instances behind one name must share {@code
 * call_id_key}, so that each can act on calls that another created.
 */
public record SignalingConfig(
        @Option(
                        value = "address of the HTTP server; port 0 takes any free one",
                        orElse = "0.0.0.0:8080")
                HostPort httpAddress,
        @Option("control addresses of the transceivers that calls are spread over")
                List<HostPort> transceivers,
        @Option(
                        "public relay addresses that answers advertise, best first; literal IP"
                                + " addresses that clients can reach")
                List<HostPort> relayAddresses,
        @Option(
                        value =
                                "seals call ids; 32 hex digits, the same on every signaling"
                                        + " instance (make one with: openssl rand -hex 16)",
                        secret = true)
                String callIdKey,
        @Option(value = "model of a call whose client names none", orElse = "parrot")
                String defaultModel,
        @Option(
                        value = "largest request body in bytes",
                        orElse = "65536",
                        min = 1_024,
                        max = 1_048_576)
                int maxBodyBytes,
        @Option(
                        value =
                                "time within which a request's headers, and then its body, must arrive",
                        orElse = "5s",
                        min = 1,
                        max = 60_000)
                Duration receiveTimeout,
        @Option(
                        value =
                                "time that one transceiver has to answer an offer; a second one is"
                                        + " asked when it fails",
                        orElse = "4s",
                        min = 1,
                        max = 60_000)
                Duration createTimeout,
        @Option(
                        value = "time that a transceiver has to end or describe a call",
                        orElse = "2s",
                        min = 1,
                        max = 60_000)
                Duration controlTimeout,
        @Option(
                        value =
                                "who may call: any accepts every request, whatever its"
                                        + " Authorization header",
                        orElse = "any")
                Auth auth,
        @Option(
                        value =
                                "web origins, such as https://shop.example, whose pages may call;"
                                        + " * allows every one, empty only our own page",
                        orElse = "*")
                List<String> allowedOrigins,
        @Option(
                        value = "time for which browsers may remember that an origin is allowed",
                        orElse = "2h",
                        max = 86_400_000)
                Duration corsMaxAge,
        @Option(value = "serve the page for trying Parley out at /", orElse = "true")
                boolean demoPage,
        @Option(
                        value = "calls that one client address may start a minute; 0 is no limit",
                        orElse = "0",
                        min = 0,
                        max = 1_000_000)
                int rateLimitPerMinute,
        @Option(
                        value = "calls that one client address may start at once, within the limit",
                        orElse = "10",
                        min = 1,
                        max = 1_000_000)
                int rateLimitBurst,
        @Option(
                        value = "most open client connections; further ones wait",
                        orElse = "10000",
                        min = 1)
                int maxConnections,
        @Option(
                        value = "time after which an idle client connection is closed",
                        orElse = "60s",
                        min = 100)
                Duration idleTimeout) {

    /** Who may call. */
    public enum Auth {
        /** Everyone: the Authorization header is not read. */
        ANY
    }

    public SignalingConfig {
        requireSome("transceivers", transceivers, "127.0.0.1:7100");
        requireSome("relay_addresses", relayAddresses, "203.0.113.10:3478");
        transceivers.forEach(address -> requirePort("transceivers", address));
        relayAddresses.forEach(SignalingConfig::requireReachable);
        requireKey(callIdKey);
        if (!ModelName.isValid(defaultModel)) {
            throw new ConfigException(
                    "default_model: \"" + defaultModel + "\" is no model name; " + ModelName.RULE);
        }
    }

    /** The key that seals call ids, 16 bytes. */
    byte[] callIdKeyBytes() {
        return HexFormat.of().parseHex(callIdKey);
    }

    private static void requireSome(String key, List<HostPort> addresses, String example) {
        if (addresses.isEmpty()) {
            throw new ConfigException(
                    key + ": is empty; give at least one host:port, such as " + example);
        }
    }

    private static void requirePort(String key, HostPort address) {
        if (address.port() == 0) {
            throw new ConfigException(
                    key + ": \"" + address + "\" has port 0; give the port that is listened on");
        }
    }

    private static void requireReachable(HostPort address) {
        requirePort("relay_addresses", address);
        try {
            if (!InetAddress.ofLiteral(address.host()).isAnyLocalAddress()) {
                return;
            }
        } catch (IllegalArgumentException _) {
            // A name: the one message below fits.
        }
        throw new ConfigException(
                "relay_addresses: \""
                        + address
                        + "\" cannot be advertised to clients; give the literal public address of"
                        + " the relay, such as 203.0.113.10:3478");
    }

    private static void requireKey(String key) {
        if (!key.matches("[0-9A-Fa-f]{32}")) {
            throw new ConfigException(
                    "call_id_key: is not 32 hex digits; make one with: openssl rand -hex 16");
        }
    }
}
