package dev.parley.bench.capacity;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** {@code ./parley bench capacity}: relays, transceivers, cores and bandwidth of each region. */
public final class CapacityModel {
    private static final double IP_UDP_BYTES = 28;

    /** In front of what crosses to another cluster: leg's and client header; docs/adr/0013. */
    private static final double LEG_BYTES = 78;

    private static final double MICROS = 1e6;
    private static final double MILLIS = 1e3;
    private static final double SECONDS_PER_MINUTE = 60;

    private CapacityModel() {}

    /** What one region needs at its own peak. */
    record Need(
            String region,
            double calls,
            double relayCores,
            double relays,
            double transceiverCores,
            double transceivers,
            double publicGbps,
            double backboneGbps) {}

    /** Prints the tables; exits with 2 when the command line cannot be understood. */
    public static void main(String[] arguments) throws IOException {
        List<Double> sizes = List.of(1e6, 1e7, 1e8);
        Assumptions assumptions = new Assumptions();
        Path json = null;
        try {
            for (int i = 0; i + 1 < arguments.length; i += 2) {
                String value = arguments[i + 1];
                switch (arguments[i]) {
                    case "--calls" ->
                            sizes =
                                    Arrays.stream(value.split(",", -1))
                                            .map(Double::valueOf)
                                            .toList();
                    case "--set" -> {
                        String[] pair = value.split("=", 2);
                        assumptions = assumptions.with(pair[0], Double.parseDouble(pair[1]));
                    }
                    case "--json" -> json = Path.of(value);
                    default -> throw new IllegalArgumentException("unknown " + arguments[i]);
                }
            }
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            System.err.println("bench capacity: " + e.getMessage());
            System.exit(2);
        }
        print(assumptions, sizes, json);
    }

    private static void print(Assumptions assumptions, List<Double> sizes, @Nullable Path json)
            throws IOException {
        ObjectNode root = new ObjectMapper().createObjectNode();
        System.out.printf(
                Locale.ROOT,
                "One transceiver core, all of it, carries %.0f calls.%n%n",
                MILLIS / assumptions.callMillis());
        for (double calls : sizes) {
            List<Need> needs = needs(assumptions, calls);
            System.out.println(table(calls, needs));
            write(root.putArray(String.format(Locale.ROOT, "%.0f", calls)), needs);
        }
        System.out.println(sensitivities(assumptions, sizes.getFirst()));
        if (json != null) {
            Files.writeString(json, root.toPrettyString() + "\n");
        }
    }

    /**
     * What each region needs.
     *
     * @param calls at once in the whole world, at the hour when there are most
     */
    static List<Need> needs(Assumptions given, double calls) {
        double most = 0;
        for (int hour = 0; hour < 24; hour++) {
            most = Math.max(most, active(hour));
        }
        List<Need> needs = new ArrayList<>();
        for (WorldRegion region : WorldRegion.ALL) {
            double peak = 0;
            for (int hour = 0; hour < 24; hour++) {
                peak = Math.max(peak, region.activity(hour));
            }
            double own = calls * region.peopleOnline() * peak / most;
            needs.add(need(given, region.name(), own * given.get("peak_factor")));
        }
        return needs;
    }

    private static double active(int utcHour) {
        return WorldRegion.ALL.stream()
                .mapToDouble(region -> region.peopleOnline() * region.activity(utcHour))
                .sum();
    }

    private static Need need(Assumptions given, String region, double calls) {
        double packets =
                calls
                        * given.get("packets_per_second")
                        * (given.get("speaking_up") + given.get("speaking_down"));
        // A call that lives elsewhere passes a relay here and one there; as many come from there.
        double away = given.get("away_share");
        double passes = packets * (1 + away);
        double relayMicros =
                passes * given.get("relay_us_per_packet")
                        + 2 * away * packets * given.get("leg_us_per_packet");
        double spare = 1 + given.get("spare");
        double relayCores = relayMicros / MICROS / given.get("relay_share") * spare;
        double setUps = calls / (given.get("call_minutes") * SECONDS_PER_MINUTE);
        double transceiverCores =
                (calls * given.callMillis() + setUps * given.get("setup_ms"))
                        / MILLIS
                        / given.get("transceiver_share")
                        * spare;
        double bytes = given.get("payload_bytes") + IP_UDP_BYTES;
        return new Need(
                region,
                calls,
                relayCores,
                Math.ceil(relayCores / given.get("relay_cores")),
                transceiverCores,
                Math.ceil(transceiverCores / given.get("transceiver_cores")),
                gbps(packets * bytes / 2),
                gbps(away * packets * (bytes + LEG_BYTES) / 2));
    }

