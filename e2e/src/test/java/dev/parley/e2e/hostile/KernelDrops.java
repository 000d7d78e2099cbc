package dev.parley.e2e.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * Datagrams that the kernel threw away before the product could see them, by what {@code
 * /proc/net/udp} says of its ports. They did not arrive, so nobody can count them.
 */
final class KernelDrops {
    private static final List<Path> TABLES =
            List.of(Path.of("/proc/net/udp"), Path.of("/proc/net/udp6"));
    private static final int LOCAL_ADDRESS = 1;

    private KernelDrops() {}

    /** All so far, of sockets on these ports. */
    static long of(Set<Integer> ports) throws IOException {
        long drops = 0;
        for (Path table : TABLES) {
            if (Files.isReadable(table)) {
                drops += Files.readAllLines(table).stream().mapToLong(l -> of(l, ports)).sum();
            }
        }
        return drops;
    }

    // The first line has names, the last column the drops.
    private static long of(String line, Set<Integer> ports) {
        String[] columns = line.strip().split("\\s+", -1);
        int colon = columns[LOCAL_ADDRESS].indexOf(':');
        if (colon < 0 || columns[LOCAL_ADDRESS].equals("local_address")) {
            return 0;
        }
        int port = Integer.parseInt(columns[LOCAL_ADDRESS].substring(colon + 1), 16);
        return ports.contains(port) ? Long.parseLong(columns[columns.length - 1]) : 0;
    }
}
