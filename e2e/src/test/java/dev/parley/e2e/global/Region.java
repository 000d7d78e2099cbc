package dev.parley.e2e.global;

import java.util.Locale;

/**
 * A region of the drill's world: callers, and a cluster near them. Distances are those of clouds'
 * published round trips, to five milliseconds.
 */
enum Region {
    EU(1, 52.4, 4.9),
    US(2, 39.0, -77.5),
    AP(3, 1.3, 103.8);

    private final int number;
    private final double latitude;
    private final double longitude;

    Region(int number, double latitude, double longitude) {
        this.number = number;
        this.latitude = latitude;
        this.longitude = longitude;
    }

    /** Id of its cluster. */
    int number() {
        return number;
    }

    double latitude() {
        return latitude;
    }

    double longitude() {
        return longitude;
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Where the cluster is reached by everyone. */
    String publicAddress() {
        return "198.18." + number + ".10";
    }

    /** Where other clusters reach it over the backbone. */
    String backboneAddress() {
        return "198.19." + number + ".10";
    }

    /** The caller's own. */
    String callerAddress() {
        return "198.18." + number + ".200";
    }

    /** Round trip to another region over the backbone, in milliseconds. */
    int backboneRoundTrip(Region other) {
        if (this == other) {
            return 2;
        }
        return switch (number + other.number) {
            case 3 -> 80; // Amsterdam, Virginia
            case 4 -> 160; // Amsterdam, Singapore
            default -> 210; // Virginia, Singapore
        };
    }

    /** The region whose model its callers want in the drill: another continent's. */
    Region home() {
        return values()[(ordinal() + 1) % values().length];
    }
}
