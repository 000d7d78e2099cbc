package dev.parley.app.load;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Takes the packets out of an Ogg file with one stream, RFC 3533 6. */
final class OggPackets {
    private static final int HEADER_BYTES = 27;
    private static final int FULL_SEGMENT = 255;

    private OggPackets() {}

    /**
     * The packets in order, those of the headers among them.
     *
     * @throws IllegalArgumentException when the bytes are no Ogg pages
     */
    static List<byte[]> of(byte[] file) {
        List<byte[]> packets = new ArrayList<>();
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        for (int at = 0; at < file.length; ) {
            if (!isPage(file, at)) {
                throw new IllegalArgumentException("it is neither a WAV nor an Ogg file");
            }
            int segments = file[at + HEADER_BYTES - 1] & 0xFF;
            int body = at + HEADER_BYTES + segments;
            for (int i = 0; i < segments; i++) {
                int length = file[at + HEADER_BYTES + i] & 0xFF;
                if (body + length > file.length) {
                    return packets;
                }
                packet.write(file, body, length);
                body += length;
                if (length < FULL_SEGMENT) {
                    packets.add(packet.toByteArray());
                    packet.reset();
                }
            }
            at = body;
        }
        return packets;
    }

    private static boolean isPage(byte[] file, int at) {
        return at + HEADER_BYTES <= file.length
                && file[at] == 'O'
                && file[at + 1] == 'g'
                && file[at + 2] == 'g'
                && file[at + 3] == 'S'
                && at + HEADER_BYTES + (file[at + HEADER_BYTES - 1] & 0xFF) <= file.length;
    }
}
