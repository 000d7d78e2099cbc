package dev.parley.e2e.drill;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The figures of one drill, each with its bound if it has one. Owned by the drill's thread. */
public final class DrillReport {
    private record Figure(String name, double value, String unit, String bound, boolean passed) {
        String line() {
            return String.format(
                    Locale.ROOT,
                    "%-62s %10.1f %-10s %s",
                    name,
                    value,
                    unit,
                    bound.isEmpty() ? "" : (passed ? "ok   (" : "MISSED (") + bound + ")");
        }
    }

    private final String name;
    private final List<Figure> figures = new ArrayList<>();

    public DrillReport(String name) {
        this.name = name;
    }

    /** A figure that is only told. */
    public void tell(String what, double value, String unit) {
        add(new Figure(what, value, unit, "", true));
    }

    public void atMost(String what, double value, String unit, double bound) {
        add(new Figure(what, value, unit, "at most " + plain(bound), value <= bound));
    }

    /** A count that is only told. */
    public void tell(String what, long count, String unit) {
        tell(what, (double) count, unit);
    }

    public void atMost(String what, long count, String unit, long bound) {
        atMost(what, (double) count, unit, (double) bound);
    }

    public void atLeast(String what, double value, String unit, double bound) {
        add(new Figure(what, value, unit, "at least " + plain(bound), value >= bound));
    }

    /** Something that must hold. */
    public void require(String what, boolean holds) {
        add(new Figure(what, holds ? 1 : 0, "", "must be", holds));
    }

    private static String plain(double bound) {
        return bound == Math.rint(bound) ? Long.toString((long) bound) : Double.toString(bound);
    }

    private void add(Figure figure) {
        figures.add(figure);
        System.out.println(figure.line());
    }

    /** Whether there is anything and every bound was kept. */
    public boolean passed() {
        return !figures.isEmpty() && figures.stream().allMatch(Figure::passed);
    }

    /** Lines of the figures whose bound was missed. */
    public List<String> missed() {
        return figures.stream().filter(figure -> !figure.passed()).map(Figure::line).toList();
    }

    public String json() {
        ObjectMapper mapper = new ObjectMapper();
        ObjectNode root = mapper.createObjectNode().put("drill", name).put("passed", passed());
        ArrayNode list = root.putArray("figures");
        for (Figure figure : figures) {
            ObjectNode node =
                    list.addObject()
                            .put("name", figure.name())
                            .put("value", figure.value())
                            .put("unit", figure.unit());
            if (!figure.bound().isEmpty()) {
                node.put("bound", figure.bound()).put("passed", figure.passed());
            }
        }
        return root.toPrettyString();
    }
}
