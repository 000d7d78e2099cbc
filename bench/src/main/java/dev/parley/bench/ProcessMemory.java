package dev.parley.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What another process holds in memory, as the kernel and its JVM's {@code jcmd} tell. */
public final class ProcessMemory {
    private static final Pattern TOTAL = Pattern.compile("(?m)^Total\\s+\\d+\\s+(\\d+)");
    private static final double BYTES_PER_MIB = 1 << 20;

    private ProcessMemory() {}

    /** Resident memory in MiB; NaN when the process has ended and was not waited for. */
    public static double residentMib(long pid) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) / 1024.0;
            }
        }
        return Double.NaN;
    }

    /**
     * Live objects of a JVM's heap in MiB; asking collects the garbage first.
     *
     * @throws IOException with what jcmd says, when it is no histogram
     */
    public static double liveHeapMib(long pid) throws IOException {
        String output = jcmd(pid, "GC.class_histogram");
        Matcher total = TOTAL.matcher(output);
        if (!total.find()) {
            throw new IOException("jcmd says: " + output);
        }
        return Long.parseLong(total.group(1)) / BYTES_PER_MIB;
    }

    /** Files and sockets that a process has open. */
    public static long openFiles(long pid) throws IOException {
        try (var files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return files.count();
        }
    }

    /**
     * What a JVM answers to a command of {@code jcmd}.
     *
     * @throws IOException with what jcmd says, when it fails
     */
    public static String jcmd(long pid, String command) throws IOException {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                                Long.toString(pid),
                                command)
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new IOException("jcmd " + command + " failed: " + output);
        }
        return output;
    }
}
