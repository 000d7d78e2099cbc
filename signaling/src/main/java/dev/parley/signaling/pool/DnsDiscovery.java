package dev.parley.signaling.pool;

import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds transceivers by names that stand for all of them, such as that of a headless service: each
 * address is one.
 */
public final class DnsDiscovery implements Discovery {
    private static final String CACHE_SECONDS_PROPERTY = "networkaddress.cache.ttl";
    private static final String CACHE_SECONDS = "2";

    /** All addresses of a name. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] addresses(String name) throws UnknownHostException;
    }

    private final List<HostPort> names;
    private final Lookup lookup;

    DnsDiscovery(List<HostPort> names, Lookup lookup) {
        this.names = List.copyOf(names);
        this.lookup = lookup;
    }

    /**
     * Asks the system's resolver. The JDK would remember its answers for half a minute, in which
     * new transceivers get no calls; unless told otherwise it remembers them for two seconds.
     */
    public static DnsDiscovery ofSystem(List<HostPort> names) {
        if (Security.getProperty(CACHE_SECONDS_PROPERTY) == null) {
            Security.setProperty(CACHE_SECONDS_PROPERTY, CACHE_SECONDS);
        }
        return new DnsDiscovery(names, InetAddress::getAllByName);
    }

    @Override
    public Set<HostPort> find() throws IOException {
        Set<HostPort> found = new LinkedHashSet<>();
        for (HostPort name : names) {
            for (InetAddress address : lookup.addresses(name.host())) {
                found.add(new HostPort(address.getHostAddress(), name.port()));
            }
        }
        return found;
    }
}
