package dev.parley.rtc.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RouteTokensTest {
    private static final long IPV4_LOW = 0xFFFF_0A01_0203L;
    private static final byte[] OLD_KEY = key(1);
    private static final byte[] NEW_KEY = key(2);

    private final RouteTokens tokens = new RouteTokens(RouteKeys.of(Map.of(3, OLD_KEY)));
    private final RouteToken route = new RouteToken();

    @Test
    void opensWhatItMintedForIpv4() {
        String ufrag = tokens.mint(3, 0x0123456789ABCDEFL, -2L, 65535, 0, IPV4_LOW, 65535);

        assertThat(ufrag).hasSize(50).matches("[A-Za-z0-9+/]+");
        assertThat(open(tokens, ufrag)).isEqualTo(RouteVerdict.OPENED);
        assertThat(route.keyId()).isEqualTo(3);
        assertThat(route.sessionIdHigh()).isEqualTo(0x0123456789ABCDEFL);
        assertThat(route.sessionIdLow()).isEqualTo(-2L);
        assertThat(route.clusterId()).isEqualTo(65535);
        assertThat(route.addressHigh()).isZero();
        assertThat(route.addressLow()).isEqualTo(IPV4_LOW);
        assertThat(route.port()).isEqualTo(65535);
    }

    @Test
    void opensWhatItMintedForIpv6() {
        String ufrag = tokens.mint(3, 5, 6, 7, 0x20010DB8_00000001L, 0x8000_0000_0000_0042L, 8);

        assertThat(ufrag).hasSize(66).matches("[A-Za-z0-9+/]+");
        assertThat(open(tokens, ufrag)).isEqualTo(RouteVerdict.OPENED);
        assertThat(route.addressHigh()).isEqualTo(0x20010DB8_00000001L);
        assertThat(route.addressLow()).isEqualTo(0x8000_0000_0000_0042L);
        assertThat(route.clusterId()).isEqualTo(7);
        assertThat(route.port()).isEqualTo(8);
    }

    @Test
    void sealsAsTheJdksGcmDoes() throws Exception {
        SplittableRandom random = new SplittableRandom(20261130);
        for (int i = 0; i < 2_000; i++) {
            byte[] key = new byte[16];
            random.nextBytes(key);
            boolean ipv4 = random.nextBoolean();
            int keyId = random.nextInt(16);
            long high = random.nextLong();
            long low = random.nextLong();
            int cluster = random.nextInt(65536);
            int port = random.nextInt(65536);
            long addressHigh = ipv4 ? 0 : random.nextLong(1, Long.MAX_VALUE);
            long addressLow =
                    ipv4
                            ? 0xFFFF_0000_0000L | (random.nextInt() & 0xFFFF_FFFFL)
                            : random.nextLong();
            String minted =
                    new RouteTokens(RouteKeys.of(Map.of(keyId, key)))
                            .mint(keyId, high, low, cluster, addressHigh, addressLow, port);

            ByteBuffer body = ByteBuffer.allocate(ipv4 ? 8 : 20).putShort((short) cluster);
            if (ipv4) {
                body.putInt((int) addressLow);
            } else {
                body.putLong(addressHigh).putLong(addressLow);
            }
            body.putShort((short) port);
            ByteBuffer clear = ByteBuffer.allocate(17);
            clear.put((byte) (0x20 | (ipv4 ? 0 : 0x10) | keyId)).putLong(high).putLong(low);
            Cipher gcm = Cipher.getInstance("AES/GCM/NoPadding");
            byte[] nonce = Arrays.copyOfRange(clear.array(), 1, 13);
            gcm.init(
                    Cipher.ENCRYPT_MODE,
                    new SecretKeySpec(key, "AES"),
                    new GCMParameterSpec(96, nonce));
            gcm.updateAAD(clear.array(), 0, 1);
            byte[] sealed = gcm.doFinal(body.array());
            byte[] whole = Arrays.copyOf(clear.array(), 17 + sealed.length);
            System.arraycopy(sealed, 0, whole, 17, sealed.length);

            assertThat(minted)
                    .isEqualTo(Base64.getEncoder().withoutPadding().encodeToString(whole));
        }
    }

    @Test
    void neverOpensWithAnySealedBitFlipped() {
        for (String ufrag : bothFamilies()) {
            byte[] whole = Base64.getDecoder().decode(ufrag);
            for (int bit = 0; bit < whole.length * 8; bit++) {
                if (!isSealed(bit / 8)) {
                    continue;
                }
                byte[] flipped = whole.clone();
                flipped[bit / 8] ^= (byte) (1 << (bit % 8));
                assertThat(open(tokens, base64(flipped)))
                        .as("bit %d", bit)
                        .isNotEqualTo(RouteVerdict.OPENED);
            }
        }
    }

    @Test
    void neverLeadsElsewhereWithAnyCharacterReplaced() {
        for (String ufrag : bothFamilies()) {
            open(tokens, ufrag);
            long addressHigh = route.addressHigh();
            long addressLow = route.addressLow();
            byte[] characters = ufrag.getBytes(StandardCharsets.US_ASCII);
            for (int at = 0; at < characters.length; at++) {
                for (int value = 0; value < 256; value++) {
                    byte[] changed = characters.clone();
                    changed[at] = (byte) value;
                    RouteVerdict verdict =
                            tokens.open(ByteBuffer.wrap(changed), 0, changed.length, route);
                    // A change to the end of the session id alone is seen by its owner only.
                    if (verdict == RouteVerdict.OPENED) {
                        byte[] whole = Base64.getDecoder().decode(changed);
                        Arrays.fill(whole, 13, 17, (byte) 0);
                        byte[] original = Base64.getDecoder().decode(characters);
                        Arrays.fill(original, 13, 17, (byte) 0);
                        assertThat(whole).as("character %d as %d", at, value).isEqualTo(original);
                        assertThat(route.addressHigh()).isEqualTo(addressHigh);
                        assertThat(route.addressLow()).isEqualTo(addressLow);
                        assertThat(route.clusterId()).isEqualTo(33);
                        assertThat(route.port()).isEqualTo(44);
                    }
                }
            }
        }
    }

    @Test
    void givesEachGenerationAUfragThatLeadsToTheSamePlace() {
        for (long addressHigh : new long[] {0, 0x20010DB8L << 32}) {
            Set<String> ufrags = new HashSet<>();
            for (int generation = 0; generation < RouteTokens.GENERATIONS; generation++) {
                String ufrag = tokens.mint(3, 11, 22, 33, addressHigh, IPV4_LOW, 44, generation);
                ufrags.add(ufrag);
                assertThat(open(tokens, ufrag)).isEqualTo(RouteVerdict.OPENED);
                assertThat(route.sessionIdHigh()).isEqualTo(11);
                assertThat(route.sessionIdLow()).isEqualTo(22);
                assertThat(route.addressHigh()).isEqualTo(addressHigh);
                assertThat(route.addressLow()).isEqualTo(IPV4_LOW);
                assertThat(route.port()).isEqualTo(44);
            }
            assertThat(ufrags).hasSize(RouteTokens.GENERATIONS);
        }
    }

    @Test
    void startsOverAfterSixteenGenerations() {
        String first = tokens.mint(3, 11, 22, 33, 0, IPV4_LOW, 44);
        assertThat(tokens.mint(3, 11, 22, 33, 0, IPV4_LOW, 44, 0)).isEqualTo(first);
        assertThat(tokens.mint(3, 11, 22, 33, 0, IPV4_LOW, 44, 16)).isEqualTo(first);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 20261130})
    void opensNoGarbage(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextBoolean() ? 50 : random.nextInt(80)];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = (byte) random.nextInt('A', 'Z' + 1);
            }
            if (random.nextInt(4) == 0 && bytes.length > 0) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            assertThat(tokens.open(ByteBuffer.wrap(bytes), 0, bytes.length, route))
                    .isNotEqualTo(RouteVerdict.OPENED);
        }
    }

    /** Neither the nonce nor the AAD covers the last 4 bytes of the session id. */
    private static boolean isSealed(int byteIndex) {
        return byteIndex < 13 || byteIndex > 16;
    }

    private String[] bothFamilies() {
        return new String[] {
            tokens.mint(3, 11, 22, 33, 0, IPV4_LOW, 44),
            tokens.mint(3, 11, 22, 33, 0x20010DB8L << 32, 1, 44)
        };
    }

    private static String base64(byte[] bytes) {
        return Base64.getEncoder().withoutPadding().encodeToString(bytes);
    }

    @Test
    void namesWhatIsWrong() {
        String ufrag = tokens.mint(3, 11, 22, 33, 0, IPV4_LOW, 44);

        assertThat(open(tokens, "abcd")).isEqualTo(RouteVerdict.BAD_LENGTH);
        assertThat(open(tokens, "")).isEqualTo(RouteVerdict.BAD_LENGTH);
        assertThat(open(tokens, ufrag + "A".repeat(16))).isEqualTo(RouteVerdict.BAD_LENGTH);
        assertThat(open(tokens, "-" + ufrag.substring(1))).isEqualTo(RouteVerdict.BAD_ALPHABET);
        assertThat(open(tokens, "A" + ufrag.substring(1))).isEqualTo(RouteVerdict.BAD_VERSION);
        // The first character holds version, family and the key id's highest bit.
        assertThat(open(tokens, "J" + ufrag.substring(1))).isEqualTo(RouteVerdict.UNKNOWN_KEY);
        assertThat(open(tokens, ufrag.substring(0, 30) + "AAAA" + ufrag.substring(34)))
                .isEqualTo(RouteVerdict.FORGED);
    }

    @Test
    void leavesTheViewAloneWhenNotOpened() {
        String ufrag = tokens.mint(3, 11, 22, 33, 0, IPV4_LOW, 44);
        open(tokens, ufrag);

        open(tokens, ufrag.substring(0, 30) + "AAAA" + ufrag.substring(34));

        assertThat(route.sessionIdHigh()).isEqualTo(11);
        assertThat(route.port()).isEqualTo(44);
    }

    @Test
    void opensBothLiveKeysWhileTheyRotate() {
        RouteTokens rotating = new RouteTokens(RouteKeys.of(Map.of(3, OLD_KEY, 4, NEW_KEY)));
        RouteTokens rotated = new RouteTokens(RouteKeys.of(Map.of(4, NEW_KEY)));
        String old = tokens.mint(3, 1, 2, 3, 0, IPV4_LOW, 4);
        String fresh = rotating.mint(4, 1, 2, 3, 0, IPV4_LOW, 4);

        assertThat(open(rotating, old)).isEqualTo(RouteVerdict.OPENED);
        assertThat(open(rotating, fresh)).isEqualTo(RouteVerdict.OPENED);
        assertThat(open(rotated, fresh)).isEqualTo(RouteVerdict.OPENED);
        assertThat(open(rotated, old)).isEqualTo(RouteVerdict.UNKNOWN_KEY);
        assertThat(open(new RouteTokens(RouteKeys.of(Map.of(3, NEW_KEY))), old))
                .isEqualTo(RouteVerdict.FORGED);
    }

    @Test
    void opensInTheMiddleOfADirectBuffer() {
        String ufrag = tokens.mint(3, 1, 2, 3, 0, IPV4_LOW, 4);
        ByteBuffer direct = ByteBuffer.allocateDirect(200);
        direct.put(77, ufrag.getBytes(StandardCharsets.US_ASCII));

        assertThat(tokens.open(direct, 77, ufrag.length(), route)).isEqualTo(RouteVerdict.OPENED);
        assertThat(direct.position()).isZero();
    }

    @Test
    void refusesToMintWithoutItsKey() {
        assertThatThrownBy(() -> tokens.mint(5, 1, 2, 3, 0, IPV4_LOW, 4))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("id 5");
        assertThatThrownBy(() -> tokens.mint(3, 1, 2, 65536, 0, IPV4_LOW, 4))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesKeysOfAnotherLengthWithoutShowingThem() {
        assertThatThrownBy(() -> RouteKeys.of(Map.of(1, new byte[15])))
                .hasMessage("route key 1 has 15 bytes, 16 are needed");
        assertThatThrownBy(() -> RouteKeys.of(Map.of(16, new byte[16])))
                .hasMessage("route key id 16 is not in 0..15");
        assertThatThrownBy(() -> RouteKeys.of(Map.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private RouteVerdict open(RouteTokens opener, String ufrag) {
        byte[] bytes = ufrag.getBytes(StandardCharsets.US_ASCII);
        return opener.open(ByteBuffer.wrap(bytes), 0, bytes.length, route);
    }

    private static byte[] key(int fill) {
        byte[] key = new byte[16];
        Arrays.fill(key, (byte) fill);
        return key;
    }
}
