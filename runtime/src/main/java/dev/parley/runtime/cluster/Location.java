package dev.parley.runtime.cluster;

/**
 * A place on earth.
 *
 * @param latitude degrees north, -90 to 90
 * @param longitude degrees east, -180 to 180
 */
public record Location(double latitude, double longitude) {
    private static final double EARTH_RADIUS_KM = 6_371;

    public Location {
        if (!(latitude >= -90 && latitude <= 90)) {
            throw new IllegalArgumentException("latitude is not -90 to 90");
        }
        if (!(longitude >= -180 && longitude <= 180)) {
            throw new IllegalArgumentException("longitude is not -180 to 180");
        }
    }

    /** Distance along a great circle, by the haversine formula. */
    public double kilometresTo(Location other) {
        double from = Math.toRadians(latitude);
        double to = Math.toRadians(other.latitude);
        double east = Math.toRadians(other.longitude - longitude);
        double north = Math.sin((to - from) / 2);
        double side = Math.sin(east / 2);
        double chord = north * north + Math.cos(from) * Math.cos(to) * side * side;
        return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(Math.min(1, chord)));
    }
}
