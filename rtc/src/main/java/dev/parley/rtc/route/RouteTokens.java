package dev.parley.rtc.route;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Mints and opens route tokens, the server-side ICE username fragments that tell a relay where a
 * session lives. It holds ciphers and scratch space, so each thread owns one. Opening allocates
 * nothing and throws nothing, whatever the bytes are.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-----+-+-------+-----------------------------------------------+
 * | ver |F| keyId |          session id (16 bytes) ...            |
 * +-----+-+-------+-----------------------------------------------+
 * |   sealed: cluster id (2), address (4 or 16), UDP port (2) ... |
 * +---------------------------------------------------------------+
 * |                  GCM tag (12 bytes) ...                       |
 * +---------------------------------------------------------------+
 * </pre>
 *
 * <p>F is 0 for IPv4, 1 for IPv6. AES-128-GCM; the nonce is the first 12 bytes of the session id,
 * the AAD the first byte. The session id is random and the body a function of the session alone, so
 * a nonce never meets two plaintexts under one key. The tag vouches for the route, not for the last
 * 4 bytes of the session id, which neither nonce nor AAD covers: whoever owns the session compares
 * the whole ufrag. Written in standard base64 without padding: 50 or 66 characters, all of them
 * ice-char (RFC 8839 5.4).
 *
 * <p>Of the last character four bits lie behind the last byte. They carry the <i>generation</i>:
 * how many ICE restarts the session has seen, modulo 16. So a restart has another ufrag (RFC 8445
 * 9) and leads to the same place; {@link #open} does not look at them.
 */
public final class RouteTokens {
    /** Characters of a token that leads to an IPv4 address. */
    public static final int IPV4_LENGTH = 50;

    /** Characters of a token that leads to an IPv6 address. */
    public static final int IPV6_LENGTH = 66;

    /** Restarts that a ufrag can tell apart. */
    public static final int GENERATIONS = 16;

    private static final int VERSION = 1;
    private static final int IPV6_FLAG = 0x10;
    private static final int IPV4_BODY = 8;
    private static final int IPV6_BODY = 20;
    private static final long IPV4_MAPPED = 0xFFFFL;
    private static final byte NOT_BASE64 = -1;
    private static final byte[] ALPHABET =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                    .getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SEXTETS = sextets();

    private final @Nullable TokenSeal[] seals = new TokenSeal[RouteKeys.KEY_IDS];
    private final byte[] token = new byte[TokenSeal.BODY_AT + IPV6_BODY + TokenSeal.TAG_LENGTH];

    public RouteTokens(RouteKeys keys) {
        for (int id = 0; id < RouteKeys.KEY_IDS; id++) {
            if (keys.has(id)) {
                seals[id] = new TokenSeal(keys.key(id));
            }
        }
    }

    /** Mints the first ufrag of a session, of generation 0. */
    public String mint(
            int keyId,
            long sessionIdHigh,
            long sessionIdLow,
            int clusterId,
            long addressHigh,
            long addressLow,
            int port) {
        return mint(
                keyId, sessionIdHigh, sessionIdLow, clusterId, addressHigh, addressLow, port, 0);
    }

    /**
     * Mints a ufrag of a session; the same arguments give the same ufrag.
     *
     * @param keyId which key seals it
     * @param sessionIdHigh high 8 bytes of the random session id
     * @param sessionIdLow low 8 bytes
     * @param clusterId cluster of the transceiver, 0..65535
     * @param addressHigh high 8 bytes of the transceiver's address, IPv4 as IPv4-mapped
     * @param addressLow low 8 bytes
     * @param port the transceiver's UDP port
     * @param generation restarts before, counted modulo {@link #GENERATIONS}
     * @throws IllegalArgumentException when there is no such key, or a number is out of range
     */
    public String mint(
            int keyId,
            long sessionIdHigh,
            long sessionIdLow,
            int clusterId,
            long addressHigh,
            long addressLow,
            int port,
            int generation) {
        TokenSeal seal = keyId >= 0 && keyId < RouteKeys.KEY_IDS ? seals[keyId] : null;
        if (seal == null) {
            throw new IllegalArgumentException("no route key with id " + keyId);
        }
        if (clusterId >>> 16 != 0 || port >>> 16 != 0) {
            throw new IllegalArgumentException("cluster id and port are 0..65535");
        }
        boolean ipv4 = addressHigh == 0 && addressLow >>> 32 == IPV4_MAPPED;
        token[0] = (byte) ((VERSION << 5) | (ipv4 ? 0 : IPV6_FLAG) | keyId);
        write(1, sessionIdHigh, 8);
        write(9, sessionIdLow, 8);
        write(TokenSeal.BODY_AT, clusterId, 2);
        int addressAt = TokenSeal.BODY_AT + 2;
        int bodyLength = ipv4 ? IPV4_BODY : IPV6_BODY;
        if (ipv4) {
            write(addressAt, addressLow, 4);
        } else {
            write(addressAt, addressHigh, 8);
            write(addressAt + 8, addressLow, 8);
        }
        write(TokenSeal.BODY_AT + bodyLength - 2, port, 2);
        seal.seal(token, bodyLength);
        byte[] whole = Arrays.copyOf(token, TokenSeal.BODY_AT + bodyLength + TokenSeal.TAG_LENGTH);
        byte[] text = Base64.getEncoder().withoutPadding().encode(whole);
        int last = SEXTETS[text[text.length - 1]] | Math.floorMod(generation, GENERATIONS);
        text[text.length - 1] = ALPHABET[last];
        return new String(text, StandardCharsets.US_ASCII);
    }

    /**
     * Opens the characters of a server ufrag.
     *
     * @param bytes holds the ufrag; only absolute reads, position and limit stay
     * @param offset where it begins
     * @param length its characters
     * @param into filled when the answer is {@link RouteVerdict#OPENED}, untouched otherwise
     */
    public RouteVerdict open(ByteBuffer bytes, int offset, int length, RouteToken into) {
        if (length != IPV4_LENGTH && length != IPV6_LENGTH) {
            return RouteVerdict.BAD_LENGTH;
        }
        if (!decode(bytes, offset, length)) {
            return RouteVerdict.BAD_ALPHABET;
        }
        int header = token[0] & 0xFF;
        if (header >>> 5 != VERSION) {
            return RouteVerdict.BAD_VERSION;
        }
        boolean ipv4 = (header & IPV6_FLAG) == 0;
        if (length != (ipv4 ? IPV4_LENGTH : IPV6_LENGTH)) {
            return RouteVerdict.BAD_LENGTH;
        }
        int keyId = header & 0x0F;
        TokenSeal seal = seals[keyId];
        if (seal == null) {
            return RouteVerdict.UNKNOWN_KEY;
        }
        int bodyLength = ipv4 ? IPV4_BODY : IPV6_BODY;
        if (!seal.open(token, bodyLength)) {
            return RouteVerdict.FORGED;
        }
        int addressAt = TokenSeal.BODY_AT + 2;
        into.set(
                keyId,
                read(1, 8),
                read(9, 8),
                (int) read(TokenSeal.BODY_AT, 2),
                ipv4 ? 0 : read(addressAt, 8),
                ipv4 ? (IPV4_MAPPED << 32) | read(addressAt, 4) : read(addressAt + 8, 8),
                (int) read(TokenSeal.BODY_AT + bodyLength - 2, 2));
        return RouteVerdict.OPENED;
    }

    /** Both lengths are two characters more than a multiple of four: one byte stands at the end. */
    private boolean decode(ByteBuffer bytes, int offset, int length) {
        int bits = 0;
        int gathered = 0;
        int at = 0;
        for (int i = offset; i < offset + length; i++) {
            int sextet = SEXTETS[bytes.get(i) & 0xFF];
            if (sextet == NOT_BASE64) {
                return false;
            }
            gathered = (gathered << 6) | sextet;
            bits += 6;
            if (bits >= 8) {
                bits -= 8;
                token[at++] = (byte) (gathered >>> bits);
            }
        }
        // Departs from RFC 4648 3.5, by which the bits behind the last byte are zero: they are the
        // generation, and a route is the same in all of them.
        return true;
    }

    private void write(int at, long value, int length) {
        for (int i = 0; i < length; i++) {
            token[at + i] = (byte) (value >>> (8 * (length - 1 - i)));
        }
    }

    private long read(int at, int length) {
        long value = 0;
        for (int i = at; i < at + length; i++) {
            value = (value << 8) | (token[i] & 0xFF);
        }
        return value;
    }

    private static byte[] sextets() {
        byte[] table = new byte[256];
        Arrays.fill(table, NOT_BASE64);
        for (int i = 0; i < ALPHABET.length; i++) {
            table[ALPHABET[i]] = (byte) i;
        }
        return table;
    }
}
