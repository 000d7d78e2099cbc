package dev.parley.e2e.hostile;

import dev.parley.e2e.hostile.Counts.Expected;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Something that somebody does to the product. */
@FunctionalInterface
interface Attack {
    /**
     * Does it on the calling thread until told to stop.
     *
     * @param going answers false when it is time to stop
     */
    void run(Target target, BooleanSupplier going) throws Exception;

    /** What it has consisted of, where it has several kinds that are counted apart. */
    default List<Kind> kinds() {
        return List.of();
    }

    /**
     * One kind of it.
     *
     * @param done how often somebody has met with what must be counted
     */
    record Kind(String name, long done, Expected expected) {}

    /** Something that a drill does meanwhile. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }
}
