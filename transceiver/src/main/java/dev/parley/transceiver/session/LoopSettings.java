package dev.parley.transceiver.session;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.config.Cidr;
import java.util.List;

/**
 * What all media loops of a process share.
 *
 * @param relays from where client headers are believed
 * @param routeKeys open the ufrags of checks
 */
public record LoopSettings(List<Cidr> relays, RouteKeys routeKeys) {
    public LoopSettings {
        relays = List.copyOf(relays);
    }
}
