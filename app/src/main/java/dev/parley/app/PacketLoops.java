package dev.parley.app;

/**
 * Sizes the scheduler of virtual threads. A packet loop is a virtual thread that blocks in a native
 * wait and so keeps its carrier, for which the JDK does not compensate: without spare carriers
 * nothing else would ever run.
 */
public final class PacketLoops {
    /** Carriers that loops may keep, per core: more than any sensible config has loops. */
    private static final int LOOPS_PER_CORE = 2;

    private PacketLoops() {}

    /**
     * For a process whose loops have threads of their own: what else there is to do leaves them a
     * core. Must run before the first virtual thread starts.
     */
    static void leaveACore() {
        int cores = Runtime.getRuntime().availableProcessors();
        setUnlessGiven("jdk.virtualThreadScheduler.parallelism", Math.max(1, cores - 1));
    }

    /** Must run before the first virtual thread starts, since the JDK reads the properties once. */
    public static void sizeScheduler() {
        int cores = Runtime.getRuntime().availableProcessors();
        int carriers = cores + Math.max(4, LOOPS_PER_CORE * cores);
        setUnlessGiven("jdk.virtualThreadScheduler.parallelism", carriers);
        setUnlessGiven("jdk.virtualThreadScheduler.maxPoolSize", Math.max(256, carriers));
    }

    /** Sets a property that the JDK reads once, unless the command line has. */
    static void setUnlessGiven(String property, int value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, Integer.toString(value));
        }
    }
}
