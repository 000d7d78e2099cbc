package dev.parley.rtc.dtls;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DtlsSessionTest {
    private static final int TIMEOUT_MILLIS = 20_000;

    private final HandshakePair pair = new HandshakePair(SimulatedLink.Faults.NONE, 1);
    private final byte[] buffer = new byte[DatagramLink.MAX_RECEIVED];

    // Nothing is lost here, so nothing is to be sent again, however slow the machine.
    @BeforeEach
    void sendOnce() {
        pair.resendMillis = 2_000;
    }

    @Test
    void carriesApplicationData() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();
        byte[] data = "hello".getBytes(US_ASCII);

        assertThat(pair.server().session().send(data, 0, data.length)).isTrue();

        int length = client.receive(buffer, 0, buffer.length, TIMEOUT_MILLIS);
        assertThat(new String(buffer, 0, length, US_ASCII)).isEqualTo("hello");
        assertThat(client.sendLimit()).isBetween(1_100, DatagramLink.MTU);
    }

    @Test
    void noticesThatTheServerCloses() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();

        pair.server().session().close();

        assertThat(client.receive(buffer, 0, buffer.length, TIMEOUT_MILLIS))
                .isEqualTo(DatagramLink.CLOSED);
        assertThat(client.isClosed()).isTrue();
        assertThat(client.findFailure()).isNull();
        assertThat(client.send(buffer, 0, 1)).isFalse();
    }

    @Test
    void tellsAFatalAlertFromAClose() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();

        pair.clientLink.failReceive();

        assertThat(client.receive(buffer, 0, buffer.length, TIMEOUT_MILLIS))
                .isEqualTo(DatagramLink.CLOSED);
        assertThat(pair.serverReader.get(20, TimeUnit.SECONDS)).isEqualTo(DatagramLink.CLOSED);
        assertThat(client.findFailure())
                .extracting(DtlsOutcome.Failed::reason)
                .isEqualTo(DtlsFailure.PROTOCOL);
        assertThat(pair.server().session().findFailure())
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.REFUSED_BY_PEER,
                                "The peer sent the alert internal_error(80)"));
    }

    @Test
    void noticesThatTheClientCloses() throws Exception {
        pair.run(TIMEOUT_MILLIS);

        pair.client().session().close();

        assertThat(pair.serverReader.get(20, TimeUnit.SECONDS)).isEqualTo(DatagramLink.CLOSED);
        assertThat(pair.server().session().isClosed()).isTrue();
        assertThat(pair.server().session().findFailure()).isNull();
    }

    @Test
    void timesOutWhenNothingComes() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();

        assertThat(client.receive(buffer, 0, buffer.length, 5)).isEqualTo(DatagramLink.TIMED_OUT);
        assertThat(client.isClosed()).isFalse();
    }

    @Test
    void endsWhenTheLinkCloses() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();

        pair.clientLink.closeLink();

        assertThat(client.receive(buffer, 0, buffer.length, 0)).isEqualTo(DatagramLink.CLOSED);
    }

    @Test
    void ignoresForgedRecords() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();
        // A plaintext close_notify, a plaintext fatal alert, an undecipherable one, and garbage
        pair.clientLink.inject(hex("15fefd 0000 000000000009 0002 0100"));
        pair.clientLink.inject(hex("15fefd 0000 00000000000a 0002 0228"));
        pair.clientLink.inject(hex("15fefd 0001 000000000009 0002 0100"));
        pair.clientLink.inject(hex("16"));

        assertThat(exchange(pair.server().session(), client)).isEqualTo("still here");
    }

    @Test
    void outlivesAFloodOfGarbage() throws Exception {
        DtlsSession client = pair.run(TIMEOUT_MILLIS).client().session();
        Random random = new Random(1);
        for (int i = 0; i < 5_000; i++) {
            byte[] record = new byte[1 + random.nextInt(60)];
            random.nextBytes(record);
            byte[] likely =
                    hex(
                            "1%dfefd 000%d 0000000000%02x 00%02x"
                                    .formatted(
                                            4 + random.nextInt(4),
                                            random.nextInt(3),
                                            random.nextInt(256),
                                            Math.max(record.length - 13, 0)));
            System.arraycopy(likely, 0, record, 0, Math.min(record.length, random.nextInt(14)));
            pair.clientLink.inject(record);
            pair.serverLink.inject(record);
        }

        assertThat(exchange(pair.server().session(), client)).isEqualTo("still here");
        assertThat(pair.server().session().isClosed()).isFalse();
    }

    // RFC 6347 4.2.4: the side that sent the last flight answers a repeated one with it.
    @Test
    void sendsALostLastFlightAgain() throws Exception {
        AtomicInteger flights = new AtomicInteger();
        pair.serverLink.filterSent(datagram -> flights.incrementAndGet() == 2 ? null : datagram);

        pair.run(TIMEOUT_MILLIS);

        pair.assertKeysFit();
        assertThat(flights.get()).isGreaterThan(2);
    }

    @Test
    void answersARepeatedHello() throws Exception {
        pair.resendMillis = 50;
        AtomicInteger flights = new AtomicInteger();
        pair.serverLink.filterSent(datagram -> flights.incrementAndGet() == 1 ? null : datagram);

        pair.run(TIMEOUT_MILLIS);

        pair.assertKeysFit();
    }

    @Test
    void takesAHelloThatCameInPieces() throws Exception {
        pair.clientLink.filterSent(
                datagram -> {
                    if (datagram[13] != 1) {
                        return datagram;
                    }
                    pair.serverLink.inject(fragment(datagram, 60, datagram.length - 25, 1));
                    return fragment(datagram, 0, 60, 2);
                });

        pair.run(TIMEOUT_MILLIS);

        pair.assertKeysFit();
    }

    private String exchange(DtlsSession from, DtlsSession to) {
        byte[] data = "still here".getBytes(US_ASCII);
        assertThat(from.send(data, 0, data.length)).isTrue();
        int length;
        do {
            length = to.receive(buffer, 0, buffer.length, TIMEOUT_MILLIS);
        } while (length == DatagramLink.TIMED_OUT);
        assertThat(length).isNotEqualTo(DatagramLink.CLOSED);
        return new String(buffer, 0, length, US_ASCII);
    }

    /** One record with the bytes {@code from} to {@code to} of the hello in another record. */
    private static byte[] fragment(byte[] hello, int from, int to, int recordSequence) {
        byte[] fragment = new byte[25 + to - from];
        System.arraycopy(hello, 0, fragment, 0, 25);
        System.arraycopy(hello, 25 + from, fragment, 25, to - from);
        fragment[10] = (byte) (hello[10] * 2 + recordSequence);
        fragment[11] = 0;
        fragment[12] = (byte) (12 + to - from);
        fragment[21] = (byte) from;
        fragment[23] = 0;
        fragment[24] = (byte) (to - from);
        return fragment;
    }

    private static byte[] hex(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }
}
