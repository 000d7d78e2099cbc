package dev.parley.fuzz;

import java.util.Arrays;

/** All targets in one, for a short run of each: the first byte chooses which. */
public final class AnyFuzz {
    private static final FuzzTarget[] TARGETS = FuzzTarget.values();

    private AnyFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            FuzzTarget target = TARGETS[(input[0] & 0xFF) % TARGETS.length];
            target.test(Arrays.copyOfRange(input, 1, input.length));
        }
    }

    /** The input that makes this try the target with the bytes. */
    static byte[] input(FuzzTarget target, byte[] bytes) {
        byte[] input = new byte[1 + bytes.length];
        input[0] = (byte) target.ordinal();
        System.arraycopy(bytes, 0, input, 1, bytes.length);
        return input;
    }
}
