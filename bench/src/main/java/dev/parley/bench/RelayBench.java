package dev.parley.bench;

import dev.parley.bench.relay.BenchRun;
import java.io.IOException;

/** The command {@code bench relay}. */
public final class RelayBench {
    private RelayBench() {}

    public static void main(String[] arguments) throws IOException {
        System.exit(BenchRun.run(arguments));
    }
}
