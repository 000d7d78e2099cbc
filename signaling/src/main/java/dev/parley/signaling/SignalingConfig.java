package dev.parley.signaling;

import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.config.Option;
import dev.parley.signaling.calls.ModelName;
import dev.parley.signaling.net.ConnectionLimits;
import dev.parley.signaling.steering.LocationHeaders;
import dev.parley.signaling.whip.WhipSettings;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Everything that a signaling process can be told. All instances behind one name must share {@code
 * call_id_key}, so that each can act on calls that another created.
 */
public record SignalingConfig(
        @Option(
                        value = "address of the HTTP server; port 0 takes any free one",
                        orElse = "0.0.0.0:8080")
                HostPort httpAddress,
        @Option("control addresses of the transceivers, read as transceiver_discovery says")
                List<HostPort> transceivers,
        @Option(
                        value =
                                "how transceivers are found: static, each address is one; dns, each"
                                        + " address that a name has is one, such as a headless"
                                        + " service's; kubernetes, service.namespace:port, by the"
                                        + " EndpointSlices of the cluster's API",
                        orElse = "static")
                DiscoveryKind transceiverDiscovery,
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
        @Option(
                        value =
                                "former values of call_id_key whose call ids and client secrets are"
                                        + " still good, for changing it without dropping any: first"
                                        + " add the new key here everywhere, then make it"
                                        + " call_id_key, then drop the old one a day later",
                        orElse = "",
                        secret = true)
                List<String> previousCallIdKeys,
        @Option(
                        value = "this cluster's id, the same as its transceivers'",
                        orElse = "0",
                        min = 0,
                        max = 65_535)
                int clusterId,
        @Option(
                        value =
                                "YAML file of all clusters, for steering callers among them; read"
                                        + " again when it changes; empty for a fleet of one cluster",
                        orElse = "")
                String clusterMap,
        @Option(
                        value =
                                "where other clusters' signaling reaches this cluster's transceivers,"
                                        + " such as 0.0.0.0:8443; it speaks TLS when"
                                        + " tls_certificate_file is given; the map's signaling of"
                                        + " this cluster names it; empty for nowhere",
                        orElse = "")
                List<HostPort> clusterAddress,
        @Option(
                        value =
                                "PEM file of the authorities that other clusters' certificates may"
                                        + " come from; empty for the system's",
                        orElse = "")
                String clusterCaFile,
        @Option(
                        value =
                                "speak to other clusters without TLS, and let them: only where the"
                                        + " network between them is your own and encrypted;"
                                        + " loopback needs none",
                        orElse = "false")
                boolean clusterPlaintext,
        @Option(
                        value =
                                "where transceivers may be that other clusters' requests are passed"
                                        + " on to though this process never found them, such as old"
                                        + " ones whose calls go on after a rollout",
                        orElse = "")
                List<Cidr> transceiverCidrs,
        @Option(
                        value =
                                "YAML file of round trips measured from networks, points of presence,"
                                        + " cities and countries to clusters; read again when it"
                                        + " changes",
                        orElse = "")
                String latencyTable,
        @Option(
                        value =
                                "headers in which trusted_proxies tell where a client is: country,"
                                        + " city, latitude, longitude, pop",
                        orElse =
                                "country=CF-IPCountry,city=CF-IPCity,latitude=CF-IPLatitude,"
                                        + "longitude=CF-IPLongitude,pop=CF-Ray")
                Map<String, String> locationHeaders,
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
                                "time for which a call's transceiver may leave questions unanswered"
                                        + " before the call's WebSocket is told that it is over",
                        orElse = "15s",
                        min = 1,
                        max = 3_600_000)
                Duration unreachableAfter,
        @Option(
                        value =
                                "who may call: any accepts every request, whatever its"
                                        + " Authorization header; bearer wants an API key, a client"
                                        + " secret or a JSON Web Token; auto is bearer once one of"
                                        + " these is set up, else any on a loopback http_address",
                        orElse = "auto")
                Auth auth,
        @Option(
                        value = "JSON file with the hashes of API keys; read again when it changes",
                        orElse = "")
                String apiKeysFile,
        @Option(
                        value =
                                "the identity provider's key set for JSON Web Tokens: an https URL,"
                                        + " or a file, which is read again when it changes",
                        orElse = "")
                String jwtKeySet,
        @Option(value = "iss that JSON Web Tokens must have", orElse = "") String jwtIssuer,
        @Option(value = "aud that JSON Web Tokens must have", orElse = "") String jwtAudience,
        @Option(
                        value =
                                "calls that one subject of JSON Web Tokens may start a minute; 0 is"
                                        + " no limit",
                        orElse = "0",
                        min = 0,
                        max = 1_000_000)
                int jwtCallsPerMinute,
        @Option(
                        value =
                                "calls that may be started a minute with one client secret; 0 is no"
                                        + " limit",
                        orElse = "0",
                        min = 0,
                        max = 1_000_000)
                int clientSecretCallsPerMinute,
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
        @Option(
                        value =
                                "insist in WHIP on what RFC 9725 demands of clients, such as"
                                        + " If-Match, instead of taking real clients as they are",
                        orElse = "false")
                boolean whipStrict,
        @Option(
                        value =
                                "STUN servers that WHIP clients are told of, such as"
                                        + " stun:stun.example:3478; Parley itself needs none",
                        orElse = "")
                List<String> iceServers,
        @Option(
                        value =
                                "what clients call us, such as https://voice.example; URLs in WHIP"
                                        + " answers begin with it, and are relative without it",
                        orElse = "")
                String publicUrl,
        @Option(
                        value =
                                "another cluster's signaling, such as https://west.voice.example, to"
                                        + " which WHIP clients are redirected when there is no room",
                        orElse = "")
                String overflowUrl,
        @Option(value = "serve the page for trying Parley out at /", orElse = "true")
                boolean demoPage,
        @Option(
                        value =
                                "time between two looks at each transceiver's load; a caller is not"
                                        + " sent to one that drains or is full",
                        orElse = "2s",
                        min = 100,
                        max = 60_000)
                Duration loadInterval,
        @Option(
                        value =
                                "how late work may begin for half a second on end before new calls"
                                        + " are refused, so that those that are there do not suffer;"
                                        + " 0s never refuses",
                        orElse = "250ms",
                        max = 60_000)
                Duration maxDelay,
        @Option(
                        value =
                                "calls that may wait to be started at a time, such as for a model to"
                                        + " accept them; more are refused",
                        orElse = "1000",
                        min = 1,
                        max = 1_000_000)
                int maxStarting,
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
                        value =
                                "most open connections of one client address, or IPv6 /64; further"
                                        + " ones are closed; 0 is no limit",
                        orElse = "1000",
                        min = 0,
                        max = 1_000_000)
                int maxConnectionsPerAddress,
        @Option(
                        value = "largest request headers in bytes, client secrets among them",
                        orElse = "16384",
                        min = 1_024,
                        max = 1_048_576)
                int maxHeaderBytes,
        @Option(
                        value =
                                "addresses of proxies in front, such as 10.0.0.0/8, whose Forwarded"
                                        + " and X-Forwarded-For headers tell the client's address",
                        orElse = "")
                List<Cidr> trustedProxies,
        @Option(
                        value =
                                "PEM certificate chain; with it http_address speaks TLS; read again"
                                        + " when it changes",
                        orElse = "")
                String tlsCertificateFile,
        @Option(value = "PEM key of tls_certificate_file, PKCS #8, unencrypted", orElse = "")
                String tlsKeyFile,
        @Option(
                        value = "time after which an idle client connection is closed",
                        orElse = "60s",
                        min = 100)
                Duration idleTimeout) {

    /** How transceivers are found. */
    public enum DiscoveryKind {
        /** They are listed. */
        STATIC,
        /** Each address of a name is one. */
        DNS,
        /** They are the ready endpoints of services. */
        KUBERNETES
    }

    /** For a slow network to take an answer. */
    private static final Duration RESPONSE_TIME = Duration.ofSeconds(5);

    /** Who may call; never {@link #AUTO} once a config stands. */
    public enum Auth {
        /** Whoever the rest of the config makes sense for. */
        AUTO,
        /** Everyone, whatever the Authorization header says. */
        ANY,
        /** Those who show a good credential. */
        BEARER
    }

    public SignalingConfig {
        requireSome("transceivers", transceivers, "127.0.0.1:7100");
        requireSome("relay_addresses", relayAddresses, "203.0.113.10:3478");
        transceivers.forEach(address -> requirePort("transceivers", address));
        relayAddresses.forEach(SignalingConfig::requireReachable);
        requireKey("call_id_key", callIdKey);
        previousCallIdKeys.forEach(key -> requireKey("previous_call_id_keys", key));
        requireWhole("jwt_key_set", jwtKeySet, "jwt_issuer", jwtIssuer);
        requireWhole("jwt_key_set", jwtKeySet, "jwt_audience", jwtAudience);
        requireWhole("tls_certificate_file", tlsCertificateFile, "tls_key_file", tlsKeyFile);
        var _ = url("public_url", publicUrl);
        var _ = url("overflow_url", overflowUrl);
        requireSteering(clusterMap, clusterAddress, latencyTable, locationHeaders);
        requireSecured(clusterAddress, clusterPlaintext || !tlsCertificateFile.isEmpty());
        auth = decided(auth, !apiKeysFile.isEmpty() || !jwtKeySet.isEmpty(), httpAddress);
        if (!ModelName.isValid(defaultModel)) {
            throw new ConfigException(
                    "default_model: \"" + defaultModel + "\" is no model name; " + ModelName.RULE);
        }
    }

    /** The keys that open call ids and client secrets, 16 bytes each; the first one seals them. */
    List<byte[]> sealingKeys() {
        return Stream.concat(Stream.of(callIdKey), previousCallIdKeys.stream())
                .map(HexFormat.of()::parseHex)
                .toList();
    }

    /** How WHIP is spoken. */
    WhipSettings whip() {
        return new WhipSettings(whipStrict, iceServers, url("public_url", publicUrl));
    }

    /** Where clients go when there is no room. */
    Optional<URI> overflow() {
        return url("overflow_url", overflowUrl);
    }

    private static Optional<URI> url(String key, String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            URI url = new URI(text);
            if (url.getHost() != null && String.valueOf(url.getScheme()).matches("https?")) {
                return Optional.of(url);
            }
        } catch (URISyntaxException _) {
            // The one message below fits.
        }
        throw new ConfigException(
                key + ": \"" + text + "\" is no URL; write it as https://voice.example");
    }

    /** How long connections may take for what, and how many there may be. */
    ConnectionLimits connectionLimits() {
        // The body, two transceivers, and some time for ourselves.
        Duration serve =
                receiveTimeout
                        .plus(createTimeout.multipliedBy(2))
                        .plus(controlTimeout)
                        .plus(RESPONSE_TIME);
        return new ConnectionLimits(
                receiveTimeout,
                serve,
                RESPONSE_TIME,
                idleTimeout,
                maxConnectionsPerAddress,
                maxConnections,
                trustedProxies);
    }

    private static Auth decided(Auth auth, boolean credentials, HostPort http) {
        if (auth == Auth.AUTO && !credentials && !isLoopback(http)) {
            throw new ConfigException(
                    "auth: is not decided, and http_address "
                            + http
                            + " can be reached from elsewhere; give api_keys_file or jwt_key_set,"
                            + " or say auth: any to let everyone call");
        }
        if (auth == Auth.ANY && credentials) {
            throw new ConfigException(
                    "auth: is any, which lets everyone call, but api_keys_file or jwt_key_set is"
                            + " given; say auth: bearer, or leave those out");
        }
        return auth == Auth.AUTO ? (credentials ? Auth.BEARER : Auth.ANY) : auth;
    }

    private static void requireSecured(List<HostPort> gateway, boolean secured) {
        for (HostPort address : gateway) {
            if (!secured && !isLoopback(address)) {
                throw new ConfigException(
                        "cluster_address: "
                                + address
                                + " can be reached from elsewhere and would not speak TLS; give"
                                + " tls_certificate_file, or set cluster_plaintext if the network"
                                + " between clusters is your own and encrypted");
            }
        }
    }

    static boolean isLoopback(HostPort address) {
        try {
            return InetAddress.ofLiteral(address.host()).isLoopbackAddress();
        } catch (IllegalArgumentException _) {
            return address.host().equals("localhost");
        }
    }

    private static void requireWhole(String key, String value, String with, String needed) {
        if (value.isEmpty() != needed.isEmpty()) {
            throw new ConfigException(
                    (value.isEmpty() ? key : with)
                            + ": is missing, give it together with "
                            + (value.isEmpty() ? with : key));
        }
    }

    private static void requireSteering(
            String map, List<HostPort> address, String latencies, Map<String, String> headers) {
        if (map.isEmpty() && !latencies.isEmpty()) {
            throw new ConfigException(
                    "cluster_map: is missing, give it together with latency_table");
        }
        if (map.isEmpty() && !address.isEmpty()) {
            throw new ConfigException(
                    "cluster_map: is missing, give it together with cluster_address");
        }
        if (address.size() > 1) {
            throw new ConfigException("cluster_address: has more than one; give one, or none");
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (!LocationHeaders.FIELDS.contains(header.getKey())) {
                throw new ConfigException(
                        "location_headers: \""
                                + header.getKey()
                                + "\" is unknown; give some of "
                                + String.join(
                                        ", ", LocationHeaders.FIELDS.stream().sorted().toList()));
            }
            if (!header.getValue().matches("[A-Za-z0-9-]{1,64}")) {
                throw new ConfigException(
                        "location_headers: \"" + header.getValue() + "\" is no name of a header");
            }
        }
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

    private static void requireKey(String option, String key) {
        if (!key.matches("[0-9A-Fa-f]{32}")) {
            throw new ConfigException(
                    option + ": is not 32 hex digits; make one with: openssl rand -hex 16");
        }
    }
}
