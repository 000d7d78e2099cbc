package dev.parley.transceiver.recording;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import dev.parley.transceiver.audio.ClientCodec;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The files of one recorded call: {@code NAME.jsonl} with a line for everything that happened, and
 * beside it the packets of each direction. Owned by the thread of {@link Recordings}.
 */
final class TapeWriter implements AutoCloseable {
    /** Recordings are personal data. */
    private static final FileAttribute<?>[] PRIVATE =
            FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                    ? new FileAttribute<?>[] {
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------"))
                    }
                    : new FileAttribute<?>[0];

    private static final JsonFormat.Printer PRINTER =
            JsonFormat.printer().omittingInsignificantWhitespace().preservingProtoFieldNames();

    private final Path folder;
    private final String name;
    private final OutputStream lines;
    private ClientCodec codec = ClientCodec.OPUS;
    private @Nullable PacketFile input;
    private @Nullable PacketFile output;
    private long lineBytes;

    /**
     * @param at the moment that all times are counted from
     */
    TapeWriter(Path folder, String name, Instant at) throws IOException {
        this.folder = folder;
        this.name = name;
        this.lines = new BufferedOutputStream(Channels.newOutputStream(create(".jsonl")));
        line(0, "recording", "{\"version\":1,\"time\":\"" + at + "\"}");
    }

    private SeekableByteChannel create(String ending) throws IOException {
        return Files.newByteChannel(
                folder.resolve(name + ending),
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PRIVATE);
    }

    /** Writes an entry down. */
    void write(TapeEntry entry) throws IOException {
        long at = entry.nanos() - entry.tape().begunNanos();
        switch (entry) {
            case TapeEntry.Packet packet -> packet(packet, at);
            case TapeEntry.Said said ->
                    line(at, said.by().name().toLowerCase(Locale.ROOT), json(said.message()));
            case TapeEntry.Key key ->
                    line(
                            at,
                            "key",
                            "{\"digit\":\"%c\",\"duration_ms\":%d}"
                                    .formatted(key.key(), key.durationMillis()));
            case TapeEntry.Note note -> line(at, "note", quoted(note.text()));
            case TapeEntry.Codec said -> codec(said.codec(), at);
            case TapeEntry.End _ -> line(at, "end", "true");
        }
    }

    /** Says how many entries before this were left out. */
    void leftOut(long count, long atNanos) throws IOException {
        line(atNanos, "left_out", Long.toString(count));
    }

    /** Says that nothing follows although the call goes on. */
    void brokenOff(String why, long atNanos) throws IOException {
        line(atNanos, "broken_off", quoted(why));
    }

    private void codec(ClientCodec agreed, long at) throws IOException {
        codec = agreed;
        line(
                at,
                "audio",
                "{\"codec\":\"%s\",\"input\":\"%s\",\"output\":\"%s\"}"
                        .formatted(
                                agreed.name().toLowerCase(Locale.ROOT),
                                name + ending("input"),
                                name + ending("output")));
    }

    private String ending(String direction) {
        return "." + direction + (codec == ClientCodec.OPUS ? ".opus" : ".wav");
    }

    private void packet(TapeEntry.Packet packet, long at) throws IOException {
        PacketFile file = packet.input() ? input : output;
        if (file == null) {
            file = open(packet.input() ? "input" : "output");
            if (packet.input()) {
                input = file;
            } else {
                output = file;
            }
        }
        long place = file.add(packet.payload(), packet.atSamples(), packet.samples());
        StringBuilder told =
                new StringBuilder("{\"file_at\":")
                        .append(place)
                        .append(",\"at\":")
                        .append(packet.atSamples())
                        .append(",\"samples\":")
                        .append(packet.samples())
                        .append(",\"bytes\":")
                        .append(packet.payload().length);
        append(told, "lost", packet.lostSamples(), 1);
        append(told, "level", packet.audioLevel(), 0);
        append(told, "voice", packet.voice(), 0);
        line(at, packet.input() ? "input" : "output", told.append('}').toString());
    }

    private static void append(StringBuilder told, String key, int value, int least) {
        if (value >= least) {
            told.append(",\"").append(key).append("\":").append(value);
        }
    }

    private PacketFile open(String direction) throws IOException {
        return PacketFile.of(create(ending(direction)), codec);
    }

    private static String json(Message message) throws InvalidProtocolBufferException {
        return PRINTER.print(message);
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append("\\u%04x".formatted((int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }

    private void line(long atNanos, String kind, String json) throws IOException {
        String text =
                String.format(Locale.ROOT, "{\"ms\":%.3f,\"%s\":%s}%n", atNanos / 1e6, kind, json);
        byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
        lines.write(encoded);
        lineBytes += encoded.length;
    }

    /** Lets others see what was written so far. */
    void flush() throws IOException {
        lines.flush();
    }

    /** Bytes written so far, about. */
    long bytes() {
        return lineBytes + bytes(input) + bytes(output);
    }

    private static long bytes(@Nullable PacketFile file) {
        return file == null ? 0 : file.bytes();
    }

    @Override
    public void close() throws IOException {
        try (OutputStream _ = lines;
                PacketFile _ = input;
                PacketFile _ = output) {
            lines.flush();
        }
    }
}
