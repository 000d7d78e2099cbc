package dev.parley.e2e.telemetry;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The spans of one trace as a tree, each line a span, children behind their parents, indented and
 * by name.
 */
public final class TraceTree {
    private final List<ReceivedSpan> spans;
    private final List<String> lines = new ArrayList<>();

    private TraceTree(List<ReceivedSpan> spans) {
        this.spans = spans.stream().sorted(Comparator.comparing(ReceivedSpan::title)).toList();
    }

    /** Lines of the tree; a span that no line leads to is missing. */
    public static List<String> of(List<ReceivedSpan> spans) {
        TraceTree tree = new TraceTree(spans);
        tree.add("", 0);
        return tree.lines;
    }

    private void add(String parentId, int depth) {
        for (ReceivedSpan each : spans) {
            if (each.parentId().equals(parentId)) {
                lines.add("  ".repeat(depth) + each.title());
                add(each.spanId(), depth + 1);
            }
        }
    }
}
