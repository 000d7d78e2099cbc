package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsRole;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * Callers who make the transceiver the DTLS server, prove their address by a check, and then say
 * hello without end: whole, in fragments, and each time another one. An answer to a hello takes a
 * signature and a key pair.
 */
final class ValidHellos {
    private static final int CALLERS = 5;
    private static final int HELLOS = 10;
    private static final int RECORD_HEADER = 13;
    private static final int MESSAGE_HEADER = 12;
    private static final int FRAGMENT = 40;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final SecureRandom RANDOM = new SecureRandom();
    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(RANDOM);
    private static final DtlsHandshake HANDSHAKE = new DtlsHandshake(RANDOM, 1_000, 500);

    private ValidHellos() {}

    /** All of them. */
    static Attack attack() {
        return (target, going) -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                threads.add(Thread.ofPlatform().start(() -> run(target, going)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private static void run(Target target, BooleanSupplier going) {
        while (going.getAsBoolean()) {
            try (BenchCall call = new BenchCall()) {
                target.done().increment();
                greet(call, target);
            } catch (IOException _) {
                // Refused, which is as well.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void greet(BenchCall call, Target target)
            throws IOException, InterruptedException {
        String offer = call.offer(false).replace("a=setup:actpass", "a=setup:active");
        call.untilChecked(
                call.call(target.base(), "echo", offer), System.nanoTime() + PATIENCE_NANOS);
        for (int i = 0; i < HELLOS; i++) {
            byte[] hello = hello();
            if (i % 2 == 0) {
                call.send(hello, 0, hello.length);
            } else {
                fragments(hello).forEach(each -> call.send(each, 0, each.length));
            }
        }
        call.turn();
    }

    /** What a client says first. */
    private static byte[] hello() {
        AtomicReference<byte[]> first = new AtomicReference<>(new byte[0]);
        var _ =
                HANDSHAKE.run(
                        DtlsRole.CLIENT,
                        IDENTITY,
                        List.of(IDENTITY.fingerprint()),
                        new DatagramLink() {
                            @Override
                            public int receive(byte[] buffer, int offset, int length, int wait) {
                                return CLOSED;
                            }

                            @Override
                            public void send(byte[] bytes, int offset, int length) {
                                if (first.get().length == 0) {
                                    first.set(Arrays.copyOfRange(bytes, offset, offset + length));
                                }
                            }
                        });
        return first.get();
    }

    /** RFC 6347 4.2.3: the same message in pieces, each a record of its own. */
    private static List<byte[]> fragments(byte[] hello) {
        List<byte[]> fragments = new ArrayList<>();
        int from = RECORD_HEADER + MESSAGE_HEADER;
        int whole = hello.length - from;
        for (int at = 0; at < whole; at += FRAGMENT) {
            int length = Math.min(FRAGMENT, whole - at);
            ByteBuffer record = ByteBuffer.allocate(from + length);
            // Sequence numbers of records count on.
            record.put(hello, 0, RECORD_HEADER - 4)
                    .putShort((short) (at / FRAGMENT + 1))
                    .putShort((short) (MESSAGE_HEADER + length))
                    .put(hello, RECORD_HEADER, MESSAGE_HEADER - 6);
            record.put((byte) 0).putShort((short) at).put((byte) 0).putShort((short) length);
            record.put(hello, from + at, length);
            fragments.add(record.array());
        }
        return fragments;
    }
}
