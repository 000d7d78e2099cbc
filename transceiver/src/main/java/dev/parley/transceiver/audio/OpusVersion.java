package dev.parley.transceiver.audio;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A libopus version as far as it orders: builds between releases ("1.1-126-g76e831d") count as the
 * release before them, a version that cannot be read as the oldest.
 */
record OpusVersion(int major, int minor, int patch) implements Comparable<OpusVersion> {
    private static final Pattern NUMBERS =
            Pattern.compile("libopus (\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?.*");
    private static final Comparator<OpusVersion> ORDER =
            Comparator.comparingInt(OpusVersion::major)
                    .thenComparingInt(OpusVersion::minor)
                    .thenComparingInt(OpusVersion::patch);

    /** Reads what {@code opus_get_version_string} answers, such as "libopus 1.3.1-fixed". */
    static OpusVersion parse(String text) {
        Matcher numbers = NUMBERS.matcher(text);
        if (!numbers.matches()) {
            return new OpusVersion(0, 0, 0);
        }
        String patch = numbers.group(3);
        return new OpusVersion(
                Integer.parseInt(numbers.group(1)),
                Integer.parseInt(numbers.group(2)),
                patch == null ? 0 : Integer.parseInt(patch));
    }

    @Override
    public int compareTo(OpusVersion other) {
        return ORDER.compare(this, other);
    }
}
