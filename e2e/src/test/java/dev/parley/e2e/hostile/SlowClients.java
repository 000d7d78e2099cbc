package dev.parley.e2e.hostile;

import java.io.IOException;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Clients who hold as many HTTP connections as they can get, and send a byte now and then in heads
 * and in bodies, or ask for much and read nothing. Whoever is thrown out comes again. Owned by one
 * drill.
 */
final class SlowClients implements Attack {
    private static final int HELD = 2_000;
    private static final int KINDS = 4;
    private static final int ASKED_AT_ONCE = 1_000;
    private static final int SMALLEST_BUFFER = 2_048;
    private static final long STEP_NANOS = 250_000_000;
    private static final long SPREAD_NANOS = 500_000;

    /** Who does not read hears of the end by the second word that he says then. */
    static final long NOTICE_MILLIS = 2 * 2 * STEP_NANOS / 1_000_000;

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private final AtomicLongArray longestNanos = new AtomicLongArray(KINDS);

    @Override
    public void run(Target target, BooleanSupplier going) throws InterruptedException {
        CountDownLatch all = new CountDownLatch(HELD);
        for (int i = 0; i < HELD; i++) {
            int number = i;
            Thread.ofVirtual()
                    .start(
                            () -> {
                                comeAgain(target, number, going);
                                all.countDown();
                            });
            LockSupport.parkNanos(SPREAD_NANOS);
        }
        all.await();
    }

    private void comeAgain(Target target, int number, BooleanSupplier going) {
        Random random = new Random(number);
        while (going.getAsBoolean()) {
            int window = reads(number) ? 0 : SMALLEST_BUFFER;
            try (Socket socket = HttpAttacks.open(target.base(), number, window)) {
                hold(socket, number, random, going);
            } catch (IOException _) {
                // Turned away at the door.
                LockSupport.parkNanos(STEP_NANOS);
            }
        }
    }

    private void hold(Socket socket, int number, Random random, BooleanSupplier going)
            throws IOException {
        opened.incrementAndGet();
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        long start = System.nanoTime();
        boolean there = HttpAttacks.say(socket, beginning(number));
        while (there && going.getAsBoolean()) {
            LockSupport.parkNanos(STEP_NANOS + random.nextLong(STEP_NANOS));
            there =
                    HttpAttacks.say(socket, "x")
                            && !(reads(number) && HttpAttacks.hasEnded(socket));
        }
        open.decrementAndGet();
        longestNanos.accumulateAndGet(number % KINDS, System.nanoTime() - start, Math::max);
        if (!there) {
            closed.incrementAndGet();
        }
    }

    private static boolean reads(int number) {
        return number % KINDS != KINDS - 1;
    }

    private static String beginning(int number) {
        return switch (number % KINDS) {
            case 0 -> "GET /healthz HT";
            case 1 -> "POST /v1/realtime/calls HTTP/1.1\r\nHost: x\r\nX-Slow: ";
            case 2 ->
                    "POST /v1/realtime/calls HTTP/1.1\r\nHost: x\r\nContent-Type: application/sdp\r\n"
                            + "Content-Length: 60000\r\n\r\nv=0";
            default -> "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(ASKED_AT_ONCE);
        };
    }

    /** Connections that it got. */
    int opened() {
        return opened.get();
    }

    /** Those of them that the service has ended. */
    int closed() {
        return closed.get();
    }

    /** Those that were open at a time, at most. */
    int mostOpen() {
        return mostOpen.get();
    }

    /** How long the longest of each kind was open. */
    double[] longestMillis() {
        return IntStream.range(0, KINDS).mapToDouble(i -> longestNanos.get(i) / 1e6).toArray();
    }
}
