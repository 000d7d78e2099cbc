package dev.parley.bench;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * How many DTLS handshakes a bad path lets through, and how soon, with the waits that the product
 * has: Bouncy Castle keeps time by the wall clock, so all run at once and in real time. What is
 * lost follows from a seed for each.
 */
final class DtlsBench {
    private static final int DEFAULT_HANDSHAKES = 200;
    private static final int TIMEOUT_MILLIS = 15_000;
    private static final int ONE_WAY_MILLIS = 50;
    private static final int SPACING_MILLIS = 25;
    private static final int CLOSE_BYTES = 0;
    private static final double[] LOSSES = {0, 0.1, 0.2, 0.3, 0.4};
    private static final Executor THREADS = task -> Thread.ofVirtual().start(task);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final DtlsIdentity CLIENT = DtlsIdentity.generate(RANDOM);
    private static final DtlsIdentity SERVER = DtlsIdentity.generate(RANDOM);

    private DtlsBench() {}

    /** One end of a path. */
    private static final class End implements DatagramLink {
        private final BlockingQueue<byte[]> inbox = new LinkedBlockingQueue<>();
        private final Random random;
        private final double loss;
        private End peer = this;

        End(long seed, double loss) {
            this.random = new Random(seed);
            this.loss = loss;
        }

        @Override
        public int receive(byte[] buffer, int offset, int length, int waitMillis) {
            try {
                byte[] datagram =
                        waitMillis == 0
                                ? inbox.take()
                                : inbox.poll(waitMillis, TimeUnit.MILLISECONDS);
                if (datagram == null) {
                    return TIMED_OUT;
                }
                System.arraycopy(datagram, 0, buffer, offset, datagram.length);
                return datagram.length == CLOSE_BYTES ? CLOSED : datagram.length;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return CLOSED;
            }
        }

        @Override
        public synchronized void send(byte[] bytes, int offset, int length) {
            if (random.nextDouble() < loss) {
                return;
            }
            byte[] copy = Arrays.copyOfRange(bytes, offset, offset + length);
            CompletableFuture.delayedExecutor(ONE_WAY_MILLIS, TimeUnit.MILLISECONDS, THREADS)
                    .execute(() -> peer.inbox.add(copy));
        }

        void close() {
            inbox.add(new byte[CLOSE_BYTES]);
        }
    }

    static void main(String[] arguments) throws Exception {
        int handshakes =
                arguments.length == 0 ? DEFAULT_HANDSHAKES : Integer.parseInt(arguments[0]);
        System.out.printf(
                "DTLS handshakes with a round trip of %d ms, %d for each loss; failed: not done"
                        + " within %d s%n",
                2 * ONE_WAY_MILLIS, handshakes, TIMEOUT_MILLIS / 1000);
        System.out.println("| loss each way | failed | p50 s | p90 s | p99 s |");
        System.out.println("|---|---|---|---|---|");
        for (double loss : LOSSES) {
            System.out.println(row(loss, handshakes));
        }
    }

    private static String row(double loss, int handshakes) throws Exception {
        List<CompletableFuture<Long>> running = new ArrayList<>();
        for (int seed = 1; seed <= handshakes; seed++) {
            long number = seed;
            running.add(CompletableFuture.supplyAsync(() -> millis(number, loss), THREADS));
            Thread.sleep(SPACING_MILLIS);
        }
        long[] millis = new long[handshakes];
        for (int i = 0; i < handshakes; i++) {
            millis[i] = running.get(i).get();
        }
        Arrays.sort(millis);
        long failed = Arrays.stream(millis).filter(m -> m > TIMEOUT_MILLIS).count();
        return String.format(
                Locale.ROOT,
                "| %.0f %% | %.1f %% | %.2f | %.2f | %.2f |",
                100 * loss,
                100.0 * failed / handshakes,
                seconds(millis, 50),
                seconds(millis, 90),
                seconds(millis, 99));
    }

    private static double seconds(long[] sorted, int percentile) {
        int index = (int) Math.ceil(percentile / 100.0 * sorted.length) - 1;
        return sorted[Math.max(0, index)] / 1000.0;
    }

    /** How long until both sides are connected; more than the timeout when they are not. */
    private static long millis(long seed, double loss) {
        End client = new End(seed, loss);
        End server = new End(~seed, loss);
        client.peer = server;
        server.peer = client;
        DtlsHandshake handshake =
                new DtlsHandshake(RANDOM, TIMEOUT_MILLIS, DtlsHandshake.DEFAULT_RESEND_MILLIS);
        long start = System.nanoTime();
        CompletableFuture<Boolean> other =
                CompletableFuture.supplyAsync(
                        () -> {
                            DtlsOutcome outcome =
                                    handshake.run(
                                            DtlsRole.SERVER,
                                            SERVER,
                                            List.of(CLIENT.fingerprint()),
                                            server);
                            return keepReading(outcome);
                        },
                        THREADS);
        DtlsOutcome outcome =
                handshake.run(DtlsRole.CLIENT, CLIENT, List.of(SERVER.fingerprint()), client);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        server.close();
        boolean connected = outcome instanceof DtlsOutcome.Connected && other.join();
        return connected ? millis : TIMEOUT_MILLIS + 1L;
    }

    /** Its last flight may be lost: whoever sent it has to hear that the client asks again. */
    private static boolean keepReading(DtlsOutcome outcome) {
        if (!(outcome instanceof DtlsOutcome.Connected connected)) {
            return false;
        }
        byte[] buffer = new byte[DatagramLink.MAX_RECEIVED];
        int length = 0;
        while (length != DatagramLink.CLOSED) {
            length = connected.session().receive(buffer, 0, buffer.length, 0);
        }
        return true;
    }
}
