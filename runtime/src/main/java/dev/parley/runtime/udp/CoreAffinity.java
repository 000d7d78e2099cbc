package dev.parley.runtime.udp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Keeps the calling thread on one core until it is closed, so that a loop stays with its caches. A
 * virtual thread pins its carrier, so it must not park in between; a packet loop does not. Linux
 * only.
 */
public final class CoreAffinity implements AutoCloseable {
    /** Room for 8,192 cores, more than the kernel is built for. */
    private static final int MASK_BYTES = 1024;

    private final MemorySegment before = Arena.ofAuto().allocate(MASK_BYTES, 8);

    private CoreAffinity() {}

    /**
     * Pins the calling thread.
     *
     * @param core from 0
     * @throws IOException when the system refuses, for example because there is no such core
     */
    public static CoreAffinity pin(int core) throws IOException {
        CoreAffinity affinity = new CoreAffinity();
        Libc.schedGetaffinity(affinity.before);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            mask.set(ValueLayout.JAVA_BYTE, core / Byte.SIZE, (byte) (1 << (core % Byte.SIZE)));
            Libc.schedSetaffinity(mask);
        }
        return affinity;
    }

    /** Lets the calling thread run where it could before. */
    @Override
    public void close() {
        try {
            Libc.schedSetaffinity(before);
        } catch (IOException _) {
            // Those cores are gone; the thread stays where it is.
        }
    }
}
