package dev.parley.e2e.drill;

import java.nio.file.Path;

/** One fault, made on purpose, and what it costs. */
@FunctionalInterface
public interface Drill {
    /**
     * Runs it.
     *
     * @param folder for config files and the like
     * @param report takes the figures
     */
    void run(Path folder, DrillReport report) throws Exception;
}
