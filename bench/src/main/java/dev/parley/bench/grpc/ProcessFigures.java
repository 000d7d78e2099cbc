package dev.parley.bench.grpc;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What the living threads of this process have used so far, those of the just-in-time compiler left
 * out. Wake-ups are voluntary context switches: unlike processor time they hardly move with what
 * else the machine is doing.
 */
record ProcessFigures(long cpuNanos, long wakeups, int platformThreads, int virtualThreads) {

    static ProcessFigures now() throws IOException {
        List<Path> threads;
        try (var listing = Files.list(Path.of("/proc/self/task"))) {
            threads = listing.toList();
        }
        long cpuNanos = 0;
        long wakeups = 0;
        for (Path thread : threads) {
            try {
                if (!Files.readString(thread.resolve("comm")).matches("C[12] Compiler.*\\s*")) {
                    String schedstat = Files.readString(thread.resolve("schedstat"));
                    cpuNanos += Long.parseLong(schedstat.substring(0, schedstat.indexOf(' ')));
                    wakeups += voluntarySwitches(thread);
                }
            } catch (NoSuchFileException _) {
                // The thread ended between the listing and the read.
            }
        }
        return new ProcessFigures(
                cpuNanos, wakeups, ManagementFactory.getThreadMXBean().getThreadCount(), 0);
    }

    /**
     * Adds the count of virtual threads, which needs a thread dump and so disturbs a measurement.
     */
    ProcessFigures countingVirtualThreads() throws IOException {
        Path dump = Files.createTempDirectory("parley-threads").resolve("threads.json");
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
        long virtual =
                Files.readAllLines(dump).stream()
                        .filter(line -> line.contains("\"virtual\": true"))
                        .count();
        Files.delete(dump);
        Files.delete(dump.getParent());
        return new ProcessFigures(cpuNanos, wakeups, platformThreads, (int) virtual);
    }

    ProcessFigures since(ProcessFigures earlier) {
        return new ProcessFigures(
                cpuNanos - earlier.cpuNanos,
                wakeups - earlier.wakeups,
                platformThreads,
                virtualThreads);
    }

    String toLine() {
        return cpuNanos + " " + wakeups + " " + platformThreads + " " + virtualThreads;
    }

    static ProcessFigures ofLine(String line) {
        String[] parts = line.split(" ", -1);
        return new ProcessFigures(
                Long.parseLong(parts[0]),
                Long.parseLong(parts[1]),
                Integer.parseInt(parts[2]),
                Integer.parseInt(parts[3]));
    }

    private static long voluntarySwitches(Path thread) throws IOException {
        String key = "voluntary_ctxt_switches:";
        for (String line : Files.readAllLines(thread.resolve("status"))) {
            if (line.startsWith(key)) {
                return Long.parseLong(line.substring(key.length()).strip());
            }
        }
        return 0;
    }
}
