package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.Location;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** The distance from where the client is, or else from the middle of its country. */
final class PlaceProximity implements Proximity {
    /** Light in glass covers a kilometre there and back in 0.01 ms, on ways half as long again. */
    private static final double MILLIS_PER_KILOMETRE = 0.015;

    private static final double NEAREST_MILLIS = 2;

    private final Countries countries;

    PlaceProximity(Countries countries) {
        this.countries = countries;
    }

    @Override
    public @Nullable Estimate find(Whereabouts client) {
        if (client.location().isPresent()) {
            return from("position", client.location().get());
        }
        return client.country()
                .flatMap(countries::find)
                .map(middle -> from("country", middle))
                .orElse(null);
    }

    /** Round trips from a place. */
    static Estimate from(String basis, Location place) {
        return new Estimate(
                basis,
                cluster ->
                        OptionalDouble.of(
                                NEAREST_MILLIS
                                        + MILLIS_PER_KILOMETRE
                                                * place.kilometresTo(cluster.location())));
    }
}
