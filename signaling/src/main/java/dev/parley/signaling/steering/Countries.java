package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.Location;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where most people of a country live, by its two letters (ISO 3166-1): good enough to tell one
 * continent's clusters from another's. Immutable.
 */
final class Countries {
    private final Map<String, Location> places = new HashMap<>();

    /** Reads the table that comes with this class. */
    Countries() {
        try (InputStream in = Countries.class.getResourceAsStream("countries.csv")) {
            if (in == null) {
                throw new IllegalStateException("countries.csv is missing");
            }
            new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("#"))
                    .forEach(this::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void add(String line) {
        String[] fields = line.split(",", -1);
        places.put(
                fields[0],
                new Location(Double.parseDouble(fields[1]), Double.parseDouble(fields[2])));
    }

    Optional<Location> find(String country) {
        return Optional.ofNullable(places.get(country));
    }
}
