package dev.parley.relay;

/**
 * How many virtual threads can hold their carrier for good. A packet loop blocks in a native wait
 * and the JDK puts no other carrier in its place, so a process needs {@code
 * -Djdk.virtualThreadScheduler.parallelism} above the number of its loops.
 */
final class Carriers {
    private static final String PROPERTY = "jdk.virtualThreadScheduler.parallelism";

    private Carriers() {}

    static int parallelism() {
        return Integer.getInteger(PROPERTY, Runtime.getRuntime().availableProcessors());
    }

    /** What to say when there are too few for so many loops. */
    static String advice(int loops) {
        return "relay workers run on platform threads: start the JVM with -D"
                + PROPERTY
                + "="
                + (Runtime.getRuntime().availableProcessors() + loops)
                + " or more to give each its own carrier";
    }
}
