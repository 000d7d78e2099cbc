package dev.parley.rtc.stun;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class StunReaderRfc5769Test {
    private static final String PASSWORD = "VOkJxbRl1RmTxUk/WvJxBt";

    private static final String REQUEST =
            """
            00 01 00 58 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae
            80 22 00 10 53 54 55 4e 20 74 65 73 74 20 63 6c 69 65 6e 74
            00 24 00 04 6e 00 01 ff
            80 29 00 08 93 2f f9 b1 51 26 3b 36
            00 06 00 09 65 76 74 6a 3a 68 36 76 59 20 20 20
            00 08 00 14 9a ea a7 0c bf d8 cb 56 78 1e f2 b5 b2 d3 f2 49 c1 b5 71 a2
            80 28 00 04 e5 7a 3b cf
            """;

    private static final String IPV4_RESPONSE =
            """
            01 01 00 3c 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae
            80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
            00 20 00 08 00 01 a1 47 e1 12 a6 43
            00 08 00 14 2b 91 f5 99 fd 9e 90 c3 8c 74 89 f9 2a f9 ba 53 f0 6b e7 d7
            80 28 00 04 c0 7d 4c 96
            """;

    private static final String IPV6_RESPONSE =
            """
            01 01 00 48 21 12 a4 42 b7 e7 a7 01 bc 34 d6 86 fa 87 df ae
            80 22 00 0b 74 65 73 74 20 76 65 63 74 6f 72 20
            00 20 00 14 00 02 a1 47 01 13 a9 fa a5 d3 f1 79 bc 25 f4 b5 be d2 b9 d9
            00 08 00 14 a3 82 95 4e 4b e6 7b f1 17 84 c9 7c 82 92 c2 75 bf e3 ed 41
            80 28 00 04 c8 fb 0b 4c
            """;

    private static final String LONG_TERM_REQUEST =
            """
            00 01 00 60 21 12 a4 42 78 ad 34 33 c6 ad 72 c0 29 da 41 2e
            00 06 00 12 e3 83 9e e3 83 88 e3 83 aa e3 83 83 e3 82 af e3 82 b9 00 00
            00 15 00 1c 66 2f 2f 34 39 39 6b 39 35 34 64 36 4f 4c 33 34 6f 4c 39 46 53 54 76 79
            36 34 73 41
            00 14 00 0b 65 78 61 6d 70 6c 65 2e 6f 72 67 00
            00 08 00 14 f6 70 24 65 6d d6 4a 3e 02 b8 e0 71 2e 85 c9 a2 8c a8 96 66
            """;

    private final StunReader reader = new StunReader();
    private final StunIntegrity key = StunIntegrity.shortTerm(PASSWORD);

    @Test
    @DisplayName("RFC 5769 2.1: the sample request's attributes, MESSAGE-INTEGRITY and FINGERPRINT")
    void readsSampleRequest() {
        assertThat(wrap(REQUEST)).isTrue();

        assertThat(reader.isBindingRequest()).isTrue();
        assertThat(reader.transactionIdHigh()).isEqualTo(0xb7e7a701);
        assertThat(reader.transactionIdLow()).isEqualTo(0xbc34d686fa87dfaeL);
        assertThat(text(reader.softwareOffset(), reader.softwareLength()))
                .isEqualTo("STUN test client");
        assertThat(text(reader.usernameOffset(), reader.usernameLength())).isEqualTo("evtj:h6vY");
        assertThat(text(reader.usernameOffset(), reader.receiverUfragLength())).isEqualTo("evtj");
        assertThat(reader.priority()).isEqualTo(0x6e0001ffL);
        assertThat(reader.hasIceControlled()).isTrue();
        assertThat(reader.hasIceControlling()).isFalse();
        assertThat(reader.tieBreaker()).isEqualTo(0x932ff9b151263b36L);
        assertThat(reader.hasUseCandidate()).isFalse();
        assertThat(reader.unknownCount()).isZero();
        assertThat(key.verifies(reader)).isTrue();
        assertThat(reader.hasValidFingerprint()).isTrue();
    }

    @Test
    @DisplayName("RFC 5769 2.2: the sample IPv4 response, 192.0.2.1 port 32853")
    void readsSampleIpv4Response() {
        assertThat(wrap(IPV4_RESPONSE)).isTrue();

        assertThat(reader.isBindingSuccess()).isTrue();
        assertThat(reader.xorMappedAddressHigh()).isZero();
        assertThat(reader.xorMappedAddressLow()).isEqualTo(0xFFFF_C000_0201L);
        assertThat(reader.xorMappedPort()).isEqualTo(32853);
        assertThat(key.verifies(reader)).isTrue();
        assertThat(reader.hasValidFingerprint()).isTrue();
    }

    @Test
    @DisplayName("RFC 5769 2.3: the sample IPv6 response, 2001:db8:1234:5678:11:2233:4455:6677")
    void readsSampleIpv6Response() {
        assertThat(wrap(IPV6_RESPONSE)).isTrue();

        assertThat(reader.xorMappedAddressHigh()).isEqualTo(0x20010db812345678L);
        assertThat(reader.xorMappedAddressLow()).isEqualTo(0x0011223344556677L);
        assertThat(reader.xorMappedPort()).isEqualTo(32853);
        assertThat(key.verifies(reader)).isTrue();
        assertThat(reader.hasValidFingerprint()).isTrue();
    }

    @Test
    @DisplayName("RFC 5769 2.4: the sample request with long-term authentication")
    void readsSampleLongTermRequest() {
        assertThat(wrap(LONG_TERM_REQUEST)).isTrue();

        String username = "\u30DE\u30C8\u30EA\u30C3\u30AF\u30B9";
        assertThat(text(reader.usernameOffset(), reader.usernameLength())).isEqualTo(username);
        assertThat(text(reader.realmOffset(), reader.realmLength())).isEqualTo("example.org");
        assertThat(text(reader.nonceOffset(), reader.nonceLength()))
                .isEqualTo("f//499k954d6OL34oL9FSTvy64sA");
        // The password is TheMatrIX once SASLprep has taken out its soft hyphen.
        assertThat(StunIntegrity.longTerm(username, "example.org", "TheMatrIX").verifies(reader))
                .isTrue();
        assertThat(reader.hasFingerprint()).isFalse();
        assertThat(reader.hasValidFingerprint()).isFalse();
    }

    @Test
    void verifiesWithNoOtherPassword() {
        wrap(REQUEST);

        assertThat(StunIntegrity.shortTerm("VOkJxbRl1RmTxUk/WvJxBu").verifies(reader)).isFalse();
    }

    @Test
    void seesEveryFlippedBit() {
        byte[] whole = bytes(REQUEST);
        for (int bit = 0; bit < whole.length * 8; bit++) {
            byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            boolean accepted =
                    reader.wrap(ByteBuffer.wrap(flipped), 0, flipped.length)
                            && reader.hasValidFingerprint()
                            && key.verifies(reader);
            assertThat(accepted).as("bit %d", bit).isFalse();
        }
    }

    @Test
    void writesTheSampleRequestsFields() {
        ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        int length =
                new StunWriter()
                        .bindingRequest(out, 0, 0xb7e7a701, 0xbc34d686fa87dfaeL)
                        .attribute(
                                StunType.SOFTWARE,
                                "STUN test client".getBytes(StandardCharsets.US_ASCII))
                        .priority(0x6e0001ffL)
                        .iceControlled(0x932ff9b151263b36L)
                        .username("evtj:h6vY")
                        .integrity(key)
                        .fingerprint()
                        .length();

        // The sample pads USERNAME with spaces, we with zeros (RFC 8489 14: "MUST be set to zero").
        byte[] expected = bytes(REQUEST);
        assertThat(length).isEqualTo(expected.length);
        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(key.verifies(reader)).isTrue();
        assertThat(reader.hasValidFingerprint()).isTrue();
        assertThat(HexFormat.of().formatHex(out.array(), 0, 69))
                .isEqualTo(HexFormat.of().formatHex(expected, 0, 69));
    }

    private boolean wrap(String hex) {
        byte[] bytes = bytes(hex);
        ByteBuffer framed = ByteBuffer.allocateDirect(bytes.length + 20);
        framed.put(13, bytes);
        return reader.wrap(framed, 13, bytes.length);
    }

    private String text(int offset, int length) {
        byte[] bytes = new byte[length];
        reader.buffer().get(offset, bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }
}
