package dev.parley.e2e.hostile;

import dev.parley.bench.signaling.BenchCall;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.Random;

/**
 * Attacks from the very address that a live caller speaks from, as somebody on its path can send:
 * beside its speech, on its socket. The relay has a flow for it, so all of it comes to the call.
 */
final class OwnAddress {
    private static final int PER_SECOND = 5_000;
    private static final int RECORD_HEADER = 13;
    private static final int ALERT = 21;
    private static final int HANDSHAKE = 22;
    private static final int APPLICATION_DATA = 23;

    private final Floods floods = new Floods();
    private final Random random = floods.random;
    private final StunWriter stun = new StunWriter();
    private final StunReader reader = new StunReader();

    private OwnAddress() {}

    private interface Kind {
        void write(OwnAddress garbage, Target target, ByteBuffer into);
    }

    /** Made up SRTP and SRTCP, and what is of no kind at all. */
    static Attack media() {
        return attack(
                (garbage, _, into) -> {
                    if (garbage.random.nextInt(8) == 0) {
                        into.put((byte) (80 + garbage.random.nextInt(40)));
                        garbage.floods.noise(into, garbage.random.nextInt(200));
                    } else {
                        garbage.floods.media(into);
                    }
                });
    }

    /** Checks with guessed passwords, answers to none, errors and indications. */
    static Attack stun() {
        return attack(OwnAddress::stun);
    }

    /** Alerts, hellos and records that no key has made, of both epochs. */
    static Attack dtls() {
        return attack((garbage, _, into) -> garbage.record(into));
    }

    private static Attack attack(Kind kind) {
        return (target, going) -> {
            OwnAddress garbage = new OwnAddress();
            BenchCall victim = target.stolen();
            ByteBuffer datagram = ByteBuffer.allocate(2_048);
            Pace.hold(
                    PER_SECOND,
                    going,
                    () -> {
                        kind.write(garbage, target, datagram.clear());
                        victim.send(datagram.array(), 0, datagram.position());
                        target.done().increment();
                    },
                    () -> {});
        };
    }

    private static void stun(OwnAddress garbage, Target target, ByteBuffer into) {
        garbage.floods.check(into, target);
        if (garbage.random.nextBoolean()) {
            return;
        }
        // An answer to what nobody has asked, of a stranger who knows no password.
        int length = into.position();
        ByteBuffer request = ByteBuffer.allocate(length).put(0, into, 0, length);
        if (!garbage.reader.wrap(request, 0, length)) {
            throw new IllegalStateException("our own check does not parse");
        }
        StunWriter answer =
                garbage.stun
                        .bindingSuccess(into, 0, garbage.reader)
                        .xorMappedAddress(0, 0xFFFF_7F00_0001L, 5)
                        .integrity(
                                StunIntegrity.shortTerm(target.guessed(garbage.random).password()))
                        .fingerprint();
        into.position(answer.length());
    }

    private void record(ByteBuffer into) {
        switch (random.nextInt(5)) {
            // RFC 5246 7.2.2: fatal ones and close_notify, in the clear.
            case 0 -> write(into, ALERT, 0, new byte[] {2, (byte) (10 * random.nextInt(12))});
            case 1 -> write(into, ALERT, 0, new byte[] {1, 0});
            case 2 -> floods.hello(into);
            case 3 -> write(into, HANDSHAKE, random.nextInt(3), noise(random.nextInt(600)));
            default -> {
                int type = random.nextBoolean() ? ALERT : APPLICATION_DATA;
                write(into, type, 1, noise(24 + random.nextInt(600)));
            }
        }
    }

    private byte[] noise(int length) {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }

    // RFC 6347 4.1.
    private void write(ByteBuffer into, int type, int epoch, byte[] body) {
        int start = into.position();
        into.put((byte) type)
                .putShort((short) 0xFEFD)
                .putShort((short) epoch)
                .putShort((short) 0)
                .putInt(random.nextInt(1 << 20))
                .putShort((short) body.length)
                .put(body);
        if (into.position() - start != RECORD_HEADER + body.length) {
            throw new IllegalStateException("a record's header has another length");
        }
    }
}
