package dev.parley.relay;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** Makes the datagrams that clients send, for tests. */
final class Checks {
    static final int KEY_ID = 3;
    static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    static final RouteKeys KEYS = RouteKeys.of(Map.of(KEY_ID, KEY));
    static final String KEY_HEX = "30313233343536373839616263646566";

    private static final int FINGERPRINT_ATTRIBUTE = 8;
    private static final RouteTokens TOKENS = new RouteTokens(KEYS);

    private Checks() {}

    /** A server ufrag that leads to a transceiver. */
    static String ufrag(long session, int cluster, Endpoint transceiver) {
        return TOKENS.mint(
                KEY_ID,
                session,
                session << 32,
                cluster,
                transceiver.high(),
                transceiver.low(),
                transceiver.port());
    }

    /** The same with all of the session id given. */
    static String ufragOf(long sessionHigh, long sessionLow, Endpoint transceiver) {
        return TOKENS.mint(
                KEY_ID,
                sessionHigh,
                sessionLow,
                0,
                transceiver.high(),
                transceiver.low(),
                transceiver.port());
    }

    static String ufrag(long session, Endpoint transceiver) {
        return ufrag(session, 0, transceiver);
    }

    /** The ufrag of the same session after so many ICE restarts. */
    static String restartedUfrag(long session, Endpoint transceiver, int restarts) {
        return TOKENS.mint(
                KEY_ID,
                session,
                session << 32,
                0,
                transceiver.high(),
                transceiver.low(),
                transceiver.port(),
                restarts);
    }

    /** A Binding request as a client sends it first. */
    static byte[] request(String serverUfrag) {
        return withUsername(serverUfrag + ":client");
    }

    static byte[] withUsername(String username) {
        ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        int length =
                new StunWriter()
                        .bindingRequest(out, 0, 1, 2)
                        .username(username)
                        .fingerprint()
                        .length();
        return Arrays.copyOf(out.array(), length);
    }

    static byte[] indication() {
        ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        return Arrays.copyOf(
                out.array(), new StunWriter().bindingIndication(out, 0, 1, 2).length());
    }

    /** The same request with an unknown comprehension-optional attribute that fills it up. */
    static byte[] padded(byte[] request, int length) {
        byte[] bytes = Arrays.copyOf(request, length & ~3);
        ByteBuffer out = ByteBuffer.wrap(bytes);
        // In front of FINGERPRINT, which must stay last.
        int at = request.length - FINGERPRINT_ATTRIBUTE;
        out.put(bytes.length - FINGERPRINT_ATTRIBUTE, request, at, FINGERPRINT_ATTRIBUTE);
        Arrays.fill(bytes, at, bytes.length - FINGERPRINT_ATTRIBUTE, (byte) 0);
        out.putShort(at, (short) 0xC057);
        out.putShort(at + 2, (short) (bytes.length - request.length - 4));
        out.putShort(2, (short) (bytes.length - 20));
        return bytes;
    }

    /** Bytes that demultiplex as RTP. */
    static byte[] rtp(int length) {
        byte[] bytes = new byte[length];
        bytes[0] = (byte) 0x80;
        bytes[1] = 111;
        return bytes;
    }
}
