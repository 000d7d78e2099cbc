package dev.parley.rtc.route;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ClientHeaderTest {
    private final ClientHeader header = new ClientHeader();

    @Test
    void writesSimpleProxyProtocol() {
        ByteBuffer buffer = ByteBuffer.allocate(ClientHeader.LENGTH);
        ClientHeader.write(
                buffer, 0, 0, 0xFFFF_C633_6401L, 50_000, 0x20010db8L << 32, 0x3478, 3478);

        assertThat(HexFormat.of().formatHex(buffer.array()))
                .isEqualTo(
                        "56ec"
                                + "00000000000000000000ffffc6336401"
                                + "20010db8000000000000000000003478"
                                + "c350"
                                + "0d96");
        assertThat(buffer.position()).isZero();
    }

    @Test
    void readsWhatItWroteWhereverItStands() {
        SplittableRandom random = new SplittableRandom(538);
        ByteBuffer buffer = ByteBuffer.allocateDirect(300);
        for (int i = 0; i < 1_000; i++) {
            int offset = random.nextInt(100);
            int payload = random.nextInt(150);
            long clientHigh = random.nextLong();
            long clientLow = random.nextLong();
            long proxyHigh = random.nextLong();
            long proxyLow = random.nextLong();
            int clientPort = random.nextInt(65536);
            int proxyPort = random.nextInt(65536);
            ClientHeader.write(
                    buffer,
                    offset,
                    clientHigh,
                    clientLow,
                    clientPort,
                    proxyHigh,
                    proxyLow,
                    proxyPort);

            assertThat(header.wrap(buffer, offset, ClientHeader.LENGTH + payload)).isTrue();
            assertThat(header.clientHigh()).isEqualTo(clientHigh);
            assertThat(header.clientLow()).isEqualTo(clientLow);
            assertThat(header.clientPort()).isEqualTo(clientPort);
            assertThat(header.proxyHigh()).isEqualTo(proxyHigh);
            assertThat(header.proxyLow()).isEqualTo(proxyLow);
            assertThat(header.proxyPort()).isEqualTo(proxyPort);
            assertThat(header.payloadOffset()).isEqualTo(offset + 38);
            assertThat(header.payloadLength()).isEqualTo(payload);
        }
    }

    @Test
    void refusesAnotherMagicAndAnythingShorter() {
        ByteBuffer buffer = ByteBuffer.allocate(60);
        ClientHeader.write(buffer, 0, 1, 2, 3, 4, 5, 6);

        for (int length = 0; length < ClientHeader.LENGTH; length++) {
            assertThat(header.wrap(buffer, 0, length)).as("%d bytes", length).isFalse();
        }
        assertThat(header.wrap(buffer, 0, ClientHeader.LENGTH)).isTrue();
        buffer.put(1, (byte) 0xED);
        assertThat(header.wrap(buffer, 0, ClientHeader.LENGTH)).isFalse();
        assertThat(header.wrap(ByteBuffer.allocate(0), 0, 0)).isFalse();
    }
}
