package dev.parley.e2e.hostile;

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

    /** Something that a drill does meanwhile. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }
}
