package dev.parley.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.otel.Metric;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** What scalers go by is told by an adapter's rules, which go by what our services export. */
class ScalingTest {
    private static final Pattern SERIES = Pattern.compile("__name__=\"(\\w+)\"");
    private static final Pattern OURS = Pattern.compile("\\bparley_\\w+");
    private static final Pattern RATE = Pattern.compile("rate\\(.*\\[(\\w+)]\\)");
    private static final String INTERVAL = "OTEL_METRIC_EXPORT_INTERVAL";
    private static final Set<String> EXPORTED =
            Stream.of(Metric.values()).map(Metric::scraped).collect(Collectors.toSet());

    private static String monitoring(String file) {
        try {
            return Files.readString(Manifests.folder().resolve("monitoring").resolve(file));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static List<JsonNode> rules() {
        JsonNode values =
                new ObjectMapper()
                        .valueToTree(new Yaml().load(monitoring("prometheus-adapter.yaml")));
        List<JsonNode> rules = new ArrayList<>();
        values.path("rules").path("custom").forEach(rules::add);
        return rules;
    }

    @Test
    void rulesGoByMetricsThatThereAre() {
        Set<String> series = new TreeSet<>();
        for (JsonNode rule : rules()) {
            Matcher named = SERIES.matcher(rule.path("seriesQuery").asText());
            assertThat(named.find()).as(rule.toString()).isTrue();
            series.add(named.group(1));
        }
        assertThat(series).hasSize(3);
        assertThat(EXPORTED).containsAll(series);
    }

    @Test
    void prometheusKeepsMetricsThatThereAre() {
        Matcher named = OURS.matcher(monitoring("prometheus.yaml"));
        Set<String> names = named.results().map(found -> found.group()).collect(Collectors.toSet());
        assertThat(names).isNotEmpty();
        assertThat(EXPORTED).containsAll(names);
    }

    /** What a rate takes in; of fewer than four steps it would be far off now and then. */
    @ParameterizedTest
    @ValueSource(strings = {"cloud", "cloud-managed", "global-east", "global-west"})
    void ratesSeeFourExports(String overlay) {
        long shortest =
                RATE.matcher(monitoring("prometheus-adapter.yaml"))
                        .results()
                        .mapToLong(rate -> Duration.parse("PT" + rate.group(1)).toMillis())
                        .min()
                        .orElseThrow();
        for (String name : List.of("relay", "transceiver", "signaling")) {
            Workload workload = Manifests.rendered(overlay).workload(name);
            assertThat(workload.container().getEnv())
                    .filteredOn(variable -> variable.getName().equals(INTERVAL))
                    .singleElement()
                    .satisfies(
                            variable ->
                                    assertThat(4 * Long.parseLong(variable.getValue()))
                                            .isPositive()
                                            .isLessThanOrEqualTo(shortest));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cloud", "cloud-managed", "global-east", "global-west"})
    void scalersGoByWhatRulesTell(String overlay) {
        Set<String> told =
                rules().stream()
                        .map(rule -> rule.path("name").path("as").asText())
                        .collect(Collectors.toSet());
        Set<String> asked =
                Manifests.rendered(overlay).of(HorizontalPodAutoscaler.class).stream()
                        .flatMap(scaler -> scaler.getSpec().getMetrics().stream())
                        .filter(metric -> metric.getPods() != null)
                        .map(metric -> metric.getPods().getMetric().getName())
                        .collect(Collectors.toSet());
        assertThat(asked).isNotEmpty();
        assertThat(told).containsAll(asked);
    }
}
