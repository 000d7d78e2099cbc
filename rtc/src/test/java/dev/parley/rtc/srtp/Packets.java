package dev.parley.rtc.srtp;

import java.nio.ByteBuffer;

/** Packets, keys and buffers for the tests of this package. */
final class Packets {
    /** Where packets lie in the buffers: anywhere but at the start. */
    static final int OFFSET = 64;

    static final int SSRC = 0x1234_5678;

    private Packets() {}

    static SrtpKeys keys(SrtpProfile profile) {
        return keys(profile, 1);
    }

    static SrtpKeys keys(SrtpProfile profile, int seed) {
        byte[] key = new byte[SrtpProfile.KEY_LENGTH];
        byte[] salt = new byte[profile.saltLength()];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) (seed * 31 + i);
        }
        for (int i = 0; i < salt.length; i++) {
            salt[i] = (byte) (seed * 57 - i);
        }
        return new SrtpKeys(profile, key, salt);
    }

    /** Writes a packet with a payload that its sequence number determines; answers its length. */
    static int rtp(ByteBuffer buffer, int ssrc, int sequenceNumber, int payloadLength) {
        buffer.put(OFFSET, (byte) 0x80);
        buffer.put(OFFSET + 1, (byte) 111);
        buffer.putShort(OFFSET + 2, (short) sequenceNumber);
        buffer.putInt(OFFSET + 4, sequenceNumber * 960);
        buffer.putInt(OFFSET + 8, ssrc);
        for (int i = 0; i < payloadLength; i++) {
            buffer.put(OFFSET + 12 + i, (byte) (sequenceNumber + i));
        }
        return 12 + payloadLength;
    }

    /** Writes a receiver report without blocks, then a payload to fill it up. */
    static int rtcp(ByteBuffer buffer, int ssrc, int payloadLength) {
        buffer.put(OFFSET, (byte) 0x80);
        buffer.put(OFFSET + 1, (byte) 201);
        buffer.putShort(OFFSET + 2, (short) (1 + payloadLength / 4));
        buffer.putInt(OFFSET + 4, ssrc);
        for (int i = 0; i < payloadLength; i++) {
            buffer.put(OFFSET + 8 + i, (byte) i);
        }
        return 8 + payloadLength;
    }

    static byte[] bytes(ByteBuffer buffer, int length) {
        byte[] bytes = new byte[length];
        buffer.get(OFFSET, bytes);
        return bytes;
    }

    static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(4096);
    }
}
