package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.Location;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a content network in front says of where a client is, in headers that each of them names its
 * own way. Clients can write such headers too, so they are read only of requests that come from one
 * of our proxies. Immutable.
 */
public final class LocationHeaders {
    /** What there may be a header for. */
    public static final Set<String> FIELDS =
            Set.of("country", "city", "latitude", "longitude", "pop");

    private static final Pattern COUNTRY = Pattern.compile("[A-Z]{2}");
    // Cloudflare's CF-Ray ends with it, CloudFront's X-Amz-Cf-Pop begins with it.
    private static final Pattern POP = Pattern.compile("[A-Z]{3}[0-9]*");
    private static final Set<String> NOWHERE = Set.of("XX", "T1");
    private static final int MAX_CITY = 64;

    private final Map<String, String> names;

    /**
     * Reads headers of these names.
     *
     * @param names by what they tell, of {@link #FIELDS}
     */
    public LocationHeaders(Map<String, String> names) {
        this.names = Map.copyOf(names);
    }

    /** Where the client of one of our proxies' requests is. */
    public Whereabouts read(Headers headers, InetAddress client) {
        return new Whereabouts(
                client,
                value(headers, "country")
                        .map(text -> text.toUpperCase(Locale.ROOT))
                        .filter(text -> COUNTRY.matcher(text).matches() && !NOWHERE.contains(text)),
                value(headers, "city").filter(LocationHeaders::isCity),
                value(headers, "pop").flatMap(LocationHeaders::pop),
                location(headers),
                Optional.empty(),
                1);
    }

    private Optional<String> value(Headers headers, String field) {
        return Optional.ofNullable(names.get(field))
                .flatMap(name -> headers.first(HeaderNames.create(name)))
                .map(String::strip)
                .filter(text -> !text.isEmpty());
    }

    private static boolean isCity(String text) {
        return text.length() <= MAX_CITY && text.chars().noneMatch(Character::isISOControl);
    }

    private static Optional<String> pop(String text) {
        for (String part : text.toUpperCase(Locale.ROOT).split("-", -1)) {
            if (POP.matcher(part).matches()) {
                return Optional.of(part.substring(0, 3));
            }
        }
        return Optional.empty();
    }

    private Optional<Location> location(Headers headers) {
        try {
            Optional<Double> latitude = value(headers, "latitude").map(Double::parseDouble);
            Optional<Double> longitude = value(headers, "longitude").map(Double::parseDouble);
            return latitude.isPresent() && longitude.isPresent()
                    ? Optional.of(new Location(latitude.get(), longitude.get()))
                    : Optional.empty();
        } catch (IllegalArgumentException _) {
            // No number, or one that is on no globe: as if it were not there.
            return Optional.empty();
        }
    }
}
