package dev.parley.signaling.steering;

import dev.parley.runtime.cluster.Location;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;

/**
 * Where a client is, as far as its request tells.
 *
 * @param address of the client
 * @param country two letters in capitals
 * @param city its name
 * @param pop the content network's point of presence that it reached, such as AMS
 * @param location its position
 * @param region that it asks for
 * @param ingresses relays that it wants to be told of, 1 or more
 */
public record Whereabouts(
        InetAddress address,
        Optional<String> country,
        Optional<String> city,
        Optional<String> pop,
        Optional<Location> location,
        Optional<String> region,
        int ingresses) {
    /** Most relays that an answer names; each has an address or two. */
    public static final int MAX_INGRESSES = 4;

    /** Nothing but an address. */
    public static Whereabouts at(InetAddress address) {
        return new Whereabouts(
                address,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                1);
    }

    /** The same for a client that asks for a region or for several relays. */
    public Whereabouts wishing(Optional<String> wanted, int ingressesWanted) {
        return new Whereabouts(
                address, country, city, pop, location, wanted.or(() -> region), ingressesWanted);
    }

    /** For a trace: everything but the address, the position no finer than a city. */
    String text() {
        StringBuilder text = new StringBuilder();
        append(text, "region", region);
        append(text, "pop", pop);
        append(text, "city", city);
        append(text, "country", country);
        append(
                text,
                "position",
                location.map(
                        at ->
                                String.format(
                                        Locale.ROOT, "%.1f,%.1f", at.latitude(), at.longitude())));
        return text.toString();
    }

    private static void append(StringBuilder to, String name, Optional<String> value) {
        value.ifPresent(
                given -> to.append(to.isEmpty() ? "" : " ").append(name).append('=').append(given));
    }
}
