package dev.parley.bench.capacity;

import java.util.List;

/**
 * Where callers are: people online, in millions, and how far their clocks are ahead of UTC on
 * average. Share of people online: ITU, Facts and Figures 2023; people: after United Nations, World
 * Population Prospects 2022, rounded. The Americas, and Asia and the Pacific, are parted in two
 * whose shares make up ITU's.
 *
 * @param millions people
 * @param online share of them that uses the Internet
 * @param hoursAhead of UTC, where most of them are
 */
record WorldRegion(String name, double millions, double online, double hoursAhead) {
    static final List<WorldRegion> ALL =
            List.of(
                    new WorldRegion("North America", 378, 0.93, -6),
                    new WorldRegion("Latin America", 662, 0.83, -4),
                    new WorldRegion("Europe", 700, 0.905, 1),
                    new WorldRegion("CIS", 250, 0.891, 4),
                    new WorldRegion("Arab States", 480, 0.689, 2.5),
                    new WorldRegion("Africa", 1_200, 0.371, 1.5),
                    new WorldRegion("South Asia", 1_950, 0.50, 5.5),
                    new WorldRegion("East Asia, Pacific", 2_400, 0.79, 8));

    /** How much people call by their hour of the day, as a share of the busiest: assumed. */
    private static final double[] DAY = {
        0.25, 0.15, 0.10, 0.08, 0.08, 0.12, 0.22, 0.38, 0.55, 0.68, 0.75, 0.78, 0.75, 0.75, 0.78,
        0.80, 0.82, 0.86, 0.92, 0.97, 1.00, 0.95, 0.75, 0.45
    };

    double peopleOnline() {
        return millions * online * 1e6;
    }

    /** Activity at an hour of UTC, as a share of the region's busiest. */
    double activity(int utcHour) {
        double local = ((utcHour + hoursAhead) % 24 + 24) % 24;
        int before = (int) local;
        double part = local - before;
        return DAY[before] * (1 - part) + DAY[(before + 1) % 24] * part;
    }
}
