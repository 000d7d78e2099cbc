package dev.parley.signaling.pool;

import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Where the control servers of transceivers are. Asked again and again by one thread. */
@FunctionalInterface
public interface Discovery extends AutoCloseable {
    /**
     * Those that there are now.
     *
     * @throws IOException when that cannot be told; what was known before then stays
     */
    Set<HostPort> find() throws IOException;

    /** Stops looking. */
    @Override
    default void close() {}

    /** Always these. */
    static Discovery fixed(List<HostPort> transceivers) {
        Set<HostPort> known = new LinkedHashSet<>(transceivers);
        return () -> known;
    }
}
