package dev.parley.e2e.drill;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What another JVM's heap holds after a collection, as its {@code jcmd} tells. */
public final class Heap {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");
    private static final double BYTES_PER_MIB = 1 << 20;

    private Heap() {}

    /** Live objects in MiB; asking collects the garbage first. */
    public static double liveMib(long pid) throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                Long.toString(pid),
                                "GC.class_histogram")
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher total = TOTAL.matcher(output);
        if (!total.find()) {
            throw new IOException("jcmd says: " + output);
        }
        return Long.parseLong(total.group(1)) / BYTES_PER_MIB;
    }
}
