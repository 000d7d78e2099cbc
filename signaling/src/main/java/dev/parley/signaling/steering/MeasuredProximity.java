package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.LatencyTable;
import dev.parley.runtime.udp.IpAddress;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What was measured from the client's network, point of presence, city or country. */
final class MeasuredProximity implements Proximity {
    private final Supplier<LatencyTable> table;

    /** Asks the newest table. */
    MeasuredProximity(Supplier<LatencyTable> table) {
        this.table = table;
    }

    @Override
    public @Nullable Estimate find(Whereabouts client) {
        LatencyTable current = table.get();
        long high = IpAddress.high(client.address());
        long low = IpAddress.low(client.address());
        return current.ofNetwork(high, low)
                .or(() -> row(current, LatencyTable.Kind.POP, client.pop()))
                .or(() -> row(current, LatencyTable.Kind.CITY, client.city()))
                .or(() -> row(current, LatencyTable.Kind.COUNTRY, client.country()))
                .map(MeasuredProximity::estimate)
                .orElse(null);
    }

    private static Optional<LatencyTable.Row> row(
            LatencyTable table, LatencyTable.Kind kind, Optional<String> place) {
        return place.flatMap(name -> table.of(kind, name));
    }

    private static Estimate estimate(LatencyTable.Row row) {
        return new Estimate(
                "measured_" + row.kind().text(),
                cluster -> {
                    Integer millis = row.millisTo().get(cluster.name());
                    return millis == null ? OptionalDouble.empty() : OptionalDouble.of(millis);
                });
    }
}
