package dev.parley.rtc.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LegPacketTest {
    private static final byte[] OLD = "old old old old.".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NEW = "new new new new.".getBytes(StandardCharsets.US_ASCII);
    private static final int CARRIED = ClientHeader.LENGTH + 20;
    private static final int AT = 60;
    private static final long IPV4 = 0xFFFF_0A01_0203L;

    private final LegPacket sender = new LegPacket(RouteKeys.of(Map.of(1, OLD)), 1, 7, 0xABCD);
    private final LegPacket receiver =
            new LegPacket(RouteKeys.of(Map.of(1, OLD, 2, NEW)), 2, 9, 0x1234);
    private final ByteBuffer bytes = ByteBuffer.allocate(200);

    private int seal(LegKind kind, long high, long low) {
        new SplittableRandom(1).nextBytes(bytes.array());
        ClientHeader.write(bytes, AT, 1, 2, 3, 4, 5, 6);
        sender.ownGate(0x42);
        sender.towards(9, 0xFEDC_BA98);
        return sender.seal(bytes, AT, CARRIED, kind, high, low, 5000, LegPacket.stamp(-3, 77));
    }

    @ParameterizedTest
    @EnumSource(names = {"UP", "DOWN", "UP_UNCACHED", "DOWN_BY_MAP"})
    void opensWhatWasSealed(LegKind kind) {
        int added = seal(kind, 0, IPV4);
        assertThat(added).isEqualTo(40);
        assertThat(receiver.open(bytes, AT - added, added + CARRIED)).isEqualTo(LegVerdict.OPENED);
        assertThat(receiver.kind()).isEqualTo(kind);
        assertThat(receiver.fromCluster()).isEqualTo(7);
        assertThat(receiver.toCluster()).isEqualTo(9);
        assertThat(receiver.fromGate()).isEqualTo(0x42);
        assertThat(receiver.toGate()).isEqualTo(0xFEDC_BA98);
        assertThat(receiver.sender()).isEqualTo(0xABCD);
        assertThat(receiver.seconds()).isEqualTo(-3);
        assertThat(receiver.sequence()).isEqualTo(77);
        assertThat(receiver.transceiverHigh()).isZero();
        assertThat(receiver.transceiverLow()).isEqualTo(IPV4);
        assertThat(receiver.transceiverPort()).isEqualTo(5000);
        assertThat(receiver.carriedOffset()).isEqualTo(AT);
        assertThat(receiver.carriedLength()).isEqualTo(CARRIED);
    }

    @Test
    void carriesIpv6() {
        int added = seal(LegKind.UP, 0xFD00_0000_0000_0001L, 0xFFFF_0000_0000L);
        assertThat(added).isEqualTo(LegPacket.MAX_HEADER);
        assertThat(receiver.open(bytes, AT - added, added + CARRIED)).isEqualTo(LegVerdict.OPENED);
        assertThat(receiver.transceiverHigh()).isEqualTo(0xFD00_0000_0000_0001L);
        assertThat(receiver.transceiverLow()).isEqualTo(0xFFFF_0000_0000L);
        assertThat(receiver.carriedLength()).isEqualTo(CARRIED);
    }

    @Test
    void anyChangedBitIsNoticed() {
        int added = seal(LegKind.UP, 0, IPV4);
        int start = AT - added;
        int length = added + CARRIED;
        for (int bit = 0; bit < 8 * length; bit++) {
            int at = start + bit / 8;
            byte before = bytes.get(at);
            bytes.put(at, (byte) (before ^ 1 << bit % 8));
            assertThat(receiver.open(bytes, start, length)).isNotEqualTo(LegVerdict.OPENED);
            bytes.put(at, before);
        }
        assertThat(receiver.open(bytes, start, length - 1)).isEqualTo(LegVerdict.FORGED);
        assertThat(receiver.open(bytes, start, length)).isEqualTo(LegVerdict.OPENED);
    }

    @Test
    void answersCarryTheBytesOfTheirProbe() {
        sender.towards(9, 3);
        sender.sealProbe(bytes, 0, LegKind.ANSWER, 0x0102_0304_0506_0708L, LegPacket.stamp(5, 6));
        assertThat(receiver.open(bytes, 0, LegPacket.PROBE_LENGTH)).isEqualTo(LegVerdict.OPENED);
        assertThat(receiver.toGate()).isEqualTo(3);
        assertThat(receiver.open(bytes, 0, LegPacket.PROBE_LENGTH)).isEqualTo(LegVerdict.OPENED);
        assertThat(receiver.kind()).isEqualTo(LegKind.ANSWER);
        assertThat(receiver.nonce()).isEqualTo(0x0102_0304_0506_0708L);
        assertThat(receiver.open(bytes, 0, LegPacket.PROBE_LENGTH + 1))
                .isEqualTo(LegVerdict.MALFORMED);
    }

    @Test
    void keysAreChangedWithTwoOfThemLive() {
        int added = seal(LegKind.UP, 0, IPV4);
        int start = AT - added;
        assertThat(receiver.open(bytes, start, added + CARRIED)).isEqualTo(LegVerdict.OPENED);
        LegPacket afterwards = new LegPacket(RouteKeys.of(Map.of(2, NEW)), 2, 9, 1);
        assertThat(afterwards.open(bytes, start, added + CARRIED))
                .isEqualTo(LegVerdict.UNKNOWN_KEY);
        LegPacket stranger = new LegPacket(RouteKeys.of(Map.of(1, NEW)), 1, 9, 1);
        assertThat(stranger.open(bytes, start, added + CARRIED)).isEqualTo(LegVerdict.FORGED);
        assertThatThrownBy(() -> new LegPacket(RouteKeys.of(Map.of(2, NEW)), 1, 9, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no key with id 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 35, 36, 39, 40, 44, 78})
    void shortOnesAreMalformedOrForgedAndNeverRead(int length) {
        int added = seal(LegKind.UP, 0, IPV4);
        assertThat(receiver.open(bytes.slice(AT - added, length), 0, length))
                .isEqualTo(LegVerdict.MALFORMED);
    }
}
