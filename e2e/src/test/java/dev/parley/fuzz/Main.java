package dev.parley.fuzz;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** {@code ./parley fuzz TARGET [--minutes N]}. */
final class Main {
    private static final int DEFAULT_MINUTES = 60;
    private static final int BAD_USAGE = 2;

    private Main() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        try {
            FuzzTarget target = FuzzTarget.of(arguments.length == 0 ? "" : arguments[0]);
            int minutes = minutes(arguments);
            System.out.printf(
                    "fuzzing %s for %d minutes; findings go to target/fuzz/%s%n",
                    target.label(), minutes, target.label());
            Path work = Path.of("target", "fuzz", target.label()).toAbsolutePath();
            System.exit(FuzzRun.forLong(target, work, Duration.ofMinutes(minutes)));
        } catch (IllegalArgumentException e) {
            System.err.println("usage: ./parley fuzz TARGET [--minutes N]: " + e.getMessage());
            System.exit(BAD_USAGE);
        }
    }

    private static int minutes(String[] arguments) {
        if (arguments.length == 1) {
            return DEFAULT_MINUTES;
        }
        boolean wellFormed =
                arguments.length == 3
                        && arguments[1].equals("--minutes")
                        && arguments[2].matches("[1-9]\\d{0,3}");
        if (!wellFormed) {
            throw new IllegalArgumentException("--minutes takes a number from 1 to 9999");
        }
        return Integer.parseInt(arguments[2]);
    }
}
