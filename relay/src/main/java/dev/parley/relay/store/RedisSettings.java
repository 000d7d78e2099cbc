package dev.parley.relay.store;

import dev.parley.runtime.config.HostPort;
import java.time.Duration;
import java.util.List;

/**
 * How Redis is reached. Empty texts mean that there is none.
 *
 * @param nodes servers, Sentinels or nodes of a Cluster
 * @param master name by which Sentinels know the master
 * @param caFile certificates in PEM that a TLS server's is checked with, empty for the system's
 * @param username ACL user
 * @param timeout how long a command may take, so long as it is not the connecting
 * @param keyPrefix what every key begins with
 */
public record RedisSettings(
        RedisMode mode,
        List<HostPort> nodes,
        String master,
        boolean tls,
        String caFile,
        String username,
        String password,
        String sentinelPassword,
        int database,
        Duration timeout,
        String keyPrefix) {
    @Override
    public String toString() {
        return "redis "
                + String.join(", ", nodes.stream().map(HostPort::toString).toList())
                + (mode == RedisMode.SENTINEL ? " (Sentinels of " + master + ")" : "")
                + (mode == RedisMode.CLUSTER ? " (Cluster)" : "");
    }
}
