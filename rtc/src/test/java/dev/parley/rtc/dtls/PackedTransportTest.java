package dev.parley.rtc.dtls;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When flights go out again, by waits that time out as soon as they begin. */
class PackedTransportTest {
    private static final int REPEAT_MILLIS = 1_000;

    private final List<byte[]> sent = new ArrayList<>();
    private final List<Integer> waits = new ArrayList<>();
    private final byte[] buffer = new byte[DatagramLink.MAX_RECEIVED];
    private int quietWaits = Integer.MAX_VALUE;

    private final PackedTransport transport =
            new PackedTransport(
                    new DatagramLink() {
                        @Override
                        public int receive(byte[] to, int offset, int length, int waitMillis) {
                            waits.add(waitMillis);
                            return quietWaits-- > 0 ? TIMED_OUT : 1;
                        }

                        @Override
                        public void send(byte[] bytes, int offset, int length) {
                            sent.add(Arrays.copyOfRange(bytes, offset, offset + length));
                        }
                    },
                    REPEAT_MILLIS,
                    () -> {});

    private int receive(int waitMillis) throws IOException {
        return transport.receive(buffer, 0, buffer.length, waitMillis);
    }

    private void send(int... records) {
        for (int record : records) {
            byte[] bytes = new byte[700];
            bytes[0] = (byte) record;
            transport.send(bytes, 0, bytes.length);
        }
    }

    private List<Integer> sentRecords() {
        return sent.stream().map(datagram -> (int) datagram[0]).toList();
    }

    @Test
    void sendsAFlightAgainEachSecondOfALongWait() throws IOException {
        send(1, 2);

        assertThat(receive(4_000)).isEqualTo(DatagramLink.TIMED_OUT);

        assertThat(waits).containsExactly(1_000, 1_000, 1_000, 1_000);
        assertThat(sentRecords()).containsExactly(1, 2, 1, 2, 1, 2, 1, 2);
    }

    @Test
    void sendsNothingAgainWithinAShortWait() throws IOException {
        send(1);

        assertThat(receive(1_000)).isEqualTo(DatagramLink.TIMED_OUT);

        assertThat(sentRecords()).containsExactly(1);
    }

    @Test
    void sendsOnlyTheLastFlightAgain() throws IOException {
        send(1);
        receive(250);
        send(2);
        receive(250);
        receive(2_000);

        assertThat(sentRecords()).containsExactly(1, 2, 2);
    }

    @Test
    void stopsWhenThePeerIsHeard() throws IOException {
        quietWaits = 1;
        send(1);

        assertThat(receive(8_000)).isEqualTo(1);

        assertThat(waits).hasSize(2);
        assertThat(sentRecords()).containsExactly(1, 1);
    }

    @Test
    void sendsNothingAgainOnceItIsConnected() throws IOException {
        send(1);
        transport.stopPacking();

        assertThat(receive(8_000)).isEqualTo(DatagramLink.TIMED_OUT);

        assertThat(waits).containsExactly(8_000);
        assertThat(sentRecords()).containsExactly(1);
    }
}
