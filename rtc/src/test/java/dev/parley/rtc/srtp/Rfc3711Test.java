package dev.parley.rtc.srtp;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class Rfc3711Test {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    @Test
    @DisplayName("RFC 3711 B.2: the AES-CM keystream, first and last blocks")
    void makesTheKeystream() {
        assertThat(keystream(0x0000, 48))
                .isEqualTo(
                        "E03EAD0935C95E80E166B16DD92B4EB4"
                                + "D23513162B02D0F72A43A2FE4A5F97AB"
                                + "41E95B3BB0A2E8DD477901E4FCA894C0");
        assertThat(keystream(0xFEFF, 16)).isEqualTo("EC8CDF7398607CB0F2D21675EA9EA1E4");
        assertThat(keystream(0xFF00, 32))
                .isEqualTo("362B7C3C6773516318A077D7FC5073AE6A2CC3787889374FBEB4C81B17BA6C44");
    }

    @Test
    @DisplayName("RFC 3711 B.3: session keys and salt derived from the master key and salt")
    void derivesSessionKeys() {
        var derivation =
                new KeyDerivation(
                        HEX.parseHex("E1F97A0D3E018BE0D64FA32C06DE4139"),
                        HEX.parseHex("0EC675AD498AFEEBB6960B3AABE6"));

        assertThat(HEX.formatHex(derivation.derive(KeyDerivation.RTP_ENCRYPTION, 16)))
                .isEqualTo("C61E7A93744F39EE10734AFE3FF7A087");
        assertThat(HEX.formatHex(derivation.derive(KeyDerivation.RTP_SALT, 14)))
                .isEqualTo("30CBBC08863D8C85D49DB34A9AE1");
        assertThat(HEX.formatHex(derivation.derive(KeyDerivation.RTP_AUTHENTICATION, 94)))
                .isEqualTo(
                        "CEBE321F6FF7716B6FD4AB49AF256A15"
                                + "6D38BAA48F0A0ACF3C34E2359E6CDBCE"
                                + "E049646C43D9327AD175578EF7227098"
                                + "6371C10C9A369AC2F94A8C5FBCDDDC25"
                                + "6D6E919A48B610EF17C2041E47403576"
                                + "6B68642C59BBFC2F34DB60DBDFB2");
    }

    private static String keystream(int firstCounter, int length) {
        var cipher = new AesCounterMode(HEX.parseHex("2B7E151628AED2A6ABF7158809CF4F3C"));
        ByteBuffer iv = ByteBuffer.wrap(HEX.parseHex("F0F1F2F3F4F5F6F7F8F9FAFBFCFD0000"));
        byte[] bytes = new byte[length];
        cipher.xorKeystream(bytes, 0, length, iv.getLong(0), iv.getLong(8) | firstCounter);
        return HEX.formatHex(bytes);
    }
}
