package dev.parley.transceiver.recording;

import dev.parley.transceiver.audio.G711;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes the G.711 packets of one direction of a call as a WAV file of that law; silence stands for
 * what was lost or never sent. One thread owns it.
 */
final class G711Writer implements PacketFile {
    static final int HEADER_BYTES = 46;
    static final int MULAW_FORMAT = 7;
    static final int ALAW_FORMAT = 6;

    private static final int RATE_HZ = 8_000;
    private static final int SAMPLES_PER_BYTE = 6;
    private static final int MAX_FILL_BYTES = 8_000;

    private final SeekableByteChannel file;
    private final G711 law;
    private long bytes;

    G711Writer(SeekableByteChannel file, G711 law) throws IOException {
        this.file = file;
        this.law = law;
        writeHeader();
    }

    /** The place is a number of bytes from the first sample. */
    @Override
    public long add(byte[] packet, long atSamples, int samples) throws IOException {
        for (long missing = atSamples / SAMPLES_PER_BYTE - bytes; missing > 0; ) {
            byte[] silence = new byte[(int) Math.min(missing, MAX_FILL_BYTES)];
            Arrays.fill(silence, law.encode((short) 0));
            write(silence);
            missing -= silence.length;
        }
        long at = bytes;
        write(packet);
        return at;
    }

    @Override
    public long bytes() {
        return HEADER_BYTES + bytes;
    }

    private void write(byte[] audio) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(audio);
        while (buffer.hasRemaining()) {
            bytes += file.write(buffer);
        }
    }

    /** RIFF WAVE with a format other than PCM: the fmt chunk has a size of extension, 0. */
    private void writeHeader() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        int size = (int) Math.min(bytes, Integer.MAX_VALUE - HEADER_BYTES);
        header.put("RIFF".getBytes(StandardCharsets.US_ASCII))
                .putInt(HEADER_BYTES - 8 + size)
                .put("WAVEfmt ".getBytes(StandardCharsets.US_ASCII))
                .putInt(18)
                .putShort((short) (law == G711.MULAW ? MULAW_FORMAT : ALAW_FORMAT))
                .putShort((short) 1)
                .putInt(RATE_HZ)
                .putInt(RATE_HZ)
                .putShort((short) 1)
                .putShort((short) 8)
                .putShort((short) 0)
                .put("data".getBytes(StandardCharsets.US_ASCII))
                .putInt(size)
                .flip();
        file.position(0);
        while (header.hasRemaining()) {
            var _ = file.write(header);
        }
        file.position(HEADER_BYTES + bytes);
    }

    @Override
    public void close() throws IOException {
        try (file) {
            writeHeader();
        }
    }
}
