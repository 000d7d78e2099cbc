package dev.parley.rtc.sctp;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The state cookie, RFC 9260 5.1.3: all that an INIT and our INIT ACK have said, authenticated with
 * a key that lives as long as the association.
 */
record StateCookie(
        long createdNanos,
        int localTag,
        int localInitialTsn,
        int localTieTag,
        int peerTieTag,
        int peerTag,
        int peerWindow,
        int peerOutboundStreams,
        int peerInboundStreams,
        int peerInitialTsn,
        int peerFeatures) {
    private static final int CONTENT_LENGTH = 48;
    private static final int MAC_LENGTH = 32;
    private static final String ALGORITHM = "HmacSHA256";

    /** Makes and checks cookies. */
    static final class Seal {
        private final SecretKeySpec key;

        Seal(RandomGenerator random) {
            byte[] secret = new byte[MAC_LENGTH];
            random.nextBytes(secret);
            key = new SecretKeySpec(secret, ALGORITHM);
        }

        byte[] seal(StateCookie cookie) {
            byte[] content = cookie.content();
            byte[] sealed = Arrays.copyOf(content, CONTENT_LENGTH + MAC_LENGTH);
            System.arraycopy(mac(content), 0, sealed, CONTENT_LENGTH, MAC_LENGTH);
            return sealed;
        }

        /** Answers null unless this has made the cookie. */
        @Nullable StateCookie find(byte[] bytes, int at, int length) {
            if (length != CONTENT_LENGTH + MAC_LENGTH) {
                return null;
            }
            byte[] content = Arrays.copyOfRange(bytes, at, at + CONTENT_LENGTH);
            byte[] mac = Arrays.copyOfRange(bytes, at + CONTENT_LENGTH, at + length);
            return MessageDigest.isEqual(mac, mac(content)) ? parse(content) : null;
        }

        private byte[] mac(byte[] content) {
            try {
                Mac mac = Mac.getInstance(ALGORITHM);
                mac.init(key);
                return mac.doFinal(content);
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("Every JDK has " + ALGORITHM, e);
            }
        }
    }

    static StateCookie of(
            long nowNanos,
            int localTag,
            int localInitialTsn,
            int localTieTag,
            int peerTieTag,
            PeerInit peer) {
        return new StateCookie(
                nowNanos,
                localTag,
                localInitialTsn,
                localTieTag,
                peerTieTag,
                peer.tag(),
                peer.window(),
                peer.outboundStreams(),
                peer.inboundStreams(),
                peer.initialTsn(),
                peer.features().bits());
    }

    /** The peer as its INIT described it. */
    PeerInit peer() {
        return new PeerInit(
                peerTag,
                peerWindow,
                peerOutboundStreams,
                peerInboundStreams,
                peerInitialTsn,
                PeerInit.Features.ofBits(peerFeatures),
                null,
                new byte[0]);
    }

    private byte[] content() {
        byte[] bytes = new byte[CONTENT_LENGTH];
        Wire.put64(bytes, 0, createdNanos);
        Wire.put32(bytes, 8, localTag);
        Wire.put32(bytes, 12, localInitialTsn);
        Wire.put32(bytes, 16, localTieTag);
        Wire.put32(bytes, 20, peerTieTag);
        Wire.put32(bytes, 24, peerTag);
        Wire.put32(bytes, 28, peerWindow);
        Wire.put32(bytes, 32, peerOutboundStreams);
        Wire.put32(bytes, 36, peerInboundStreams);
        Wire.put32(bytes, 40, peerInitialTsn);
        Wire.put32(bytes, 44, peerFeatures);
        return bytes;
    }

    private static StateCookie parse(byte[] bytes) {
        return new StateCookie(
                Wire.i64(bytes, 0),
                Wire.i32(bytes, 8),
                Wire.i32(bytes, 12),
                Wire.i32(bytes, 16),
                Wire.i32(bytes, 20),
                Wire.i32(bytes, 24),
                Wire.i32(bytes, 28),
                Wire.i32(bytes, 32),
                Wire.i32(bytes, 36),
                Wire.i32(bytes, 40),
                Wire.i32(bytes, 44));
    }
}
