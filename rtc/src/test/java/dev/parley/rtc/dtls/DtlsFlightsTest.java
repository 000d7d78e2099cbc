package dev.parley.rtc.dtls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.dtls.SimulatedLink.Faults;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Flights that are long under way, in pieces, or sent again, in both roles. */
class DtlsFlightsTest {
    private static final int TIMEOUT_MILLIS = 20_000;
    private static final int RECORD_HEADER = 13;
    private static final int MESSAGE_HEADER = 12;
    private static final int FRAGMENT = 60;
    private static final int OVERLAP = 25;

    private final HandshakePair pair = new HandshakePair(new Faults(0, 0.2, 0.2, 0), 1);

    @Test
    void connectsWhenARoundTripTakesLongerThanTheFirstWait() throws Exception {
        pair.resendMillis = DtlsHandshake.DEFAULT_RESEND_MILLIS;
        pair.clientLink.delaySent(300);
        pair.serverLink.delaySent(300);

        pair.run(TIMEOUT_MILLIS).assertKeysFit();
    }

    @Test
    void putsOverlappingFragmentsTogetherInWhateverOrder() throws Exception {
        var whole = new HandshakePair(Faults.NONE, 1);
        whole.resendMillis = TIMEOUT_MILLIS;
        whole.clientLink.filterSent(new Scatter(whole.serverLink));
        whole.serverLink.filterSent(new Scatter(whole.clientLink));

        whole.run(TIMEOUT_MILLIS).assertKeysFit();
        // Nothing had to be sent again.
        assertThat(whole.clientLink.sentCount()).isEqualTo(2);
        assertThat(whole.serverLink.sentCount()).isEqualTo(2);
    }

    @Test
    void answersAHelloThatIsRepeated() throws Exception {
        var quiet = new HandshakePair(Faults.NONE, 1);
        var lost = new AtomicBoolean();
        quiet.serverLink.filterSent(datagram -> lost.compareAndSet(false, true) ? null : datagram);
        // The server would not send its flight again by itself for as long as the test may take.
        var server = start(quiet, DtlsRole.SERVER, TIMEOUT_MILLIS - 1);
        var client = start(quiet, DtlsRole.CLIENT, 100);

        HandshakePair.connected(client.get(10, TimeUnit.SECONDS));
        HandshakePair.connected(server.get(10, TimeUnit.SECONDS));
    }

    private static CompletableFuture<DtlsOutcome> start(
            HandshakePair pair, DtlsRole role, int resendMillis) {
        var handshake = new DtlsHandshake(HandshakePair.RANDOM, TIMEOUT_MILLIS, resendMillis);
        return role == DtlsRole.CLIENT
                ? HandshakePair.start(
                        () ->
                                handshake.run(
                                        role,
                                        HandshakePair.CLIENT_IDENTITY,
                                        List.of(HandshakePair.SERVER_IDENTITY.fingerprint()),
                                        pair.clientLink))
                : HandshakePair.start(
                        () ->
                                handshake.run(
                                        role,
                                        HandshakePair.SERVER_IDENTITY,
                                        List.of(HandshakePair.CLIENT_IDENTITY.fingerprint()),
                                        pair.serverLink));
    }

    /** One way of a path that breaks messages up. */
    private static final class Scatter implements SimulatedLink.Filter {
        private final SimulatedLink to;
        private int nextSequence;

        Scatter(SimulatedLink to) {
            this.to = to;
        }

        /**
         * Sends each plaintext handshake message in fragments that overlap, the last one first,
         * each in a record and datagram of its own; answers what is left of the datagram.
         */
        @Override
        public byte @Nullable [] apply(byte[] datagram) {
            ByteBuffer in = ByteBuffer.wrap(datagram);
            ByteBuffer rest = ByteBuffer.allocate(datagram.length);
            List<byte[]> fragments = new ArrayList<>();
            while (in.hasRemaining()) {
                byte[] record = new byte[RECORD_HEADER + in.getShort(in.position() + 11)];
                in.get(record);
                boolean plaintext = record[3] == 0 && record[4] == 0;
                if (plaintext && record[0] == HandshakeMessages.CONTENT_TYPE) {
                    addFragments(record, fragments);
                } else {
                    rest.put(plaintext ? renumbered(record) : record);
                }
            }
            fragments.reversed().forEach(to::inject);
            return rest.position() == 0 ? null : Arrays.copyOf(rest.array(), rest.position());
        }

        // RFC 6347 4.2.3: "DTLS implementations MUST be able to handle overlapping fragment
        // ranges."
        private void addFragments(byte[] record, List<byte[]> fragments) {
            int length = record.length - RECORD_HEADER - MESSAGE_HEADER;
            for (int at = 0; at == 0 || at < length; at += FRAGMENT - OVERLAP) {
                int size = Math.min(FRAGMENT, length - at);
                ByteBuffer out = ByteBuffer.allocate(RECORD_HEADER + MESSAGE_HEADER + size);
                out.put(record, 0, RECORD_HEADER + MESSAGE_HEADER)
                        .put(record, RECORD_HEADER + MESSAGE_HEADER + at, size)
                        .putShort(11, (short) (MESSAGE_HEADER + size))
                        .putShort(RECORD_HEADER + 7, (short) at)
                        .putShort(RECORD_HEADER + 10, (short) size);
                fragments.add(renumbered(out.array()));
            }
        }

        /** Receivers drop records whose number they have seen. */
        private byte[] renumbered(byte[] record) {
            ByteBuffer.wrap(record).putInt(7, nextSequence++);
            return record;
        }
    }
}
