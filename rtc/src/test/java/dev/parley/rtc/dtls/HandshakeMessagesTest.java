package dev.parley.rtc.dtls;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.HexFormat;
import java.util.Random;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.crypto.TlsCipher;
import org.bouncycastle.tls.crypto.TlsDecodeResult;
import org.junit.jupiter.api.Test;

class HandshakeMessagesTest {
    private static final int APPLICATION_DATA = 23;
    private static final String SHORT_MESSAGE = "0b 000004 0001 000000 000004 01020304";
    private static final String LONG_MESSAGE = "0b 004001 0002 000000 000001 01";

    @Test
    void findsTheLongMessageWhereverItIs() {
        assertThat(anyTooLong(record(0, SHORT_MESSAGE))).isFalse();
        assertThat(anyTooLong(record(0, LONG_MESSAGE))).isTrue();
        assertThat(anyTooLong(record(0, SHORT_MESSAGE + LONG_MESSAGE))).isTrue();
        assertThat(anyTooLong(record(0, SHORT_MESSAGE) + record(0, LONG_MESSAGE))).isTrue();
        assertThat(anyTooLong(record(1, LONG_MESSAGE) + record(0, LONG_MESSAGE))).isTrue();
    }

    @Test
    void cannotSeeIntoEncryptedRecords() {
        assertThat(anyTooLong(record(1, LONG_MESSAGE))).isFalse();
    }

    @Test
    void allowsExactlyTheLimit() {
        assertThat(anyTooLong(record(0, "0b 004000 0002 000000 000001 01"))).isFalse();
    }

    @Test
    void neverThrowsOnGarbage() {
        Random random = new Random(1);
        for (int round = 0; round < 100_000; round++) {
            byte[] bytes = new byte[random.nextInt(80)];
            random.nextBytes(bytes);
            for (int at = 0; at < Math.min(bytes.length, 20); at++) {
                if (random.nextBoolean()) {
                    bytes[at] = (byte) (at == 0 ? HandshakeMessages.CONTENT_TYPE : 0);
                }
            }
            HandshakeMessages.anyTooLongInDatagram(bytes, 0, bytes.length);
        }
    }

    @Test
    void findsItInEncryptedRecordsOnceTheyAreDecrypted() throws Exception {
        byte[] content = HexFormat.of().parseHex(LONG_MESSAGE.replace(" ", ""));

        assertThat(decode(content, HandshakeMessages.CONTENT_TYPE)).isEqualTo("bad_record_mac(20)");
        assertThat(decode(content, APPLICATION_DATA)).isEqualTo("decoded");
    }

    private static String decode(byte[] content, int contentType) throws Exception {
        TlsCipher decrypting =
                (TlsCipher)
                        Proxy.newProxyInstance(
                                TlsCipher.class.getClassLoader(),
                                new Class<?>[] {TlsCipher.class},
                                (_, _, _) ->
                                        new TlsDecodeResult(
                                                content, 0, content.length, (short) contentType));
        try {
            new GuardedCrypto.GuardedCipher(decrypting)
                    .decodeCiphertext(
                            0, (short) contentType, ProtocolVersion.DTLSv12, content, 0, 0);
            return "decoded";
        } catch (TlsFatalAlert e) {
            return String.valueOf(e.getMessage());
        }
    }

    // A server that reserved what is announced here would hold 64 MB.
    @Test
    void serverReservesNothingForAnnouncedGiants() throws Exception {
        var pair = new HandshakePair(SimulatedLink.Faults.NONE, 1);
        for (int sequence = 0; sequence < 4; sequence++) {
            pair.serverLink.inject(
                    HexFormat.of()
                            .parseHex(
                                    record(0, "01 ffffff 000" + sequence + " 000000 000001 01")
                                            .replace(" ", "")));
        }
        pair.run(20_000);

        pair.assertKeysFit();
    }

    private static boolean anyTooLong(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
        return HandshakeMessages.anyTooLongInDatagram(bytes, 0, bytes.length);
    }

    private static String record(int epoch, String content) {
        int length = content.replace(" ", "").length() / 2;
        return "16fefd%04x%012x%04x".formatted(epoch, 7, length) + content;
    }
}
