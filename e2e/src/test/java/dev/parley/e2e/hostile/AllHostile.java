package dev.parley.e2e.hostile;

import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * All of the hostile drills, one after another, and one table of what they showed.
 *
 * @param drills by name
 */
record AllHostile(Map<String, Drill> drills) implements Drill {
    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        List<DrillReport> parts = new ArrayList<>();
        for (Map.Entry<String, Drill> each : drills.entrySet()) {
            System.out.println();
            System.out.println("-- " + each.getKey());
            DrillReport part = new DrillReport(each.getKey());
            try {
                each.getValue().run(Files.createDirectory(folder.resolve(each.getKey())), part);
            } catch (Exception | AssertionError e) {
                e.printStackTrace();
                part.failed(e);
            }
            parts.add(part);
        }
        System.out.println();
        parts.forEach(report::part);
        report.table(HostileTable.of(parts));
    }
}
