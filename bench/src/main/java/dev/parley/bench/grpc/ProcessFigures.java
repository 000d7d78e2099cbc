package dev.parley.bench.grpc;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * What this process has used so far. Wake-ups are the voluntary context switches of all living
 * threads: unlike processor time they hardly move with what else the machine is doing.
 */
record ProcessFigures(long cpuNanos, long wakeups, int platformThreads, int virtualThreads) {

    static ProcessFigures now() throws IOException {
        long cpuNanos =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getProcessCpuTime();
        return new ProcessFigures(
                cpuNanos,
                voluntarySwitches(),
                ManagementFactory.getThreadMXBean().getThreadCount(),
                0);
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

    private static long voluntarySwitches() throws IOException {
        List<Path> tasks;
        try (var listing = Files.list(Path.of("/proc/self/task"))) {
            tasks = listing.toList();
        }
        long sum = 0;
        for (Path task : tasks) {
            try {
                for (String line : Files.readAllLines(task.resolve("status"))) {
                    if (line.startsWith("voluntary_ctxt_switches:")) {
                        sum += Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
                    }
                }
            } catch (NoSuchFileException _) {
                // The thread ended between the listing and the read.
            }
        }
        return sum;
    }
}
