package dev.parley.otel;

import java.util.Comparator;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes docs/telemetry.md of what spans, events, attributes and metrics there are. */
final class Vocabulary {
    private static final String HEAD =
            """
            # Telemetry

            Made of `dev.parley.otel`: `SpanName`, `EventName`, `Attribute` and `Metric`. A test fails when this page is not what
            they say, and prints how to make it so. How it all works together: [operations.md](operations.md).

            ## Spans

            The trace id of a call is its session id ([ADR 10](adr/0010-call-as-trace.md)). Besides those below there is a span for
            each HTTP request about a call, named by method and route, and one on each side of each gRPC call, named by service
            and method; all with the attributes of OpenTelemetry's semantic conventions.

            | span | service | what it is |
            | --- | --- | --- |
            """;

    private Vocabulary() {}

    static String page() {
        StringBuilder page = new StringBuilder(HEAD);
        Stream.of(SpanName.values())
                .forEach(each -> row(page, code(each.text()), each.service(), each.meaning()));
        page.append("\n## Events\n\n| event | on span | what it is |\n| --- | --- | --- |\n");
        Stream.of(EventName.values())
                .forEach(
                        each ->
                                row(
                                        page,
                                        code(each.text()),
                                        code(each.span().text()),
                                        each.meaning()));
        page.append("\n## Attributes\n\n| attribute | what it is |\n| --- | --- |\n");
        for (Map.Entry<String, String> each : Attribute.meanings().entrySet()) {
            row(page, code(each.getKey()), each.getValue());
        }
        page.append(
                """

                ## Metrics

                By OTLP under the first name, at `/metrics` of the admin port under the second one. Histograms have an exemplar
                that names a call's trace.

                | metric | for Prometheus | kind | unit | labels | what it is |
                | --- | --- | --- | --- | --- | --- |
                """);
        Stream.of(Metric.values())
                .sorted(Comparator.comparing(Metric::text))
                .forEach(
                        each ->
                                row(
                                        page,
                                        code(each.text()),
                                        code(each.scraped()),
                                        each.kind().name().toLowerCase(Locale.ROOT),
                                        each.unit(),
                                        each.labels().stream()
                                                .map(Vocabulary::code)
                                                .collect(Collectors.joining(" ")),
                                        each.meaning()));
        return page.toString();
    }

    private static String code(String text) {
        return "`" + text + "`";
    }

    private static void row(StringBuilder page, String... cells) {
        page.append(Stream.of(cells).collect(Collectors.joining(" | ", "| ", " |\n")));
    }
}
