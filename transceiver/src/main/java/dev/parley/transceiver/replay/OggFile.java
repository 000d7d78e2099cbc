package dev.parley.transceiver.replay;

import dev.parley.transceiver.replay.RecordedCall.UnreadableException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the packets of an Ogg Opus file, RFC 3533 and RFC 7845; of several streams the first. */
final class OggFile {
    private static final int HEADER_BYTES = 27;
    private static final int HEADER_PACKETS = 2;
    private static final byte[] CAPTURE = "OggS".getBytes(StandardCharsets.US_ASCII);
    private static final String OPUS_HEAD = "OpusHead";

    private final Path file;
    private final ByteBuffer bytes;
    private final List<byte[]> packets = new ArrayList<>();
    private final ByteArrayOutputStream packet = new ByteArrayOutputStream();
    private int serial;
    private boolean begun;

    private OggFile(Path file, ByteBuffer bytes) {
        this.file = file;
        this.bytes = bytes;
    }

    /** All packets with audio, in order. What was cut off at the file's end is left out. */
    static List<byte[]> packets(Path file) throws IOException, UnreadableException {
        OggFile read =
                new OggFile(
                        file,
                        ByteBuffer.wrap(WholeFile.bytes(file)).order(ByteOrder.LITTLE_ENDIAN));
        while (read.page()) {
            // Each adds its packets.
        }
        if (read.packets.isEmpty() || !startsWith(read.packets.getFirst(), OPUS_HEAD)) {
            throw new UnreadableException(file, "is no Ogg Opus file");
        }
        int headers = Math.min(HEADER_PACKETS, read.packets.size());
        return List.copyOf(read.packets.subList(headers, read.packets.size()));
    }

    private static boolean startsWith(byte[] packet, String word) {
        return new String(packet, StandardCharsets.ISO_8859_1).startsWith(word);
    }

    /** Reads one page; false at the end of what can be read. */
    private boolean page() throws UnreadableException {
        int at = bytes.position();
        if (bytes.remaining() < HEADER_BYTES) {
            return false;
        }
        for (int i = 0; i < CAPTURE.length; i++) {
            if (bytes.get(at + i) != CAPTURE[i]) {
                throw new UnreadableException(file, "is no Ogg file, or broken at byte " + at);
            }
        }
        int pageSerial = bytes.getInt(at + 14);
        int segments = bytes.get(at + HEADER_BYTES - 1) & 0xFF;
        int body = at + HEADER_BYTES + segments;
        if (body > bytes.limit()) {
            return false;
        }
        if (!begun) {
            serial = pageSerial;
            begun = true;
        }
        for (int i = 0; i < segments; i++) {
            int length = bytes.get(at + HEADER_BYTES + i) & 0xFF;
            if (body + length > bytes.limit()) {
                return false;
            }
            if (pageSerial == serial) {
                segment(body, length);
            }
            body += length;
        }
        bytes.position(body);
        return true;
    }

    private void segment(int at, int length) {
        byte[] piece = new byte[length];
        bytes.get(at, piece);
        packet.writeBytes(piece);
        if (length < 255) {
            packets.add(packet.toByteArray());
            packet.reset();
        }
    }
}
