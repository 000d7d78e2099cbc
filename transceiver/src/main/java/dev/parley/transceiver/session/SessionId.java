package dev.parley.transceiver.session;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** The 16 random bytes that name a call; they are its trace id as well, so never all zero. */
public record SessionId(long high, long low) {
    public static final int BYTES = 16;

    /** A new one. */
    public static SessionId random(RandomGenerator random) {
        long high = random.nextLong();
        long low = random.nextLong();
        return (high | low) == 0 ? random(random) : new SessionId(high, low);
    }

    /**
     * Reads the wire form.
     *
     * @throws IllegalArgumentException unless there are 16 bytes
     */
    public static SessionId of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a session id has 16 bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new SessionId(buffer.getLong(), buffer.getLong());
    }

    /** Whether it is all zero, which no id may be. */
    public boolean isZero() {
        return (high | low) == 0;
    }

    public byte[] bytes() {
        return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    }

    /** 32 lower-case hexadecimal digits. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }
}