    // Each way; networks are bought by the larger one.
    private static double gbps(double bytesPerSecond) {
        return bytesPerSecond * 8 / 1e9;
    }

    private static String table(double calls, List<Need> needs) {
        StringBuilder text =
                new StringBuilder(
                        String.format(
                                Locale.ROOT,
                                "%,.0f calls at once in the world's busiest hour%n%n",
                                calls));
        text.append(
                """
                | region | calls at its peak | relay cores | relays | transceiver cores | transceivers | public, Gb/s each way | between clusters |
                | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
                """);
        needs.forEach(need -> text.append(row(need)));
        text.append(row(sum(needs)));
        return text.toString();
    }

    static Need sum(List<Need> needs) {
        return new Need(
                "all",
                needs.stream().mapToDouble(Need::calls).sum(),
                needs.stream().mapToDouble(Need::relayCores).sum(),
                needs.stream().mapToDouble(Need::relays).sum(),
                needs.stream().mapToDouble(Need::transceiverCores).sum(),
                needs.stream().mapToDouble(Need::transceivers).sum(),
                needs.stream().mapToDouble(Need::publicGbps).sum(),
                needs.stream().mapToDouble(Need::backboneGbps).sum());
    }

    private static String row(Need need) {
        return String.format(
                Locale.ROOT,
                "| %s | %,.0f | %,.0f | %,.0f | %,.0f | %,.0f | %,.1f | %,.1f |%n",
                need.region(),
                need.calls(),
                need.relayCores(),
                need.relays(),
                need.transceiverCores(),
                need.transceivers(),
                need.publicGbps(),
                need.backboneGbps());
    }

    private static String sensitivities(Assumptions given, double calls) {
        Need usual = sum(needs(given, calls));
        StringBuilder text =
                new StringBuilder(
                        """
                        What each assumption weighs: change of the whole when it is a fifth larger, or smaller where it is all already

                        | assumption | value | relay cores | transceiver cores | between clusters | what it is |
                        | --- | ---: | ---: | ---: | ---: | --- |
                        """);
        for (Assumptions.Value value : Assumptions.all()) {
            double now = given.get(value.name());
            double factor = value.isShare() && 1.2 * now > 1 ? 0.8 : 1.2;
            Need changed = sum(needs(given.with(value.name(), factor * now), calls));
            text.append(
                    String.format(
                            Locale.ROOT,
                            "| `%s` | %s | %s | %s | %s | %s |%n",
                            value.name(),
                            now == Math.rint(now) ? String.valueOf((long) now) : now,
                            percent(usual.relayCores(), changed.relayCores()),
                            percent(usual.transceiverCores(), changed.transceiverCores()),
                            percent(usual.backboneGbps(), changed.backboneGbps()),
                            value.meaning()));
        }
        return text.toString();
    }

    private static String percent(double from, double to) {
        double change = 100 * (to / from - 1);
        return Math.abs(change) < 0.05 ? "" : String.format(Locale.ROOT, "%+.1f %%", change);
    }

    private static void write(ArrayNode into, List<Need> needs) {
        for (Need need : needs) {
            into.addObject()
                    .put("region", need.region())
                    .put("calls", need.calls())
                    .put("relay_cores", need.relayCores())
                    .put("relays", need.relays())
                    .put("transceiver_cores", need.transceiverCores())
                    .put("transceivers", need.transceivers())
                    .put("public_gbps", need.publicGbps())
                    .put("backbone_gbps", need.backboneGbps());
        }
    }
}
