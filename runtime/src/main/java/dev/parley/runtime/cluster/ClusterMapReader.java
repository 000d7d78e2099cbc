package dev.parley.runtime.cluster;

import dev.parley.runtime.cluster.YamlMap.Text;
import dev.parley.runtime.cluster.YamlMap.Unusable;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.nodes.Node;

/** Reads and checks the file of a {@link ClusterMap}. Used once. */
final class ClusterMapReader {
    private static final int MAX_CLUSTERS = 256;
    private static final int MAX_RELAYS = 256;
    private static final int MAX_WAYS = 4;
    private static final int MAX_WORKERS = 64;

    /** Each relay probes all of them, each from each of its workers. */
    private static final int MAX_WAYS_IN_ALL = 32_768;

    private static final int MAX_WEIGHT = 10_000;
    private static final int USUAL_WEIGHT = 100;
    private static final int MAX_PORT = 65_535;
    private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
    private static final Set<String> CLUSTER_KEYS =
            Set.of(
                    "id",
                    "name",
                    "region",
                    "latitude",
                    "longitude",
                    "state",
                    "weight",
                    "signaling",
                    "relays");
    private static final Set<String> RELAY_KEYS = Set.of("public", "legs", "workers", "weight");

    private final String option;
    private final Map<Integer, Integer> idLines = new HashMap<>();
    private final Map<String, Integer> nameLines = new HashMap<>();
    private final Map<InetSocketAddress, Integer> legLines = new HashMap<>();

    ClusterMapReader(String option) {
        this.option = option;
    }

    List<Cluster> read(byte[] yaml) {
        try {
            YamlMap file = new YamlMap(YamlMap.compose(yaml, "clusters"), Set.of("clusters"));
            List<Node> items = file.items("clusters");
            if (items.isEmpty() || items.size() > MAX_CLUSTERS) {
                throw new Unusable(
                        file.line(),
                        "clusters: has " + items.size() + "; give 1 to " + MAX_CLUSTERS);
            }
            List<Cluster> clusters = new ArrayList<>();
            items.forEach(item -> clusters.add(cluster(new YamlMap(item, CLUSTER_KEYS))));
            return clusters;
        } catch (Unusable e) {
            throw new ConfigException(option + ": " + e.getMessage());
        }
    }

    private Cluster cluster(YamlMap map) {
        int id = map.number("id", 0, 65_535);
        requireNew(idLines, id, "id " + id, map.line());
        Text name = named(map.text("name"), "name");
        requireNew(nameLines, name.value(), "name " + name.value(), name.line());
        Text region = named(map.text("region"), "region");
        Location location =
                new Location(map.decimal("latitude", -90, 90), map.decimal("longitude", -180, 180));
        Cluster.State state = map.find("state").map(this::state).orElse(Cluster.State.ACTIVE);
        Optional<URI> signaling = map.find("signaling").map(ClusterMapReader::url);
        List<Node> items = map.itemsIfAny("relays");
        if (items.size() > MAX_RELAYS) {
            throw new Unusable(map.line(), "relays: are more than " + MAX_RELAYS);
        }
        List<ClusterRelay> relays = new ArrayList<>();
        items.forEach(item -> relays.add(relay(new YamlMap(item, RELAY_KEYS))));
        return new Cluster(
                id,
                name.value(),
                region.value(),
                location,
                state,
                map.number("weight", USUAL_WEIGHT, 1, MAX_WEIGHT),
                signaling,
                relays);
    }

    private static <K> void requireNew(Map<K, Integer> lines, K key, String what, int line) {
        Integer before = lines.putIfAbsent(key, line);
        if (before != null) {
            throw new Unusable(line, what + " is that of line " + before + " already; change one");
        }
    }

    private static Text named(Text text, String key) {
        if (!NAME.matcher(text.value()).matches()) {
            throw new Unusable(
                    text.line(),
                    key
                            + ": \""
                            + text.value()
                            + "\" is no name; use up to 63 of a-z, 0-9 and - between them");
        }
        return text;
    }

    private Cluster.State state(Text text) {
        for (Cluster.State state : Cluster.State.values()) {
            if (state.text().equals(text.value().toLowerCase(Locale.ROOT))) {
                return state;
            }
        }
        String known =
                Arrays.stream(Cluster.State.values())
                        .map(Cluster.State::text)
                        .collect(Collectors.joining(", "));
        throw new Unusable(
                text.line(), "state: \"" + text.value() + "\" is unknown; give one of " + known);
    }

    private static URI url(Text text) {
        try {
            URI url = new URI(text.value());
            boolean plain = url.getRawPath() == null || url.getRawPath().isEmpty();
            if (url.getHost() != null
                    && url.getPort() > 0
                    && plain
                    && String.valueOf(url.getScheme()).matches("https?")) {
                return url;
            }
        } catch (URISyntaxException _) {
            // The one message below fits.
        }
        throw new Unusable(
                text.line(),
                "signaling: \""
                        + text.value()
                        + "\" is no address; write it as https://east.voice.example:8443");
    }

    private ClusterRelay relay(YamlMap map) {
        List<InetSocketAddress> publics = addresses(map, "public");
        List<Text> texts = map.texts("legs");
        List<InetSocketAddress> legs = addresses(map, "legs");
        int workers = map.number("workers", 1, 1, MAX_WORKERS);
        for (int way = 0; way < legs.size(); way++) {
            int line = texts.get(way).line();
            InetSocketAddress leg = legs.get(way);
            if (leg.getPort() + workers - 1 > MAX_PORT) {
                throw texts.get(way).unusable("leaves no ports for " + workers + " workers");
            }
            for (int worker = 0; worker < workers; worker++) {
                InetSocketAddress own =
                        new InetSocketAddress(leg.getAddress(), leg.getPort() + worker);
                requireNew(legLines, own, "leg " + IpAddress.text(own), line);
                if (legLines.size() > MAX_WAYS_IN_ALL) {
                    throw new Unusable(
                            line,
                            "legs: are more than "
                                    + MAX_WAYS_IN_ALL
                                    + ", each worker's and each way's counted; give fewer relays,"
                                    + " workers or ways");
                }
            }
        }
        return new ClusterRelay(
                publics, legs, workers, map.number("weight", USUAL_WEIGHT, 1, MAX_WEIGHT));
    }

    private static List<InetSocketAddress> addresses(YamlMap map, String key) {
        List<Text> texts = map.texts(key);
        if (texts.isEmpty() || texts.size() > MAX_WAYS) {
            throw new Unusable(
                    map.line(), key + ": has " + texts.size() + "; give 1 to " + MAX_WAYS);
        }
        List<InetSocketAddress> addresses = new ArrayList<>();
        texts.forEach(text -> addresses.add(address(text)));
        return addresses;
    }

    // Packets wait for no name server, and clients are told addresses, so names are refused.
    private static InetSocketAddress address(Text text) {
        try {
            HostPort parsed = HostPort.parse(text.value());
            InetAddress ip = InetAddress.ofLiteral(parsed.host());
            if (parsed.port() != 0 && !ip.isAnyLocalAddress()) {
                return new InetSocketAddress(ip, parsed.port());
            }
        } catch (IllegalArgumentException _) {
            // The one message below fits.
        }
        throw text.unusable("is no literal address and port; write it as 203.0.113.10:3478");
    }
}
