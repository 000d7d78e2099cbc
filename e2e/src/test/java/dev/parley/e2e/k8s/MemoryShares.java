package dev.parley.e2e.k8s;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the JVM of one service may hold, as {@code image/memory} has it, of which its flags are
 * made.
 *
 * @param heapPercent of the pod's limit
 * @param directMebibytes of direct buffers, once of the JDK's and once of Netty's
 * @param besideMebibytes of everything else
 */
record MemoryShares(double heapPercent, double directMebibytes, double besideMebibytes) {
    static final double BYTES_PER_MEBIBYTE = 1 << 20;

    static MemoryShares of(String service) {
        Path file = Manifests.folder().resolveSibling("image").resolve("memory");
        try {
            List<String> words =
                    Files.readAllLines(file).stream()
                            .map(line -> List.of(line.split("\\s+")))
                            .filter(line -> line.getFirst().equals(service))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("no " + service + " in " + file));
            return new MemoryShares(
                    Double.parseDouble(words.get(1)),
                    Double.parseDouble(words.get(2)),
                    Double.parseDouble(words.get(3)));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The most that it may hold within a limit. */
    double most(double limitMebibytes) {
        return heapPercent / 100 * limitMebibytes + outsideHeap();
    }

    /** The most of it that is not heap. */
    double outsideHeap() {
        return 2 * directMebibytes + besideMebibytes;
    }
}
