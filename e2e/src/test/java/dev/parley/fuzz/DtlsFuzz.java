package dev.parley.fuzz;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.Fingerprint;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;

/**
 * A DTLS handshake in which the other side says whatever it likes. The first byte of the input
 * chooses our role; what follows are datagrams, each behind two bytes that say how long it is.
 */
public final class DtlsFuzz {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(RANDOM);
    private static final DtlsHandshake HANDSHAKE = new DtlsHandshake(RANDOM, 60_000, 50);
    private static final List<Fingerprint> EXPECTED =
            List.of(new Fingerprint("sha-256", "AB" + ":CD".repeat(31)));

    private DtlsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length == 0) {
            return;
        }
        DtlsRole role = (input[0] & 1) == 0 ? DtlsRole.SERVER : DtlsRole.CLIENT;
        DtlsOutcome outcome = HANDSHAKE.run(role, IDENTITY, EXPECTED, new Script(input));
        Input.demand(outcome instanceof DtlsOutcome.Failed, "a stranger's handshake succeeded");
    }

    /** Hands out one datagram after the other, then closes. */
    private static final class Script implements DatagramLink {
        private final byte[] input;
        private int at = 1;

        Script(byte[] input) {
            this.input = input;
        }

        @Override
        public int receive(byte[] buffer, int offset, int length, int waitMillis) {
            if (input.length - at < 2) {
                return CLOSED;
            }
            int announced = ((input[at] & 0xFF) << 8) | (input[at + 1] & 0xFF);
            int size = Math.min(Math.min(announced, length), input.length - at - 2);
            byte[] datagram = Arrays.copyOfRange(input, at + 2, at + 2 + size);
            System.arraycopy(datagram, 0, buffer, offset, size);
            at += 2 + size;
            return size;
        }

        @Override
        public void send(byte[] bytes, int offset, int length) {
            Input.demand(length <= MTU, "a datagram longer than the MTU");
        }
    }
}
