package dev.parley.runtime.cluster;

import dev.parley.runtime.cluster.YamlMap.Text;
import dev.parley.runtime.cluster.YamlMap.Unusable;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.config.ConfigException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Round trips that were measured from places to clusters, an immutable snapshot of a file. Places
 * are a network, a point of presence, a city or a country; the one that says most is believed.
 *
 * <pre>{@code
 * latencies:
 *   - {pop: AMS, to: {east: 4, west: 140}}
 *   - {country: BR, to: {east: 190, west: 160}}
 *   - {network: 198.51.100.0/24, to: {east: 12, west: 155}}
 * }</pre>
 */
public final class LatencyTable {
    /** What a place in the table may be, most telling first. */
    public enum Kind {
        NETWORK,
        POP,
        CITY,
        COUNTRY;

        /** As the file and the trace write it. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Round trips of one place in milliseconds, by the clusters' names. */
    public record Row(Kind kind, Map<String, Integer> millisTo) {
        public Row {
            millisTo = Map.copyOf(millisTo);
        }
    }

    private record Network(Cidr range, Row row) {}

    private static final int MAX_MILLIS = 60_000;
    private static final Set<String> KEYS = Set.of("network", "pop", "city", "country", "to");

    private final List<Network> networks = new ArrayList<>();
    private final Map<Kind, Map<String, Row>> places = new HashMap<>();

    private LatencyTable() {}

    /** A table without any place. */
    public static LatencyTable empty() {
        return new LatencyTable();
    }

    /**
     * Reads the file.
     *
     * @param option that names the file, for errors
     * @throws ConfigException when it cannot be used; the message names the line and what is wrong
     */
    public static LatencyTable parse(String option, byte[] yaml) {
        LatencyTable table = new LatencyTable();
        try {
            YamlMap file = new YamlMap(YamlMap.compose(yaml, "latencies"), Set.of("latencies"));
            file.items("latencies").forEach(item -> table.add(new YamlMap(item, KEYS)));
        } catch (Unusable e) {
            throw new ConfigException(option + ": " + e.getMessage());
        }
        return table;
    }

    private void add(YamlMap map) {
        List<Kind> named = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            if (map.find(kind.text()).isPresent()) {
                named.add(kind);
            }
        }
        if (named.size() != 1) {
            throw new Unusable(
                    map.line(), "names no place; give one of network, pop, city, country");
        }
        Kind kind = named.getFirst();
        Text place = map.text(kind.text());
        Row row = new Row(kind, map.numbers("to", 0, MAX_MILLIS));
        if (kind == Kind.NETWORK) {
            networks.add(new Network(range(place), row));
            return;
        }
        Row before =
                places.computeIfAbsent(kind, _ -> new HashMap<>())
                        .put(place.value().toLowerCase(Locale.ROOT), row);
        if (before != null) {
            throw place.unusable("is there already; keep one");
        }
    }

    private static Cidr range(Text text) {
        try {
            return Cidr.parse(text.value());
        } catch (IllegalArgumentException e) {
            throw text.unusable(e.getMessage() + "; write a range such as 198.51.100.0/24");
        }
    }

    /** The round trips of a network that an address is in; the first in the file. */
    public Optional<Row> ofNetwork(long addressHigh, long addressLow) {
        return networks.stream()
                .filter(network -> network.range().contains(addressHigh, addressLow))
                .map(Network::row)
                .findFirst();
    }

    /** The round trips of a place by its name, in any case of its letters. */
    public Optional<Row> of(Kind kind, String place) {
        return Optional.ofNullable(
                places.getOrDefault(kind, Map.of()).get(place.toLowerCase(Locale.ROOT)));
    }

    /** Places in the table. */
    public int size() {
        return networks.size() + places.values().stream().mapToInt(Map::size).sum();
    }
}
