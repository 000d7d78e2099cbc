package dev.parley.relay;

import dev.parley.relay.store.RedisMode;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.udp.UdpMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;

/** What a {@link RelayConfig} must be like, and what to say when it is not. */
final class RelayConfigChecks {
    private static final int MAX_PORT = 65_535;

    private RelayConfigChecks() {}

    static void requireAddresses(
            List<HostPort> publicAddresses, List<HostPort> advertised, List<Cidr> transceivers) {
        if (publicAddresses.isEmpty()) {
            throw new ConfigException("public_addresses: empty; give at least one host:port");
        }
        if (new HashSet<>(publicAddresses).size() < publicAddresses.size()) {
            throw new ConfigException("public_addresses: names an address twice; name each once");
        }
        if (!advertised.isEmpty() && advertised.size() != publicAddresses.size()) {
            throw new ConfigException(
                    "advertised_addresses: "
                            + advertised.size()
                            + " for "
                            + publicAddresses.size()
                            + " public_addresses; give one for each, or none");
        }
        if (transceivers.isEmpty()) {
            throw new ConfigException(
                    "transceiver_cidrs: empty; give at least one range, such as 10.0.0.0/8");
        }
    }

    /** Each worker has a port of its own. */
    static void requireRoom(String option, HostPort first, int workers) {
        if (first.port() + workers - 1 > MAX_PORT) {
            throw new ConfigException(
                    option
                            + ": port "
                            + first.port()
                            + " leaves no room for "
                            + workers
                            + " workers; give at most "
                            + (MAX_PORT - workers + 1));
        }
    }

    static void requireUdp(UdpMode udp, List<Integer> workerCores) {
        if (udp == UdpMode.NATIVE && !udp.isBatched()) {
            throw new ConfigException(
                    "udp: native needs Linux on x86_64 or aarch64; give auto or portable");
        }
        if (!workerCores.isEmpty() && !udp.isBatched()) {
            throw new ConfigException(
                    "worker_cores: works with batched system calls only; leave it empty");
        }
    }

    static void requireLegKey(Map<String, String> legKeys, int keyId) {
        if (!keys("leg_keys", legKeys).has(keyId)) {
            throw new ConfigException(
                    "leg_key_id: leg_keys has no key "
                            + keyId
                            + "; give the id of one that is there");
        }
    }

    static void requireRedis(
            List<HostPort> nodes, RedisMode mode, String master, int database, String caFile) {
        if (nodes.isEmpty()) {
            throw new ConfigException(
                    "redis_nodes: empty, but flow_store is redis; give at least one host:port");
        }
        if (mode == RedisMode.SENTINEL && master.isEmpty()) {
            throw new ConfigException(
                    "redis_master: empty; give the name by which the Sentinels know the master");
        }
        if (mode == RedisMode.CLUSTER && database != 0) {
            throw new ConfigException(
                    "redis_database: a Cluster has only database 0; leave it out");
        }
        if (!caFile.isEmpty() && !Files.isReadable(Path.of(caFile))) {
            throw new ConfigException(
                    "redis_ca_file: \"" + caFile + "\" cannot be read; give a PEM file");
        }
    }

    static RouteKeys keys(String option, Map<String, String> texts) {
        try {
            return RouteKeys.parse(texts);
        } catch (IllegalArgumentException e) {
            throw new ConfigException(option + ": " + e.getMessage());
        }
    }
}
