package dev.parley.e2e.hostile;

import dev.parley.e2e.DrillMain;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.lab.Lab;
import dev.parley.e2e.lab.Namespace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A drill that needs a network of its own, as it sends packets no socket sends: runs in a process
 * of its own there, with all that it starts.
 *
 * @param name that the process knows it by
 */
record InNamespace(String name, Drill inside) implements Drill {
    private static final String MARK = "parley.namespace";
    private static final List<String> HANDED_ON = List.of("parley.command", "parley.image");

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        if (Boolean.getBoolean(MARK)) {
            inside.run(folder, report);
            return;
        }
        Optional<String> obstacle = Lab.obstacle();
        if (obstacle.isPresent()) {
            throw new IllegalStateException(obstacle.get());
        }
        Path json = folder.resolve(name + ".json");
        try (Namespace own = Namespace.create()) {
            Process process = new ProcessBuilder(own.inside(command(json))).inheritIO().start();
            try {
                var _ = process.waitFor();
            } finally {
                var _ = process.destroyForcibly();
            }
        }
        report.take(Files.readString(json));
    }

    private List<String> command(Path json) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-D" + MARK + "=true"));
        for (String property : HANDED_ON) {
            String value = System.getProperty(property);
            if (value != null) {
                command.add("-D" + property + "=" + value);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(DrillMain.class.getName(), name, "--json", json.toString()));
        return command;
    }
}
