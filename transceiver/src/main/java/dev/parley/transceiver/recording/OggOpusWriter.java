package dev.parley.transceiver.recording;

import dev.parley.transceiver.audio.OpusPacket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes the Opus packets of one direction of a call as an Ogg file, RFC 3533 and RFC 7845. Packets
 * stand where their clock puts them, to 2.5 ms: for what was lost or never sent stand packets that
 * say so. One thread owns it.
 */
final class OggOpusWriter implements PacketFile {
    private static final int HEADER_BYTES = 27;
    private static final int MAX_SEGMENTS = 255;

    /** A page a second, so that no more is missing of a file whose process was killed. */
    private static final int PAGE_SAMPLES = OpusPacket.CLOCK_RATE_HZ;

    /** Opus' unit, 2.5 ms. */
    private static final int UNIT_SAMPLES = 120;

    private static final int FIRST_PAGE = 2;
    private static final int LAST_PAGE = 4;

    /** RFC 6716 3.2.5: code 3, as many frames as the next byte says. */
    private static final int COUNTED_FRAMES = 3;

    private final OutputStream out;
    private final OpusPacket opus = new OpusPacket();
    private final int serial;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final byte[] lacing = new byte[MAX_SEGMENTS];
    private int segments;
    private int pages;
    private int packets;
    private long written;
    private long granule;
    private long pageFrom;
    private boolean headed;

    /** RFC 6716 table 2: the coder and bandwidth of the last packet, with frames of 20 ms. */
    private int fillerToc = 31 << 3;

    private int fillerFrameSamples = 960;

    /**
     * @param serial tells the stream from others that a file may hold
     */
    OggOpusWriter(OutputStream out, int serial) {
        this.out = out;
        this.serial = serial;
    }

    @Override
    public long add(byte[] packet, long atSamples, int samples) throws IOException {
        boolean readable = opus.wrap(ByteBuffer.wrap(packet), 0, packet.length);
        if (!headed) {
            writeHeaders(readable && opus.stereo() ? 2 : 1);
            headed = true;
        }
        fill(atSamples);
        if (!readable || packet.length > MAX_SEGMENTS * MAX_SEGMENTS / 2) {
            // A player would lose its place over it.
            return -1;
        }
        append(packet, opus.durationSamples());
        fillerToc = packet[0] & 0xFC;
        fillerFrameSamples = opus.frameSamples();
        return packets++;
    }

    /**
     * RFC 7845 4.1: in the place of packets that are missing stand packets with empty frames, which
     * a decoder conceals, and which keep to the coder that was in use.
     */
    private void fill(long until) throws IOException {
        while (until - granule >= UNIT_SAMPLES) {
            long missing = until - granule;
            if (missing < fillerFrameSamples) {
                // Shorter than a frame of that kind: CELT has frames of every length.
                int size = missing >= 480 ? 2 : missing >= 240 ? 1 : 0;
                append(new byte[] {(byte) ((28 + size) << 3)}, UNIT_SAMPLES << size);
            } else {
                int frames =
                        (int) Math.min(5_760 / fillerFrameSamples, missing / fillerFrameSamples);
                append(
                        new byte[] {(byte) (fillerToc | COUNTED_FRAMES), (byte) frames},
                        frames * fillerFrameSamples);
            }
            packets++;
        }
    }

    @Override
    public long bytes() {
        return written + HEADER_BYTES + segments + body.size();
    }

    private void append(byte[] packet, int samples) throws IOException {
        int needed = packet.length / MAX_SEGMENTS + 1;
        if (segments + needed > MAX_SEGMENTS || granule - pageFrom >= PAGE_SAMPLES) {
            writePage(0);
        }
        for (int left = packet.length; left >= 0; left -= MAX_SEGMENTS) {
            lacing[segments++] = (byte) Math.min(left, MAX_SEGMENTS);
        }
        body.writeBytes(packet);
        granule += samples;
    }

    /** RFC 7845 5.1 and 5.2: what it is, and who made it, each on a page of its own. */
    private void writeHeaders(int channels) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(19).order(ByteOrder.LITTLE_ENDIAN);
        head.put("OpusHead".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 1)
                .put((byte) channels)
                // Nothing is skipped: the first sample stands at 0 of its clock.
                .putShort((short) 0)
                .putInt(OpusPacket.CLOCK_RATE_HZ)
                .putShort((short) 0)
                .put((byte) 0);
        append(head.array(), 0);
        writePage(FIRST_PAGE);
        byte[] vendor = "parley".getBytes(StandardCharsets.US_ASCII);
        ByteBuffer tags = ByteBuffer.allocate(16 + vendor.length).order(ByteOrder.LITTLE_ENDIAN);
        tags.put("OpusTags".getBytes(StandardCharsets.US_ASCII))
                .putInt(vendor.length)
                .put(vendor)
                .putInt(0);
        append(tags.array(), 0);
        writePage(0);
    }

    /** RFC 3533 6. */
    private void writePage(int flags) throws IOException {
        ByteBuffer page =
                ByteBuffer.allocate(HEADER_BYTES + segments + body.size())
                        .order(ByteOrder.LITTLE_ENDIAN);
        page.put("OggS".getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0)
                .put((byte) flags)
                .putLong(granule)
                .putInt(serial)
                .putInt(pages++)
                .putInt(0)
                .put((byte) segments)
                .put(lacing, 0, segments)
                .put(body.toByteArray());
        page.putInt(22, OggCrc.of(page.array()));
        out.write(page.array());
        written += page.capacity();
        body.reset();
        segments = 0;
        pageFrom = granule;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            if (headed) {
                writePage(LAST_PAGE);
            }
        }
    }
}
