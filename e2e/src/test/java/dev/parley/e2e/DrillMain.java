package dev.parley.e2e;

import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.drill.RelayDrills;
import dev.parley.e2e.global.GlobalRelayDrill;
import dev.parley.e2e.hostile.HostileDrills;
import dev.parley.e2e.k8s.ClusterDrills;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Runs a drill by name: {@code ./parley drill NAME [--json FILE] [--markdown FILE]}. */
public final class DrillMain {
    private static final int EXIT_MISSED = 1;
    private static final int EXIT_USAGE = 2;

    private DrillMain() {}

    private static Map<String, Drill> drills() {
        Map<String, Drill> drills = new LinkedHashMap<>(RelayDrills.all());
        drills.put("netem", new NetemDrill());
        drills.put("netem-libwebrtc", new NetemLibwebrtcDrill());
        drills.put("netem-data", new NetemDataDrill());
        drills.put("setup", new SetupDrill());
        drills.put("setup-loss", new SetupLossDrill());
        drills.putAll(ClusterDrills.all());
        drills.putAll(HostileDrills.all());
        drills.put("global-relay", new GlobalRelayDrill());
        return drills;
    }

    /** Exits with 1 when a bound was missed or the drill failed, with 2 when it is unknown. */
    public static void main(String[] arguments) {
        Map<String, Drill> drills = drills();
        Drill drill = arguments.length == 0 ? null : drills.get(arguments[0]);
        Map<String, Path> files = files(arguments);
        if (drill == null || !Set.of("--json", "--markdown").containsAll(files.keySet())) {
            System.err.println(
                    "usage: ./parley drill NAME [--json FILE] [--markdown FILE]; there are "
                            + String.join(", ", drills.keySet()));
            System.exit(EXIT_USAGE);
            return;
        }
        DrillReport report = new DrillReport(arguments[0]);
        run(drill, report);
        write(files.get("--json"), report.json());
        write(files.get("--markdown"), report.markdown());
        report.missed().forEach(line -> System.out.println("missed: " + line));
        System.out.println(arguments[0] + (report.passed() ? " passed" : " FAILED"));
        System.exit(report.passed() ? 0 : EXIT_MISSED);
    }

    // Behind the name: an option and its file, once or more.
    private static Map<String, Path> files(String[] arguments) {
        Map<String, Path> files = new LinkedHashMap<>();
        for (int i = 1; i < arguments.length; i += 2) {
            files.put(arguments[i], Path.of(i + 1 < arguments.length ? arguments[i + 1] : ""));
        }
        return files;
    }

    private static void run(Drill drill, DrillReport report) {
        try {
            Path folder = Files.createTempDirectory("parley-drill");
            try {
                drill.run(folder, report);
            } finally {
                remove(folder);
            }
        } catch (Exception | AssertionError e) {
            e.printStackTrace();
            report.failed(e);
        }
    }

    private static void remove(Path folder) throws IOException {
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path emptied, IOException problem)
                            throws IOException {
                        Files.deleteIfExists(emptied);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    private static void write(@Nullable Path file, String text) {
        if (file == null) {
            return;
        }
        try {
            Files.writeString(file, text + System.lineSeparator());
        } catch (IOException e) {
            System.err.println("cannot write " + file + ": " + e.getMessage());
            System.exit(EXIT_MISSED);
        }
    }
}
