package dev.parley.bench.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the reference relays, where their sources and a compiler are there: what the kernel's
 * sockets allow in C, and a relay in Go as it is publicly described.
 */
final class References {
    private References() {}

    static List<Contestant> build(Path source) throws IOException {
        List<Contestant> built = new ArrayList<>();
        Path folder = Files.createTempDirectory("relay-references");
        Path c = folder.resolve("reference_relay");
        if (compile(source, "gcc", "-O2", "-w", "-pthread", "-o", c)) {
            built.add(Contestant.other("reference", c + " mmsg {public} {sink} 1 -1 64"));
        }
        Path go = folder.resolve("reference_relay_go");
        if (compile(source.resolveSibling("reference_relay.go"), "go", "build", "-o", go)) {
            built.add(Contestant.other("go", go + " {public} {sink} 1 lock"));
        }
        return built;
    }

    private static boolean compile(Path source, Object... command) throws IOException {
        if (!Files.isReadable(source)) {
            return false;
        }
        List<String> words = new ArrayList<>();
        for (Object word : command) {
            words.add(word.toString());
        }
        words.add(source.toString());
        try {
            return new ProcessBuilder(words).inheritIO().start().waitFor() == 0;
        } catch (IOException _) {
            // No such compiler here.
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
