package dev.parley.e2e.global;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Draws what the drill has written with {@code --json}: for callers of each region, entering near
 * against entering far. {@code docs/global-relay.svg} is made by it.
 */
final class EntryChart {
    private static final int WIDTH = 860;
    private static final int LEFT = 170;
    private static final int ROW = 26;
    private static final int GAP = 22;
    private static final int TOP = 60;
    private static final double PIXELS_PER_MILLI = 2;

    private final StringBuilder svg = new StringBuilder();
    private final JsonNode figures;
    private int y = TOP;

    private EntryChart(JsonNode figures) {
        this.figures = figures;
    }

    /**
     * Draws.
     *
     * @param arguments the drill's JSON, and the picture to write
     */
    public static void main(String[] arguments) throws IOException {
        JsonNode root = new ObjectMapper().readTree(Path.of(arguments[0]).toFile());
        Files.writeString(Path.of(arguments[1]), new EntryChart(root.path("figures")).draw());
    }

    private String draw() {
        for (Region region : Region.values()) {
            String way = region.text() + "_to_" + region.home().text();
            text(16, y + ROW, region.text() + " caller, call in " + region.home().text(), "start");
            bar(way + "_entering_near", "near", "#1a7f5a");
            bar(way + "_entering_far", "far", "#b04a3a");
            y += GAP;
        }
        return """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">
        <rect width="100%%" height="100%%" fill="#ffffff"/>
        <text x="16" y="28" font-size="16">Media round trip by where a call enters, ms; jitter and packets lost beside it</text>
        %s</svg>
        """
                .formatted(WIDTH, y + 4, svg);
    }

    private void bar(String key, String name, String colour) {
        double roundTrip = value(key + "_media_round_trip");
        double length = roundTrip * PIXELS_PER_MILLI;
        svg.append(
                String.format(
                        Locale.ROOT,
                        "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" fill=\"%s\"/>%n",
                        LEFT + 50,
                        y,
                        length,
                        ROW - 6,
                        colour));
        text(LEFT + 44, y + 15, name, "end");
        text(
                LEFT + 56 + (int) length,
                y + 15,
                String.format(
                        Locale.ROOT,
                        "%.0f; jitter %.1f ms, lost %.1f %%",
                        roundTrip,
                        value(key + "_jitter"),
                        value(key + "_packets_lost_both_ways")),
                "start");
        y += ROW;
    }

    private double value(String key) {
        return figures.path(key).path("value").asDouble();
    }

    private void text(int x, int at, String words, String anchor) {
        svg.append(
                String.format(
                        "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
                        x, at, anchor, words));
    }
}
