package dev.parley.signaling.calls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.signaling.pool.CallId;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import javax.crypto.Cipher;
import javax.crypto.Mac;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CallIdSealerTest {
    private static final byte[] KEY = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
    private static final String SESSION = "f0e1d2c3b4a5968778695a4b3c2d1e0f";

    private final CallIdSealer sealer = new CallIdSealer(List.of(KEY), new SecureRandom());

    @ParameterizedTest
    @ValueSource(strings = {"10.1.2.3", "2001:db8::1", "0.0.0.0", "fe80::1"})
    void opensWhatItSealed(String address) {
        for (int port : new int[] {1, 7100, 32_768, 65_535}) {
            CallId id = call(address, port);

            assertThat(sealer.open(sealer.seal(id))).contains(id);
        }
    }

    @Test
    void anyInstanceWithTheKeyOpens() {
        CallIdSealer other = new CallIdSealer(List.of(KEY.clone()), new SecureRandom());
        CallId id = call("10.1.2.3", 7100);

        assertThat(other.open(sealer.seal(id))).contains(id);
    }

    @Test
    void opensWhatAFormerKeySealed() {
        byte[] newKey = KEY.clone();
        newKey[0] ^= 1;
        CallIdSealer rotated = new CallIdSealer(List.of(newKey, KEY), new SecureRandom());
        CallId id = call("10.1.2.3", 7100);

        assertThat(rotated.open(sealer.seal(id))).contains(id);
        assertThat(sealer.open(rotated.seal(id))).isEmpty();
    }

    @Test
    void refusesEveryFlippedBit() {
        for (String address : new String[] {"10.1.2.3", "2001:db8::1"}) {
            byte[] bytes = bytes(sealer.seal(call(address, 7100)));
            for (int bit = 0; bit < 8 * bytes.length; bit++) {
                byte[] flipped = bytes.clone();
                flipped[bit / 8] ^= (byte) (1 << bit % 8);

                assertThat(sealer.open(token(flipped))).as("bit %d", bit).isEmpty();
            }
            assertThat(sealer.open(token(bytes))).isPresent();
        }
    }

    @Test
    void refusesEveryChangedCharacter() {
        String token = sealer.seal(call("10.1.2.3", 7100));
        for (int i = 0; i < token.length(); i++) {
            char other = token.charAt(i) == 'A' ? 'B' : 'A';
            String changed = token.substring(0, i) + other + token.substring(i + 1);

            assertThat(sealer.open(changed)).as("character %d", i).isEmpty();
        }
    }

    @Test
    void refusesASecondSpellingOfTheSameBytes() {
        String token = sealer.seal(call("10.1.2.3", 7100));
        // 64 bytes need 85.3 digits, so the last of 86 has four unused bits.
        char last = token.charAt(token.length() - 1);
        String other = token.substring(0, token.length() - 1) + (char) (last + 1);
        assertThat(bytes(other)).isEqualTo(bytes(token));

        assertThat(sealer.open(other)).isEmpty();
    }

    @Test
    void refusesOtherKeysAndLengths() {
        byte[] otherKey = KEY.clone();
        otherKey[15] ^= 1;
        String token = sealer.seal(call("10.1.2.3", 7100));

        assertThat(new CallIdSealer(List.of(otherKey), new SecureRandom()).open(token)).isEmpty();
        for (int length = 0; length < token.length(); length++) {
            assertThat(sealer.open(token.substring(0, length))).isEmpty();
        }
        assertThat(sealer.open(token + "AAAA")).isEmpty();
        assertThat(sealer.open(token.substring(CallIdSealer.PREFIX.length()))).isEmpty();
    }

    @Test
    void survivesRandomTokens() {
        Random random = new Random(9);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            if (bytes.length > 0) {
                bytes[0] = 2;
            }
            assertThat(sealer.open(token(bytes))).isEmpty();
        }
    }

    @Test
    void tokensOfOneSessionHaveNothingInCommon() {
        CallId id = call("10.1.2.3", 7100);
        byte[] first = bytes(sealer.seal(id));
        byte[] second = bytes(sealer.seal(id));

        int same = 0;
        for (int i = 1; i < first.length; i++) {
            same += first[i] == second[i] ? 1 : 0;
        }
        // 63 random bytes agree in one of 256 places: four agreeing has a chance of 1 in 20,000.
        assertThat(same).isLessThan(10);
    }

    @Test
    void followsTheDocumentedLayout() throws Exception {
        byte[] bytes = bytes(sealer.seal(call("10.1.2.3", 7100)));

        // RFC 5869 by hand: extract with an absent salt, expand to one block.
        byte[] pseudoRandomKey = hmac(new byte[32], KEY);
        byte[] info = "parley call id v2\u0001".getBytes(StandardCharsets.US_ASCII);
        byte[] key = new byte[16];
        System.arraycopy(hmac(pseudoRandomKey, info), 0, key, 0, 16);
        Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(
                Cipher.DECRYPT_MODE,
                new SecretKeySpec(key, "AES"),
                new GCMParameterSpec(128, bytes, 1, 12));
        cipher.updateAAD(new byte[] {2});
        byte[] plain = cipher.doFinal(bytes, 13, bytes.length - 13);

        assertThat(bytes[0]).isEqualTo((byte) 2);
        assertThat(HexFormat.of().formatHex(plain))
                .isEqualTo(SESSION + "abcd" + "1122334455667788" + "04" + "0a010203" + "1bbc");
    }

    private static byte[] hmac(byte[] key, byte[] input) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(input);
    }

    private static CallId call(String address, int port) {
        return new CallId(
                SESSION,
                new InetSocketAddress(InetAddress.ofLiteral(address), port),
                0xABCD,
                0x1122334455667788L);
    }

    private static byte[] bytes(String token) {
        return Base64.getUrlDecoder().decode(token.substring(CallIdSealer.PREFIX.length()));
    }

    private static String token(byte[] bytes) {
        return CallIdSealer.PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
