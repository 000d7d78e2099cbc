package dev.parley.bench.relay;

import com.sun.management.ThreadMXBean;
import dev.parley.app.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What {@code ./parley relay} runs, as a process of its own for the bench: options as {@code
 * key=value} arguments; for each line on standard input it also prints the bytes that all its
 * threads have allocated so far.
 */
public final class RelayUnderTest {
    private RelayUnderTest() {}

    public static void main(String[] arguments) throws IOException {
        String file = RelayFile.write(options(arguments)).toString();
        Thread.ofPlatform().name("questions").daemon().start(RelayUnderTest::answer);
        Main.main(new String[] {"relay", "--config", file});
    }

    /** Options as arguments of a process. */
    static Map<String, String> options(String[] arguments) {
        Map<String, String> options = new LinkedHashMap<>();
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            options.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        return options;
    }

    /** Answers; ends the process with its input, so that no relay outlives a killed bench. */
    static void answer() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        BufferedReader questions =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                System.out.println("ALLOCATED " + threads.getTotalThreadAllocatedBytes());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            Runtime.getRuntime().halt(0);
        }
    }
}
