package dev.parley.app.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** A run as one HTML page without anything from elsewhere: charts over time, spreads, figures. */
final class HtmlReport {
    private static final int WIDTH = 560;
    private static final int HEIGHT = 180;
    private static final int LEFT = 52;
    private static final int BOTTOM = 22;
    private static final int TOP = 8;
    private static final int BARS = 40;
    private static final String[] COLOURS = {"#2563eb", "#dc2626", "#059669"};
    private static final String STYLE =
            """
            body{font:14px system-ui,sans-serif;margin:2em;max-width:1200px;color:#1e293b}
            h1{font-size:1.4em}h2{font-size:1.05em;margin:.2em 0}
            .charts{display:flex;flex-wrap:wrap;gap:1.2em}figure{margin:0}
            svg{background:#f8fafc;border:1px solid #e2e8f0}text{font:11px system-ui;fill:#475569}
            table{border-collapse:collapse;margin-top:1em}td{padding:.15em .8em;border-bottom:1px solid #e2e8f0}
            td+td{text-align:right;font-variant-numeric:tabular-nums}.bad{color:#b91c1c;font-weight:600}
            .key{font-size:.85em}
            """;

    private final LoadResults results;
    private final StringBuilder out = new StringBuilder();

    private HtmlReport(LoadResults results) {
        this.results = results;
    }

    static String of(LoadResults results) {
        return new HtmlReport(results).write();
    }

    private record Line(String name, ToDoubleFunction<LoadSample> value) {}

    private String write() {
        LoadOptions options = results.options();
        out.append(
                        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>parley load</title>")
                .append("<style>")
                .append(STYLE)
                .append("</style><h1>")
                .append(escaped(options.sessions() + " calls to " + options.url()))
                .append("</h1><p>model ")
                .append(escaped(options.model()))
                .append(", ")
                .append(options.seconds())
                .append(" s. Round trip by ")
                .append(results.roundTripBasis())
                .append(".</p>");
        if (!results.isTrustworthy()) {
            out.append(
                    "<p class=\"bad\">The generator did not keep its own time: what follows says as"
                            + " much about it as about the server.</p>");
        }
        out.append("<div class=\"charts\">");
        chart("calls", "", new Line("connected", LoadSample::active));
        chart(
                "packets a second",
                "",
                new Line("up", LoadSample::sent),
                new Line("down", LoadSample::received));
        chart(
                "round trip",
                "ms",
                new Line("p50", LoadSample::roundTripMillis),
                new Line("p99", LoadSample::roundTripP99Millis));
        chart("longest gap in a second", "ms", new Line("gap", LoadSample::gapMillis));
        chart("lost on the way down", "%", new Line("lost", each -> 100 * each.lossDown()));
        chart("lateness of the generator itself", "ms", new Line("p99", LoadSample::lateP99Millis));
        spread("setup, POST to " + setupEnd(), results.setup());
        spread("round trip", results.roundTrip());
        out.append("</div>");
        table();
        return out.append("</html>\n").toString();
    }

    private String setupEnd() {
        return results.total().firstAudio.getTotalCount() > 0 ? "first audio" : "keys";
    }

    private void chart(String title, String unit, Line... lines) {
        List<LoadSample> samples = results.samples();
        double most = 0;
        for (Line line : lines) {
            for (LoadSample sample : samples) {
                double value = line.value().applyAsDouble(sample);
                most = Double.isNaN(value) ? most : Math.max(most, value);
            }
        }
        double top = niceTop(most);
        double end = samples.isEmpty() ? 1 : samples.getLast().seconds();
        open(title, unit, top, Figures.text(end) + " s");
        for (int i = 0; i < lines.length; i++) {
            List<String> points = new ArrayList<>();
            for (LoadSample sample : samples) {
                double value = lines[i].value().applyAsDouble(sample);
                if (!Double.isNaN(value)) {
                    points.add(at(sample.seconds() / end, value / top));
                }
            }
            out.append(
                    "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"%s\"/>"
                            .formatted(COLOURS[i], String.join(" ", points)));
        }
        out.append("</svg><div class=\"key\">");
        for (int i = 0; i < lines.length; i++) {
            out.append(
                    "<span style=\"color:%s\">&#9644; %s</span> "
                            .formatted(COLOURS[i], escaped(lines[i].name())));
        }
        out.append("</div></figure>");
    }

    /** How often which time came; the last bar ends at the 99.9th percentile. */
    private void spread(String title, Histogram micros) {
        double end = Math.max(0.001, Figures.millis(micros, 99.9));
        if (micros.getTotalCount() == 0) {
            return;
        }
        long[] counts = new long[BARS];
        long most = 1;
        for (int i = 0; i < BARS; i++) {
            long from = (long) (end * 1_000 * i / BARS);
            long to = Math.max(from, (long) (end * 1_000 * (i + 1) / BARS) - 1);
            counts[i] = micros.getCountBetweenValues(from, to);
            most = Math.max(most, counts[i]);
        }
        open(title, "times", (double) most, Figures.text(end) + " ms");
        double width = (double) (WIDTH - LEFT) / BARS;
        for (int i = 0; i < BARS; i++) {
            double height = (double) (HEIGHT - BOTTOM - TOP) * counts[i] / most;
            out.append(
                    String.format(
                            Locale.ROOT,
                            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
                            LEFT + i * width,
                            HEIGHT - BOTTOM - height,
                            width - 1,
                            height,
                            COLOURS[0]));
        }
        out.append("</svg></figure>");
    }

    private void open(String title, String unit, double top, String end) {
        out.append("<figure><h2>")
                .append(escaped(title))
                .append("</h2>")
                .append("<svg width=\"%d\" height=\"%d\">".formatted(WIDTH, HEIGHT))
                .append(
                        "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#94a3b8\"/>"
                                .formatted(LEFT, HEIGHT - BOTTOM, WIDTH, HEIGHT - BOTTOM))
                .append(
                        "<text x=\"4\" y=\"%d\">%s %s</text>"
                                .formatted(TOP + 10, Figures.text(top), unit))
                .append("<text x=\"4\" y=\"%d\">0</text>".formatted(HEIGHT - BOTTOM))
                .append(
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>"
                                .formatted(WIDTH - 4, HEIGHT - 6, end));
    }

    private static String at(double x, double y) {
        return String.format(
                Locale.ROOT,
                "%.1f,%.1f",
                LEFT + x * (WIDTH - LEFT - 4),
                HEIGHT - BOTTOM - y * (HEIGHT - BOTTOM - TOP));
    }

    /** 1, 2 or 5 times a power of ten that is not exceeded. */
    private static double niceTop(double most) {
        if (most <= 0) {
            return 1;
        }
        double power = Math.pow(10, Math.floor(Math.log10(most)));
        for (double step : new double[] {1, 2, 5, 10}) {
            if (most <= step * power) {
                return step * power;
            }
        }
        return most;
    }

    private void table() {
        out.append("<table>");
        results.figures()
                .forEach(
                        (name, value) -> {
                            if (value instanceof Map<?, ?> map) {
                                map.forEach((key, inner) -> row(name + "." + key, inner));
                            } else if (!(value instanceof List<?>)) {
                                row(name, value);
                            }
                        });
        out.append("</table>");
    }

    private void row(String name, Object value) {
        String text = value instanceof Double number ? Figures.text(number) : value.toString();
        out.append("<tr><td>")
                .append(escaped(name))
                .append("</td><td>")
                .append(escaped(text))
                .append("</td></tr>");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }
}
