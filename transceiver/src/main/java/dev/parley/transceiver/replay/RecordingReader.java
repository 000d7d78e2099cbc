package dev.parley.transceiver.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.OpusPacket;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.replay.RecordedCall.ClientSaid;
import dev.parley.transceiver.replay.RecordedCall.Heard;
import dev.parley.transceiver.replay.RecordedCall.KeyPressed;
import dev.parley.transceiver.replay.RecordedCall.Moment;
import dev.parley.transceiver.replay.RecordedCall.UnreadableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a call to be replayed: the lines of a recording with the audio beside them, or any audio
 * file, which stands for a caller that says just this.
 */
public final class RecordingReader {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final int PACKET_SAMPLES = InputClock.RATE_HZ / 50;

    /** RFC 6716 3.2.1: a packet of at most 2 bytes stands for frames that were not sent. */
    private static final int EMPTY_BYTES = 2;

    private final Path file;
    private final List<Moment> moments = new ArrayList<>();
    private ClientCodec codec = ClientCodec.OPUS;
    private SessionStart start = SessionStart.getDefaultInstance();
    private List<byte[]> opus = List.of();
    private byte[] g711 = new byte[0];
    private @Nullable Path audio;

    private RecordingReader(Path file) {
        this.file = file;
    }

    /** Reads a file by its ending: .jsonl, .opus, .ogg or .wav. */
    public static RecordedCall read(Path file) throws IOException, UnreadableException {
        String name = file.toString().toLowerCase(Locale.ROOT);
        try {
            if (name.endsWith(".jsonl")) {
                return new RecordingReader(file).recording();
            }
            if (name.endsWith(".wav")) {
                WavFile wav = WavFile.read(file);
                return ofPackets(wav.codec(), wav.packets());
            }
            if (name.endsWith(".opus") || name.endsWith(".ogg")) {
                return ofPackets(ClientCodec.OPUS, OggFile.packets(file));
            }
        } catch (NoSuchFileException e) {
            throw new UnreadableException(Path.of(e.getFile()), "is not there");
        }
        throw new UnreadableException(
                file, "is none of .jsonl (a recording), .wav, .opus and .ogg (audio alone)");
    }

    private static RecordedCall ofPackets(ClientCodec codec, List<byte[]> packets) {
        List<Moment> moments = new ArrayList<>();
        OpusPacket opus = new OpusPacket();
        long at = 0;
        for (byte[] packet : packets) {
            boolean isOpus = codec == ClientCodec.OPUS;
            int samples = PACKET_SAMPLES;
            if (isOpus) {
                if (!opus.wrap(ByteBuffer.wrap(packet), 0, packet.length)) {
                    continue;
                }
                samples = opus.durationSamples();
            }
            // A client sends a packet when all of it was said, and none for silence.
            if (!isOpus || packet.length > EMPTY_BYTES) {
                moments.add(
                        new Heard(
                                nanos(at + samples),
                                InputPacket.again(
                                        packet,
                                        at,
                                        samples,
                                        0,
                                        InputPacket.UNKNOWN,
                                        InputPacket.UNKNOWN)));
            }
            at += samples;
        }
        return new RecordedCall(codec, SessionStart.getDefaultInstance(), List.copyOf(moments));
    }

    private static long nanos(long samples) {
        return samples * 1_000_000L / (InputClock.RATE_HZ / 1_000);
    }

    private RecordedCall recording() throws IOException, UnreadableException {
        List<String> lines = Files.readAllLines(file);
        for (int i = 0; i < lines.size(); i++) {
            JsonNode line;
            try {
                line = MAPPER.readTree(lines.get(i));
            } catch (JsonProcessingException _) {
                if (i == lines.size() - 1) {
                    break; // Its process was killed in the middle of it.
                }
                throw new UnreadableException(file, "has no JSON in line " + (i + 1));
            }
            try {
                take(line);
            } catch (InvalidProtocolBufferException e) {
                throw new UnreadableException(file, "line " + (i + 1) + ": " + e.getMessage());
            }
        }
        if (start.getModel().isEmpty()) {
            throw new UnreadableException(file, "is no recording: it has no session_start");
        }
        return new RecordedCall(codec, start, List.copyOf(moments));
    }

    private void take(JsonNode line) throws IOException, UnreadableException {
        long at = Math.round(line.path("ms").asDouble() * 1e6);
        if (line.has("audio")) {
            audio(line.path("audio"));
        } else if (line.has("input")) {
            packet(at, line.path("input"));
        } else if (line.has("client")) {
            moments.add(new ClientSaid(at, request(line.path("client"))));
        } else if (line.has("key")) {
            JsonNode key = line.path("key");
            moments.add(
                    new KeyPressed(
                            at,
                            key.path("digit").asText("0").charAt(0),
                            key.path("duration_ms").asInt()));
        } else if (line.path("edge").has("session_start")) {
            start = request(line.path("edge")).getSessionStart();
        }
    }

    private static ConverseRequest request(JsonNode json) throws InvalidProtocolBufferException {
        ConverseRequest.Builder request = ConverseRequest.newBuilder();
        JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), request);
        return request.build();
    }

    private void audio(JsonNode told) throws IOException, UnreadableException {
        try {
            codec = ClientCodec.valueOf(told.path("codec").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw new UnreadableException(file, "has the unknown codec " + told.path("codec"));
        }
        Path beside = file.resolveSibling(told.path("input").asText());
        audio = beside;
        if (!Files.exists(beside)) {
            return; // The caller was never heard.
        }
        if (codec == ClientCodec.OPUS) {
            opus = OggFile.packets(beside);
        } else {
            g711 = WavFile.read(beside).audio();
        }
    }

    private void packet(long at, JsonNode told) throws UnreadableException {
        int place = told.path("file_at").asInt();
        int length = told.path("bytes").asInt();
        if (place < 0) {
            return;
        }
        byte[] bytes;
        if (codec == ClientCodec.OPUS && place < opus.size()) {
            bytes = opus.get(place);
        } else if (codec != ClientCodec.OPUS && place + length <= g711.length) {
            bytes = new byte[length];
            System.arraycopy(g711, place, bytes, 0, length);
        } else {
            // Lines are written sooner than audio, so those of the last second may be alone.
            return;
        }
        if (bytes.length != length) {
            throw new UnreadableException(file, "does not belong to " + audio);
        }
        moments.add(
                new Heard(
                        at,
                        InputPacket.again(
                                bytes,
                                told.path("at").asLong(),
                                told.path("samples").asInt(),
                                told.path("lost").asInt(),
                                told.path("level").asInt(InputPacket.UNKNOWN),
                                told.path("voice").asInt(InputPacket.UNKNOWN))));
    }
}
