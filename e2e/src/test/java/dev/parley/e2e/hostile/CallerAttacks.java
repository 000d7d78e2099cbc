package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Attacks of those who may call: what they send comes from where their own calls are. */
final class CallerAttacks {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int CALLS = 5;
    private static final int STUCK_PER_SECOND = 20;
    private static final int GARBAGE_PER_TURN = 20;
    private static final int RECORD_HEADER = 13;

    private CallerAttacks() {}

    /** Calls that come to DTLS, say something that is no handshake, and no more. */
    static Attack stuckHandshakes() {
        return (target, going) -> {
            Random random = new Random(1);
            List<BenchCall> stuck = new ArrayList<>();
            long start = System.nanoTime();
            try {
                while (going.getAsBoolean()) {
                    long due =
                            start + stuck.size() * TimeUnit.SECONDS.toNanos(1) / STUCK_PER_SECOND;
                    LockSupport.parkNanos(due - System.nanoTime());
                    BenchCall call = new BenchCall();
                    stuck.add(call);
                    target.done().increment();
                    try {
                        call.untilChecked(
                                call.call(target.base(), "echo", false),
                                System.nanoTime() + PATIENCE_NANOS);
                        for (int i = 0; i < GARBAGE_PER_TURN; i++) {
                            byte[] record = record(random);
                            call.send(record, 0, record.length);
                        }
                    } catch (IOException _) {
                        // Refused, which is as well.
                    }
                }
            } finally {
                stuck.forEach(BenchCall::close);
            }
        };
    }

    // Of a handshake, by its first bytes.
    private static byte[] record(Random random) {
        byte[] record = new byte[RECORD_HEADER + random.nextInt(1_000)];
        random.nextBytes(record);
        record[0] = 22;
        record[1] = (byte) 0xFE;
        record[2] = (byte) 0xFD;
        record[3] = 0;
        record[4] = 0;
        int length = record.length - RECORD_HEADER;
        record[RECORD_HEADER - 2] = (byte) (length >> 8);
        record[RECORD_HEADER - 1] = (byte) length;
        return record;
    }

    /** Connected calls whose SRTP and SRTCP are made up. */
    static Attack madeUpMedia() {
        return connected(
                false,
                (call, random, done) -> {
                    done.increment();
                    byte[] packet = new byte[30 + random.nextInt(200)];
                    random.nextBytes(packet);
                    packet[0] = (byte) 0x80;
                    packet[1] = (byte) (random.nextBoolean() ? 111 : 200 + random.nextInt(8));
                    call.send(packet, 0, packet.length);
                });
    }

    /** Connected calls whose SCTP, which DTLS lets through, is made up. */
    static Attack madeUpSctp() {
        return connected(
                true,
                (call, random, done) -> {
                    done.increment();
                    byte[] packet = new byte[1 + random.nextInt(1_000)];
                    random.nextBytes(packet);
                    if (packet.length > 4 && random.nextBoolean()) {
                        // RFC 9260 3.1: from and to the port that was negotiated.
                        packet[0] = packet[2] = (byte) (5_000 >> 8);
                        packet[1] = packet[3] = (byte) (5_000 & 0xFF);
                    }
                    var _ = call.sendData(packet);
                });
    }

    /** Sends one thing that is made up. */
    private interface Garbage {
        void send(BenchCall call, Random random, LongAdder done);
    }

    private static Attack connected(boolean data, Garbage garbage) {
        return (target, going) -> {
            List<BenchCall> calls = new ArrayList<>();
            try {
                for (int i = 0; i < CALLS; i++) {
                    BenchCall call = new BenchCall();
                    calls.add(call);
                    call.connect(target.base(), "echo", data, System.nanoTime() + PATIENCE_NANOS);
                }
                send(calls, garbage, target.done(), going);
            } finally {
                calls.forEach(BenchCall::close);
            }
        };
    }

    private static void send(
            List<BenchCall> calls, Garbage garbage, LongAdder done, BooleanSupplier going)
            throws IOException {
        Random random = new Random(1);
        while (going.getAsBoolean()) {
            for (BenchCall call : calls) {
                for (int i = 0; i < GARBAGE_PER_TURN; i++) {
                    garbage.send(call, random, done);
                }
                call.turn();
            }
        }
    }

    /** Offers that nobody stands behind, as many as one client can send. */
    static Attack offers() {
        return (target, going) -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                threads.add(Thread.ofVirtual().start(() -> offer(target, going)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private static void offer(Target target, BooleanSupplier going) {
        while (going.getAsBoolean()) {
            try (BenchCall call = new BenchCall()) {
                target.done().increment();
                var _ = call.call(target.base(), "echo", true);
            } catch (IOException _) {
                // Refused, which is as well.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
