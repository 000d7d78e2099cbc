package dev.parley.relay;

import dev.parley.runtime.config.Cidr;
import java.util.List;

/** The ranges where transceivers may live. Immutable; asking allocates nothing. */
final class AddressRanges {
    private final Cidr[] ranges;

    AddressRanges(List<Cidr> ranges) {
        this.ranges = ranges.toArray(new Cidr[0]);
    }

    boolean contains(long high, long low) {
        for (Cidr range : ranges) {
            if (range.contains(high, low)) {
                return true;
            }
        }
        return false;
    }
}
