package dev.parley.e2e.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A network namespace with nothing but loopback, for processes that are to have a network of their
 * own. Closing it removes it; what a killed process left behind goes when the next one is made.
 */
public final class Namespace implements AutoCloseable {
    private final String name =
            "parley" + ProcessHandle.current().pid() + "-" + Lab.COUNT.incrementAndGet();

    private Namespace() throws IOException {
        Lab.removeLeftOvers();
        Lab.run("ip", "netns", "add", name);
        Lab.run("ip", "-n", name, "link", "set", "lo", "up");
    }

    /** Makes one; this takes root. */
    public static Namespace create() throws IOException {
        return new Namespace();
    }

    /** A command line that runs this one in it. */
    public List<String> inside(List<String> command) {
        return Lab.inside(name, command.toArray(String[]::new));
    }

    @Override
    public void close() {
        try {
            Lab.run("ip", "netns", "del", name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
