package dev.parley.e2e.drill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The figures of one drill, each with its bound if it has one. Owned by the drill's thread. */
public final class DrillReport {
    /** What a figure must not exceed, or not fall below. */
    private enum Kind {
        TOLD,
        AT_MOST,
        AT_LEAST;

        String key() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Figure(String name, double value, String unit, Kind kind, double bound) {
        boolean passed() {
            return switch (kind) {
                case TOLD -> true;
                case AT_MOST -> value <= bound;
                case AT_LEAST -> value >= bound;
            };
        }

        String line() {
            return String.format(
                    Locale.ROOT, "%-62s %10.1f %-10s %s", name, value, unit, judgement());
        }

        private String judgement() {
            if (kind == Kind.TOLD) {
                return "";
            }
            String words = kind == Kind.AT_MOST ? "at most " : "at least ";
            return (passed() ? "ok   (" : "MISSED (") + words + plain(bound) + ")";
        }

        private static String plain(double bound) {
            return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
        }

        /** The name as programs want it, such as {@code packets_lost_on_the_way_up}. */
        String key() {
            return name.toLowerCase(Locale.ROOT)
                    .replaceAll("[^a-z0-9]+", "_")
                    .replaceAll("^_|_$", "");
        }

        static Figure of(JsonNode node) {
            Kind kind =
                    node.has("at_most")
                            ? Kind.AT_MOST
                            : node.has("at_least") ? Kind.AT_LEAST : Kind.TOLD;
            return new Figure(
                    node.get("name").asText(),
                    node.get("value").asDouble(),
                    node.get("unit").asText(),
                    kind,
                    kind == Kind.TOLD ? 0 : node.get(kind.key()).asDouble());
        }

        void writeTo(ObjectNode figures) {
            ObjectNode node =
                    figures.putObject(key())
                            .put("name", name)
                            .put("value", value)
                            .put("unit", unit);
            if (kind != Kind.TOLD) {
                node.put(kind.key(), bound).put("passed", passed());
            }
        }
    }

    private final String name;
    private final boolean hurried;
    private final List<Figure> figures = new ArrayList<>();
    private final List<DrillReport> parts = new ArrayList<>();
    private String table = "";
    private @Nullable String error;

    public DrillReport(String name) {
        this(name, true);
    }

    private DrillReport(String name, boolean hurried) {
        this.name = name;
        this.hurried = hurried;
    }

    /** One where other things happen on the machine, so that times are only told. */
    static DrillReport unhurried(String name) {
        return new DrillReport(name, false);
    }

    /** A figure that is only told. */
    public void tell(String what, double value, String unit) {
        add(new Figure(what, value, unit, Kind.TOLD, 0));
    }

    public void atMost(String what, double value, String unit, double bound) {
        add(new Figure(what, value, unit, Kind.AT_MOST, bound));
    }

    /** A count that is only told. */
    public void tell(String what, long count, String unit) {
        tell(what, (double) count, unit);
    }

    public void atMost(String what, long count, String unit, long bound) {
        atMost(what, (double) count, unit, (double) bound);
    }

    public void atLeast(String what, double value, String unit, double bound) {
        add(new Figure(what, value, unit, Kind.AT_LEAST, bound));
    }

    /** A figure that a busy machine may make larger. */
    public void within(String what, double value, String unit, double bound) {
        if (hurried) {
            atMost(what, value, unit, bound);
        } else {
            tell(what, value, unit);
        }
    }

    /** A figure that a busy machine may make smaller. */
    public void notBelow(String what, double value, String unit, double bound) {
        if (hurried) {
            atLeast(what, value, unit, bound);
        } else {
            tell(what, value, unit);
        }
    }

    /** A time in milliseconds that depends on the machine. */
    void within(String what, double millis, double bound) {
        within(what, millis, "ms", bound);
    }

    /** A count that time lost on a busy machine may make larger. */
    void within(String what, long count, long bound) {
        within(what, (double) count, "", (double) bound);
    }

    /** Something that must hold: 1 when it does, 0 when not. */
    public void require(String what, boolean holds) {
        atLeast(what, holds ? 1 : 0, "", 1);
    }

    /** What one of several drills has shown. */
    public void part(DrillReport drill) {
        parts.add(drill);
        require(drill.name, drill.passed());
    }

    /** What people read of it, in Markdown. */
    public void table(String markdown) {
        table = markdown;
        System.out.println(markdown);
    }

    /** What people read of it; empty where there is only what was printed. */
    public String markdown() {
        return table;
    }

    public String name() {
        return name;
    }

    /** A figure by its name in snake case; NaN where there is none. */
    public double value(String key) {
        return figures.stream()
                .filter(figure -> figure.key().equals(key))
                .mapToDouble(Figure::value)
                .findFirst()
                .orElse(Double.NaN);
    }

    /** It did not come to its end. */
    public void failed(Throwable why) {
        error = why.toString();
    }

    /** Takes over what another process has reported as {@link #json}. */
    public void take(String json) throws IOException {
        JsonNode other = new ObjectMapper().readTree(json);
        if (other.has("error")) {
            error = other.get("error").asText();
        }
        other.get("figures").forEach(figure -> figures.add(Figure.of(figure)));
    }

    private void add(Figure figure) {
        if (figures.stream().anyMatch(other -> other.key().equals(figure.key()))) {
            throw new IllegalArgumentException("two figures named " + figure.key());
        }
        figures.add(figure);
        System.out.println(figure.line());
    }

    /** Whether it came to its end, there is anything, and every bound was kept. */
    public boolean passed() {
        return error == null && !figures.isEmpty() && figures.stream().allMatch(Figure::passed);
    }

    /** Lines of the figures whose bound was missed. */
    public List<String> missed() {
        return figures.stream().filter(figure -> !figure.passed()).map(Figure::line).toList();
    }

    /** The verdict, and every figure by its name in snake case. */
    public String json() {
        return tree().toPrettyString();
    }

    private ObjectNode tree() {
        ObjectNode root =
                new ObjectMapper()
                        .createObjectNode()
                        .put("drill", name)
                        .put("verdict", passed() ? "passed" : "failed")
                        .put("passed", passed());
        if (error != null) {
            root.put("error", error);
        }
        ObjectNode all = root.putObject("figures");
        figures.forEach(figure -> figure.writeTo(all));
        if (!parts.isEmpty()) {
            ObjectNode drills = root.putObject("drills");
            parts.forEach(part -> drills.set(part.name, part.tree()));
        }
        return root;
    }
}
