package dev.parley.otel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documents, dashboards and alerts name what there is. */
class VocabularyTest {
    private static final Pattern METRIC = Pattern.compile("\\b(?:parley|http_server)_[a-z0-9_]+");
    private static final Pattern ALERT = Pattern.compile("alert: (\\w+)");

    /** The module's folder is where tests run. */
    private static final Path REPOSITORY = Path.of("..");

    @Test
    void theDocumentIsCurrent() throws IOException {
        Path document = REPOSITORY.resolve("docs/telemetry.md");
        if (Boolean.getBoolean("parley.write-docs")) {
            Files.writeString(document, Vocabulary.page());
        }

        assertThat(Files.readString(document))
                .as("write it with -Dparley.write-docs=true")
                .isEqualTo(Vocabulary.page());
    }

    @Test
    void namesAreUniqueAndOurOwnBeginAlike() {
        assertThat(Stream.of(Metric.values()).map(Metric::text)).doesNotHaveDuplicates();
        assertThat(Stream.of(Metric.values()).map(Metric::text))
                .allMatch(name -> name.startsWith("parley.") || name.startsWith("http.server."));
        assertThat(Stream.of(SpanName.values()).map(SpanName::text)).doesNotHaveDuplicates();
    }

    @Test
    void dashboardsAndAlertsNameOnlyMetricsThatThereAre() throws IOException {
        Set<String> known =
                Stream.of(Metric.values())
                        .flatMap(
                                metric ->
                                        metric.kind() == Metric.Kind.HISTOGRAM
                                                ? Stream.of("", "_bucket", "_sum", "_count")
                                                        .map(end -> metric.prometheus() + end)
                                                : Stream.of(metric.scraped()))
                        .collect(Collectors.toSet());
        Set<String> unknown = new TreeSet<>();
        int files = 0;
        try (Stream<Path> all = Files.walk(Path.of("deploy"))) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files++;
                Matcher named = METRIC.matcher(Files.readString(file));
                while (named.find()) {
                    if (!known.contains(named.group())) {
                        unknown.add(file.getFileName() + ": " + named.group());
                    }
                }
            }
        }

        assertThat(files).isGreaterThan(7);
        assertThat(unknown).isEmpty();
    }

    @Test
    void everyAlertHasItsPlaceInTheRunbook() throws IOException {
        String runbook = Files.readString(REPOSITORY.resolve("docs/runbook.md"));
        String alerts = Files.readString(Path.of("deploy/prometheus/alerts.yaml"));
        Matcher alert = ALERT.matcher(alerts);
        int count = 0;
        while (alert.find()) {
            count++;
            assertThat(runbook).contains("## " + alert.group(1) + "\n");
            assertThat(alerts)
                    .contains("docs/runbook.md#" + alert.group(1).toLowerCase(Locale.ROOT));
        }

        assertThat(count).isGreaterThan(8);
    }
}
