package dev.parley.rtc.stun;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StunReaderTest {
    private static final StunIntegrity KEY = StunIntegrity.shortTerm("passwordpasswordpassword");

    private final StunReader reader = new StunReader();
    private final StunWriter writer = new StunWriter();
    private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);

    @Test
    void seesNothingBeforeItIsPointedAnywhere() {
        assertThat(reader.isBindingRequest()).isFalse();
        assertSeesNoAttribute();
    }

    @Test
    void seesNothingAfterAMessageThatIsNone() {
        assertThat(wrap(full())).isTrue();
        assertThat(reader.hasUsername()).isTrue();
        byte[] cut = Arrays.copyOf(full(), 24);

        assertThat(wrap(cut)).isFalse();

        assertThat(reader.isBindingRequest()).isFalse();
        assertSeesNoAttribute();
    }

    @Test
    void refusesEveryTruncation() {
        byte[] whole = full();
        for (int length = 0; length < whole.length; length++) {
            assertThat(wrap(Arrays.copyOf(whole, length))).as("%d bytes", length).isFalse();
        }
    }

    @Test
    void refusesAnotherLengthAnotherCookieAndSetHighBits() {
        byte[] longer = Arrays.copyOf(full(), full().length + 4);
        assertThat(wrap(longer)).isFalse();

        byte[] cookie = full();
        cookie[4] ^= 1;
        assertThat(wrap(cookie)).isFalse();

        byte[] bits = full();
        bits[0] = (byte) 0x80;
        assertThat(wrap(bits)).isFalse();
    }

    @Test
    void refusesAnAttributeThatLeavesTheMessage() {
        int length = request().attribute(0x8055, new byte[8]).length();
        out.putShort(22, (short) 12);
        assertThat(reader.wrap(out, 0, length)).isFalse();

        out.putShort(22, (short) 0xFFFF);
        assertThat(reader.wrap(out, 0, length)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0008, 0x8028, 0x0024, 0x8029, 0x802A, 0x0001, 0x0020, 0x0009})
    void refusesAKnownAttributeOfAWrongLength(int type) {
        int length = request().attribute(type, new byte[2]).length();

        assertThat(reader.wrap(out, 0, length)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"0, 8", "1, 20", "2, 8", "3, 20", "1, 9", "2, 24"})
    void refusesAnAddressWhoseLengthIsNotThatOfItsFamily(byte family, int valueLength) {
        byte[] value = new byte[valueLength];
        value[1] = family;
        int length = request().attribute(StunType.XOR_MAPPED_ADDRESS, value).length();

        assertThat(reader.wrap(out, 0, length)).isFalse();
    }

    @Test
    void writesAnIpv6AddressAsIpv6ThoughItsEndLooksIpv4Mapped() {
        reader.wrap(out, 0, request().length());
        ByteBuffer answer = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        int length =
                writer.bindingSuccess(answer, 0, reader)
                        .xorMappedAddress(0x20010db8L << 32, 0xFFFF_0102_0304L, 5)
                        .length();

        assertThat(reader.wrap(answer, 0, length)).isTrue();
        assertThat(reader.xorMappedAddressHigh()).isEqualTo(0x20010db8L << 32);
        assertThat(reader.xorMappedAddressLow()).isEqualTo(0xFFFF_0102_0304L);
    }

    @Test
    void padsWithZerosWhateverTheBufferHeld() {
        Arrays.fill(out.array(), (byte) 0xFF);
        int length = request().username("a:b12").length();

        assertThat(length).isEqualTo(32);
        assertThat(Arrays.copyOfRange(out.array(), 28, 33)).containsExactly('2', 0, 0, 0, -1);
    }

    @Test
    void countsTheFirstOfTwoEqualAttributes() {
        int length = request().username("one:x").username("second:x").length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.usernameEquals("one:x".getBytes(StandardCharsets.US_ASCII))).isTrue();
        assertThat(reader.usernameEquals("second:x".getBytes(StandardCharsets.US_ASCII))).isFalse();
        assertThat(reader.receiverUfragLength()).isEqualTo(3);
    }

    @Test
    void overlooksWhatFollowsTheIntegrityButSeesTheFingerprint() {
        int length =
                request()
                        .integrity(KEY)
                        .username("late:x")
                        .useCandidate()
                        .priority(9)
                        .attribute(0x7001, new byte[0])
                        .fingerprint()
                        .length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.hasUsername()).isFalse();
        assertThat(reader.hasUseCandidate()).isFalse();
        assertThat(reader.hasPriority()).isFalse();
        assertThat(reader.unknownCount()).isZero();
        assertThat(reader.hasValidFingerprint()).isTrue();
        assertThat(KEY.verifies(reader)).isTrue();
    }

    @Test
    void wantsTheFingerprintAtTheEnd() {
        int length = request().fingerprint().attribute(0x8055, new byte[4]).length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.hasFingerprint()).isTrue();
        assertThat(reader.hasValidFingerprint()).isFalse();
    }

    @Test
    void listsUnknownAttributesOnlyIfTheyMustBeUnderstood() {
        StunWriter request =
                request().attribute(0x7001, new byte[0]).attribute(0x8055, new byte[0]);
        for (int i = 0; i < 20; i++) {
            request.attribute(0x7100 + i, new byte[1]);
        }

        assertThat(reader.wrap(out, 0, request.length())).isTrue();
        assertThat(reader.unknownCount()).isEqualTo(StunReader.MAX_UNKNOWN);
        assertThat(reader.unknownType(0)).isEqualTo(0x7001);
        assertThat(reader.unknownType(1)).isEqualTo(0x7100);
    }

    @Test
    void understandsASenderThatAddsTheSha256Integrity() {
        int length =
                request()
                        .username("a:b")
                        .attribute(StunType.MESSAGE_INTEGRITY_SHA256, new byte[32])
                        .integrity(KEY)
                        .length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.unknownCount()).isZero();
        assertThat(KEY.verifies(reader)).isTrue();
    }

    @Test
    void readsDtlsAndItsAcknowledgements() {
        int length =
                request().dtlsAck(new int[] {7, -1}, 2).dtls(new byte[] {22, 1, 2, 3, 4}).length();

        assertThat(length).isEqualTo(20 + 12 + 12);
        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.dtlsAckCount()).isEqualTo(2);
        assertThat(reader.dtlsAck(0)).isEqualTo(7);
        assertThat(reader.dtlsAck(1)).isEqualTo(-1);
        assertThat(reader.dtlsLength()).isEqualTo(5);
        assertThat(reader.buffer().get(reader.dtlsOffset() + 4)).isEqualTo((byte) 4);
        assertThat(reader.unknownCount()).isZero();
    }

    @Test
    void tellsEmptyDtlsAndAcknowledgementsFromNone() {
        int length = request().dtlsAck(new int[0], 0).dtls(new byte[0]).length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.hasDtlsAck()).isTrue();
        assertThat(reader.dtlsAckCount()).isZero();
        assertThat(reader.hasDtls()).isTrue();
        assertThat(reader.dtlsLength()).isZero();
    }

    @Test
    void overlooksPartOfAnAcknowledgement() {
        // It may be ignored whole, so it must not cost the message.
        int length = request().attribute(StunType.DTLS_IN_STUN_ACK, new byte[7]).length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.dtlsAckCount()).isOne();
    }

    @Test
    void overlooksDtlsBehindTheIntegrity() {
        int length = request().integrity(KEY).dtlsAck(new int[] {1}, 1).dtls(new byte[20]).length();

        assertThat(reader.wrap(out, 0, length)).isTrue();
        assertThat(reader.hasDtls()).isFalse();
        assertThat(reader.hasDtlsAck()).isFalse();
    }

    @Test
    void reads1500ByteMessages() {
        ByteBuffer large = ByteBuffer.allocate(1_500);
        int length =
                writer.bindingRequest(large, 0, 1, 2)
                        .attribute(0x8055, new byte[1_427])
                        .username("abcd:efgh")
                        .integrity(KEY)
                        .fingerprint()
                        .length();

        assertThat(length).isEqualTo(1_500);
        assertThat(reader.wrap(large, 0, length)).isTrue();
        assertThat(reader.receiverUfragLength()).isEqualTo(4);
        assertThat(KEY.verifies(reader)).isTrue();
    }

    @Test
    void keepsAddressesThroughWritingAndReading() {
        SplittableRandom random = new SplittableRandom(8489);
        StunReader request = new StunReader();
        ByteBuffer in = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        for (int i = 0; i < 1_000; i++) {
            boolean ipv4 = random.nextBoolean();
            long high = ipv4 ? 0 : random.nextLong();
            long low =
                    ipv4
                            ? 0xFFFF_0000_0000L | (random.nextInt() & 0xFFFF_FFFFL)
                            : random.nextLong();
            int port = random.nextInt(65536);
            int asked = writer.bindingRequest(in, 0, random.nextInt(), random.nextLong()).length();
            request.wrap(in, 0, asked);

            int length =
                    writer.bindingSuccess(out, 0, request)
                            .xorMappedAddress(high, low, port)
                            .length();

            assertThat(length).isEqualTo(ipv4 ? 32 : 44);
            assertThat(reader.wrap(out, 0, length)).isTrue();
            assertThat(reader.xorMappedAddressHigh()).isEqualTo(high);
            assertThat(reader.xorMappedAddressLow()).isEqualTo(low);
            assertThat(reader.xorMappedPort()).isEqualTo(port);
            assertThat(reader.transactionIdHigh()).isEqualTo(request.transactionIdHigh());
            assertThat(reader.transactionIdLow()).isEqualTo(request.transactionIdLow());
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261130})
    void readsAnyBytesWithoutLeavingThem(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        byte[] base = full();
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = base.clone();
            for (int damage = random.nextInt(6); damage > 0; damage--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(8) == 0 ? random.nextInt(bytes.length) : bytes.length;
            if (random.nextBoolean() && length >= 4) {
                bytes[2] = (byte) ((length - 20) >>> 8);
                bytes[3] = (byte) (length - 20);
            }
            // Exactly as long as the datagram: a read behind its end would throw.
            ByteBuffer exact = ByteBuffer.wrap(Arrays.copyOf(bytes, length));
            if (reader.wrap(exact, 0, length)) {
                readEverything();
            } else {
                assertSeesNoAttribute();
            }
        }
    }

    private void readEverything() {
        int end = reader.length();
        assertThat(reader.usernameOffset() + Math.max(0, reader.usernameLength()))
                .isLessThanOrEqualTo(end);
        assertThat(reader.receiverUfragLength()).isLessThanOrEqualTo(reader.usernameLength());
        for (int i = 0; i < reader.unknownCount(); i++) {
            assertThat(reader.unknownType(i)).isLessThan(0x8000);
        }
        for (int i = 0; i < reader.unknownAttributesCount(); i++) {
            assertThat(reader.unknownAttribute(i)).isBetween(0, 0xFFFF);
        }
        assertThat(reader.priority()).isBetween(0L, 0xFFFF_FFFFL);
        assertThat(reader.xorMappedPort()).isBetween(0, 0xFFFF);
        assertThat(reader.errorCode()).isLessThan(1_000);
        assertThat(reader.dtlsOffset() + Math.max(0, reader.dtlsLength())).isLessThanOrEqualTo(end);
        for (int i = 0; i < reader.dtlsAckCount(); i++) {
            var _ = reader.dtlsAck(i);
        }
        var _ = reader.tieBreaker();
        var _ = reader.xorMappedAddressHigh();
        var _ = reader.xorMappedAddressLow();
        var _ = reader.hasValidFingerprint();
        var _ = KEY.verifies(reader);
    }

    private void assertSeesNoAttribute() {
        assertThat(reader.hasUsername()).isFalse();
        assertThat(reader.usernameLength()).isEqualTo(StunReader.ABSENT);
        assertThat(reader.receiverUfragLength()).isEqualTo(StunReader.ABSENT);
        assertThat(reader.hasIntegrity()).isFalse();
        assertThat(reader.hasFingerprint()).isFalse();
        assertThat(reader.hasUseCandidate()).isFalse();
        assertThat(reader.hasXorMappedAddress()).isFalse();
        assertThat(reader.unknownCount()).isZero();
        assertThat(reader.errorCode()).isEqualTo(StunReader.ABSENT);
        assertThat(reader.hasDtls()).isFalse();
        assertThat(reader.dtlsLength()).isEqualTo(StunReader.ABSENT);
        assertThat(reader.hasDtlsAck()).isFalse();
        assertThat(reader.dtlsAckCount()).isZero();
        assertThat(KEY.verifies(reader)).isFalse();
    }

    private boolean wrap(byte[] bytes) {
        return reader.wrap(ByteBuffer.wrap(bytes), 0, bytes.length);
    }

    private StunWriter request() {
        return writer.bindingRequest(out, 0, 1, 2);
    }

    /** One of everything. */
    private byte[] full() {
        int length =
                request()
                        .username("abcd:efgh")
                        .iceControlling(7)
                        .priority(8)
                        .useCandidate()
                        .attribute(0x7001, new byte[3])
                        .attribute(StunType.UNKNOWN_ATTRIBUTES, new byte[6])
                        .attribute(StunType.ERROR_CODE, new byte[] {0, 0, 4, 20})
                        .xorMappedAddress(1, 2, 3)
                        .dtlsAck(new int[] {1, -2, 3}, 3)
                        .dtls(new byte[] {22, -2, -1})
                        .integrity(KEY)
                        .fingerprint()
                        .length();
        return Arrays.copyOf(out.array(), length);
    }
}
