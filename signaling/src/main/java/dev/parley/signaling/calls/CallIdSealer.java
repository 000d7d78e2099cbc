package dev.parley.signaling.calls;

import dev.parley.signaling.pool.CallId;
import dev.parley.signaling.seal.TokenSealer;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/**
 * Seals a {@link CallId} into the {@code rtc_...} token that clients hold, and opens it again, as
 * {@link TokenSealer} describes. What is sealed:
 *
 * <pre>
 *   session id (16) | cluster (2) | owner tag (8) |
 *   address family 4 or 6 (1) | control address (4 or 16) | port (2)
 * </pre>
 *
 * With nonces and keys of its own it cannot be linked to the ufrag that the same session shows on
 * the wire, nor two tokens of one session to each other.
 */
public final class CallIdSealer {
    static final String PREFIX = "rtc_";

    private static final int VERSION = 2;
    private static final int FIXED_BYTES = CallId.SESSION_ID_BYTES + 2 + 8 + 1 + 2;

    private final TokenSealer sealer;

    /**
     * Seals with the first key.
     *
     * @param keys of 16 bytes that all instances share; the first one seals
     * @param random source of nonces
     */
    public CallIdSealer(List<byte[]> keys, SecureRandom random) {
        this.sealer = new TokenSealer(PREFIX, VERSION, "parley call id v2", keys, random);
    }

    String seal(CallId id) {
        byte[] address = id.control().getAddress().getAddress();
        return sealer.seal(
                ByteBuffer.allocate(FIXED_BYTES + address.length)
                        .put(id.sessionIdBytes())
                        .putShort((short) id.cluster())
                        .putLong(id.ownerTag())
                        .put((byte) (id.control().getAddress() instanceof Inet4Address ? 4 : 6))
                        .put(address)
                        .putShort((short) id.control().getPort())
                        .array());
    }

    /** Empty for anything that was not sealed with one of the keys, without saying why. */
    Optional<CallId> open(String token) {
        return sealer.open(token).flatMap(CallIdSealer::read);
    }

    private static Optional<CallId> read(byte[] bytes) {
        ByteBuffer plain = ByteBuffer.wrap(bytes);
        if (bytes.length < FIXED_BYTES) {
            return Optional.empty();
        }
        byte[] sessionId = new byte[CallId.SESSION_ID_BYTES];
        plain.get(sessionId);
        int cluster = Short.toUnsignedInt(plain.getShort());
        long ownerTag = plain.getLong();
        byte[] address = new byte[plain.get() == 4 ? 4 : 16];
        if (plain.remaining() != address.length + 2) {
            return Optional.empty();
        }
        plain.get(address);
        int port = Short.toUnsignedInt(plain.getShort());
        try {
            var control = new InetSocketAddress(InetAddress.getByAddress(address), port);
            CallId id = CallId.of(sessionId, control);
            return Optional.of(new CallId(id.sessionId(), control, cluster, ownerTag));
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are always an address", e);
        }
    }
}
