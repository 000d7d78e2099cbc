package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.SctpConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

/**
 * Callers who have brought an association about and then send what no stack sends, with the right
 * verification tag and CRC32c: nothing stops it before the chunks are read. When the association is
 * aborted for it, they call again.
 */
final class ForgedSctp {
    private static final int CALLS = 5;
    private static final int PER_SECOND = 400;
    private static final int PACKETS_OF_A_CALL = 600;
    private static final int ABORT = 6;
    private static final int PORT = 5_000;
    private static final int HEADER = 12;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long ASSOCIATION_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int DATA = 0;
    private static final int INIT = 1;
    private static final int SACK = 3;
    private static final int HEARTBEAT = 4;
    private static final int ERROR = 9;
    private static final int COOKIE_ECHO = 10;
    private static final int I_DATA = 64;
    private static final int RE_CONFIG = 130;
    private static final int FORWARD_TSN = 192;

    private final Random random;
    private final ByteBuffer packet = ByteBuffer.allocate(SctpConfig.DEFAULT_PACKET_BYTES);
    private int tag;
    private int nextTsn;
    private volatile boolean aborted;

    private ForgedSctp(long seed) {
        this.random = new Random(seed);
    }

    /** All of them. */
    static Attack attack() {
        return (target, going) -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                ForgedSctp caller = new ForgedSctp(i);
                threads.add(Thread.ofPlatform().start(() -> caller.run(target, going)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private void run(Target target, BooleanSupplier going) {
        while (going.getAsBoolean()) {
            try (BenchCall call = new BenchCall()) {
                call.connect(target.base(), "echo", true, System.nanoTime() + PATIENCE_NANOS);
                associate(call);
                torment(call, target, going);
            } catch (IOException _) {
                // Refused or ended, which is as well.
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** An association like any other's; its tag and numbers are overheard on the way. */
    private void associate(BenchCall call) throws IOException {
        Association association =
                new Association(SctpConfig.DEFAULT, PORT, PORT, new SecureRandom());
        BlockingQueue<byte[]> records = new LinkedBlockingQueue<>();
        aborted = false;
        Thread.ofVirtual().start(() -> receive(call, records));
        long end = System.nanoTime() + ASSOCIATION_NANOS;
        association.connect(System.nanoTime());
        byte[] bytes = new byte[SctpConfig.DEFAULT_PACKET_BYTES];
        while (association.state() != Association.State.ESTABLISHED) {
            if (end - System.nanoTime() < 0) {
                throw new IOException("no association");
            }
            call.turn();
            for (byte[] record = records.poll(); record != null; record = records.poll()) {
                association.handle(record, 0, record.length, System.nanoTime());
            }
            association.onTimer(System.nanoTime());
            int length = association.poll(bytes, 0, System.nanoTime());
            while (length > 0) {
                overhear(bytes);
                var _ = call.sendData(Arrays.copyOf(bytes, length));
                length = association.poll(bytes, 0, System.nanoTime());
            }
        }
    }

    private void receive(BenchCall call, BlockingQueue<byte[]> records) {
        byte[] record = new byte[DatagramLink.MAX_RECEIVED];
        int length = 0;
        while (length != DatagramLink.CLOSED) {
            length = call.receiveData(record, 1_000);
            if (length > HEADER) {
                aborted |= record[HEADER] == ABORT;
                var _ = records.add(Arrays.copyOf(record, length));
            }
        }
    }

    // RFC 9260 3: the tag of every packet but an INIT's is the peer's; an INIT has our first TSN.
    private void overhear(byte[] sent) {
        ByteBuffer bytes = ByteBuffer.wrap(sent);
        if (bytes.get(HEADER) == INIT) {
            nextTsn = bytes.getInt(HEADER + 16);
        } else {
            tag = bytes.getInt(4);
        }
    }

    private void torment(BenchCall call, Target target, BooleanSupplier going)
            throws IOException, InterruptedException {
        int[] left = {PACKETS_OF_A_CALL};
        Pace.hold(
                PER_SECOND,
                () -> going.getAsBoolean() && left[0] > 0 && !aborted,
                () -> {
                    left[0]--;
                    if (call.sendData(forge())) {
                        target.done().increment();
                    } else {
                        left[0] = 0;
                    }
                },
                call::turn);
    }

    private byte[] forge() {
        packet.clear().putShort((short) PORT).putShort((short) PORT).putInt(tag).putInt(0);
        switch (random.nextInt(10)) {
            case 0 -> init();
            case 1 -> sack();
            // RFC 3758 3.2: as far ahead as numbers go.
            case 2 -> chunk(FORWARD_TSN, 0, 4, b -> b.putInt(nextTsn + Integer.MAX_VALUE - 1));
            case 3 -> forwardStreams();
            case 4 -> reset();
            case 5 -> data(random.nextInt(1 << 16), nextTsn + 2 + random.nextInt(1 << 16));
            case 6 -> many();
            case 7 -> chunk(COOKIE_ECHO, 0, 200, b -> noise(b, 200));
            case 8 -> chunk(HEARTBEAT, 0, 1_000, b -> noise(b, 1_000));
            default -> strange();
        }
        return seal();
    }

    private interface Body {
        void write(ByteBuffer into);
    }

    private void chunk(int type, int flags, int length, Body body) {
        int start = packet.position();
        packet.put((byte) type).put((byte) flags).putShort((short) (4 + length));
        body.write(packet);
        packet.position(start + 4 + (length + 3) / 4 * 4);
    }

    private void noise(ByteBuffer into, int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        into.put(noise);
    }

    // RFC 9260 3.1: an INIT goes alone and has no tag.
    private void init() {
        packet.putInt(4, 0);
        chunk(
                INIT,
                0,
                16,
                b ->
                        b.putInt(random.nextInt())
                                .putInt(random.nextInt())
                                .putInt(0xFFFF_FFFF)
                                .putInt(random.nextInt()));
    }

    private void sack() {
        int gaps = 250;
        chunk(
                SACK,
                0,
                12 + 4 * gaps,
                b -> {
                    b.putInt(random.nextInt()).putInt(random.nextInt());
                    b.putShort((short) gaps).putShort((short) 0);
                    noise(b, 4 * gaps);
                });
    }

    private void forwardStreams() {
        int streams = 280;
        chunk(
                FORWARD_TSN,
                0,
                4 + 4 * streams,
                b -> {
                    b.putInt(nextTsn + random.nextInt(100));
                    noise(b, 4 * streams);
                });
    }

    // RFC 6525 4.1, 4.5: resets of streams that are not there, and 64 Ki more of them.
    private void reset() {
        if (random.nextBoolean()) {
            int length = 16 + 2 * 500;
            chunk(
                    RE_CONFIG,
                    0,
                    length,
                    b -> {
                        b.putShort((short) 13).putShort((short) length);
                        noise(b, length - 4);
                    });
        } else {
            chunk(
                    RE_CONFIG,
                    0,
                    12,
                    b ->
                            b.putShort((short) 17)
                                    .putShort((short) 12)
                                    .putInt(random.nextInt())
                                    .putShort((short) 0xFFFF)
                                    .putShort((short) 0));
        }
    }

    // A first fragment that never ends, on one of 64 Ki streams.
    private void data(int stream, int tsn) {
        chunk(
                random.nextInt(8) == 0 ? I_DATA : DATA,
                2,
                112,
                b -> {
                    b.putInt(tsn).putShort((short) stream).putShort((short) 0).putInt(51);
                    noise(b, 100);
                });
    }

    private void many() {
        while (packet.remaining() > 40) {
            chunk(
                    DATA,
                    2,
                    13,
                    b ->
                            b.putInt(nextTsn + random.nextInt(1 << 12))
                                    .putShort((short) random.nextInt(1 << 16))
                                    .putShort((short) 0)
                                    .putInt(51)
                                    .put((byte) 1));
        }
    }

    // Types that nobody knows and lengths that do not add up.
    private void strange() {
        if (random.nextBoolean()) {
            chunk(ERROR, 0, 300, b -> noise(b, 300));
        }
        for (int i = 0; i < 10; i++) {
            chunk(random.nextInt(256), random.nextInt(256), 20, b -> noise(b, 20));
        }
        if (random.nextBoolean()) {
            packet.put((byte) DATA).put((byte) 3).putShort((short) random.nextInt(1 << 16));
        }
    }

    // RFC 9260 6.8 and appendix A: with its own field 0, least significant byte first.
    private byte[] seal() {
        byte[] bytes = Arrays.copyOf(packet.array(), packet.position());
        CRC32C sum = new CRC32C();
        sum.update(bytes);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(8, (int) sum.getValue());
        return bytes;
    }
}
