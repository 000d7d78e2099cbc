package dev.parley.e2e.hostile;

import dev.parley.e2e.hostile.HostileSystem.Service;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** What all services have counted so far, by the names and labels that Prometheus knows. */
record Counts(Map<Service, Map<String, Double>> byService) {
    private static final Pattern TELLING =
            Pattern.compile(
                    "parley.*(drops|refus|errors|ended|closed|checks|holds|failures|forwards"
                            + "|streams|exports|store|udp).*");

    /** Counters that count an attack. */
    record Expected(Service service, Pattern names) {
        static Expected of(Service service, String regex) {
            return new Expected(service, Pattern.compile(".*(" + regex + ").*"));
        }

        boolean counts(String name) {
            return names.matcher(name).matches();
        }
    }

    static Counts now(HostileSystem system) throws IOException, InterruptedException {
        Map<Service, Map<String, Double>> counts = new EnumMap<>(Service.class);
        for (Service service : Service.values()) {
            counts.put(service, system.counts(service));
        }
        return new Counts(counts);
    }

    /** What was counted since then. */
    Counts since(Counts before) {
        Map<Service, Map<String, Double>> more = new EnumMap<>(Service.class);
        byService.forEach(
                (service, counts) -> {
                    Map<String, Double> of = new TreeMap<>();
                    counts.forEach((name, count) -> of.put(name, count - before.of(service, name)));
                    more.put(service, of);
                });
        return new Counts(more);
    }

    private double of(Service service, String name) {
        return byService.getOrDefault(service, Map.of()).getOrDefault(name, 0.0);
    }

    /** The sum of what some counters have. */
    double sum(Iterable<Expected> counters) {
        double sum = 0;
        for (Expected expected : counters) {
            sum +=
                    byService.getOrDefault(expected.service(), Map.of()).entrySet().stream()
                            .filter(each -> expected.counts(each.getKey()))
                            .mapToDouble(Map.Entry::getValue)
                            .sum();
        }
        return sum;
    }

    /** Each that tells of an attack and is not 0. */
    void forEachTelling(BiConsumer<String, Double> taker) {
        byService.forEach(
                (service, counts) ->
                        counts.forEach(
                                (name, count) -> {
                                    if (count > 0 && TELLING.matcher(name).matches()) {
                                        taker.accept(service.command() + ": " + name, count);
                                    }
                                }));
    }
}
