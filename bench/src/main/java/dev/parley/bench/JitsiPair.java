package dev.parley.bench;

import dev.parley.rtc.srtp.SrtpProfile;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jitsi.srtp.SrtpContextFactory;
import org.jitsi.srtp.SrtpCryptoContext;
import org.jitsi.srtp.SrtpErrorStatus;
import org.jitsi.srtp.SrtpPolicy;
import org.jitsi.utils.ByteArrayBuffer;
import org.jitsi.utils.logging2.LoggerImpl;

/** A sender and a receiver of jitsi-srtp with one packet between them. */
final class JitsiPair {
    // Tells on each start which of its providers is the fastest. Held, or it would be forgotten.
    private static final Logger CHATTER = Logger.getLogger("org.jitsi");

    static {
        CHATTER.setLevel(Level.WARNING);
    }

    private final SrtpCryptoContext sender;
    private final SrtpCryptoContext receiver;
    private final PacketBuffer packet = new PacketBuffer();

    JitsiPair(SrtpProfile profile, byte[] key, byte[] salt) {
        try {
            sender = context(true, profile, key, salt);
            receiver = context(false, profile, key, salt);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("jitsi-srtp does not start", e);
        }
    }

    private static SrtpCryptoContext context(
            boolean sends, SrtpProfile profile, byte[] key, byte[] salt)
            throws GeneralSecurityException {
        return new SrtpContextFactory(
                        sends,
                        key,
                        salt,
                        policy(profile),
                        policy(profile),
                        new LoggerImpl(JitsiPair.class.getName()))
                .deriveContext(0x1234_5678, 0);
    }

    private static SrtpPolicy policy(SrtpProfile profile) {
        return switch (profile) {
            case AEAD_AES_128_GCM -> new SrtpPolicy(SrtpPolicy.AESGCM_ENCRYPTION, 16, 0, 0, 16, 12);
            case AES128_CM_SHA1_80 ->
                    new SrtpPolicy(
                            SrtpPolicy.AESCM_ENCRYPTION,
                            16,
                            SrtpPolicy.HMACSHA1_AUTHENTICATION,
                            20,
                            10,
                            14);
        };
    }

    /** Copies the first {@code length} bytes. */
    void setPacket(ByteBuffer from, int length) {
        from.get(0, packet.bytes, 0, length);
        packet.length = length;
    }

    /** Protects and unprotects the packet; answers its length. */
    int roundTrip(int sequenceNumber) throws GeneralSecurityException {
        packet.bytes[2] = (byte) (sequenceNumber >> 8);
        packet.bytes[3] = (byte) sequenceNumber;
        if (sender.transformPacket(packet) != SrtpErrorStatus.OK
                || receiver.reverseTransformPacket(packet, false) != SrtpErrorStatus.OK) {
            throw new IllegalStateException("jitsi-srtp refuses its own packet");
        }
        return packet.length;
    }

    /** What jitsi-srtp works on. */
    private static final class PacketBuffer implements ByteArrayBuffer {
        final byte[] bytes = new byte[2048];
        int length;

        @Override
        public byte[] getBuffer() {
            return bytes;
        }

        @Override
        public int getOffset() {
            return 0;
        }

        @Override
        public int getLength() {
            return length;
        }

        @Override
        public void setLength(int length) {
            this.length = length;
        }

        @Override
        public void setOffset(int offset) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isInvalid() {
            return false;
        }

        @Override
        public void readRegionToBuff(int offset, int count, byte[] into) {
            System.arraycopy(bytes, offset, into, 0, count);
        }

        @Override
        public void grow(int count) {}

        @Override
        public void append(byte[] data, int count) {
            System.arraycopy(data, 0, bytes, length, count);
            length += count;
        }

        @Override
        public void shrink(int count) {
            length -= count;
        }
    }
}
