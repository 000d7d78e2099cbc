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
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
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

    private static final String KEYS = "0123456789*#ABCD";

    /** A year, beyond which no recording goes and no number is rounded. */
    private static final double MAX_MILLIS = 365 * 86_400_000.0;

    private static final double MAX_SAMPLES = MAX_MILLIS * (InputClock.RATE_HZ / 1_000);

    /** What a datagram can bring. */
    private static final int MAX_PACKET_BYTES = 65_535;

    /** RFC 6716 3.1: a packet of Opus has 120 ms at most; one of G.711 as many bytes as fit. */
    private static final int MAX_PACKET_SAMPLES = MAX_PACKET_BYTES * 6;

    private final Path file;
    private final List<Moment> moments = new ArrayList<>();
    private ClientCodec codec = ClientCodec.OPUS;
    private SessionStart start = SessionStart.getDefaultInstance();
    private List<byte[]> opus = List.of();
    private byte[] g711 = new byte[0];
    private @Nullable Path audio;
    private int number;

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
        } catch (CharacterCodingException _) {
            throw new UnreadableException(file, "is no text in UTF-8");
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
        List<String> lines = Files.readAllLines(WholeFile.fitting(file));
        for (int i = 0; i < lines.size(); i++) {
            number = i + 1;
            JsonNode line;
            try {
                line = MAPPER.readTree(lines.get(i));
            } catch (JsonProcessingException _) {
                if (number == lines.size()) {
                    break; // Its process was killed in the middle of it.
                }
                throw atFault("holds no JSON");
            }
            take(line);
        }
        if (start.getModel().isEmpty()) {
            throw new UnreadableException(file, "is no recording: it has no session_start");
        }
        return new RecordedCall(codec, start, List.copyOf(moments));
    }

    private void take(JsonNode line) throws IOException, UnreadableException {
        long at = Math.round(number(line, "ms", 0, MAX_MILLIS) * 1e6);
        if (line.has("audio")) {
            audio(line.path("audio"));
        } else if (line.has("input")) {
            packet(at, line.path("input"));
        } else if (line.has("client")) {
            moments.add(new ClientSaid(at, request(line.path("client"))));
        } else if (line.has("key")) {
            key(at, line.path("key"));
        } else if (line.path("edge").has("session_start")) {
            start = request(line.path("edge")).getSessionStart();
        }
    }

    /** A field of a recording, which anybody may have written. */
    private double number(JsonNode in, String name, double least, double most)
            throws UnreadableException {
        JsonNode field = in.path(name);
        double value = field.asDouble(Double.NaN);
        if (value >= least && value <= most) {
            return value;
        }
        throw atFault(
                name
                        + " is "
                        + (field.isMissingNode() ? "missing" : field)
                        + ", which is no number from "
                        + (long) least
                        + " to "
                        + (long) most);
    }

    private int whole(JsonNode in, String name, int least, int most) throws UnreadableException {
        return (int) number(in, name, least, most);
    }

    private UnreadableException atFault(String why) {
        return new UnreadableException(file, "line " + number + ": " + why);
    }

    private void key(long at, JsonNode told) throws UnreadableException {
        String digit = told.path("digit").asText();
        if (digit.length() != 1 || KEYS.indexOf(digit) < 0) {
            throw atFault("digit is \"" + digit + "\", which is none of " + KEYS);
        }
        moments.add(
                new KeyPressed(
                        at, digit.charAt(0), whole(told, "duration_ms", 0, Integer.MAX_VALUE)));
    }

    private ConverseRequest request(JsonNode json) throws UnreadableException {
        ConverseRequest.Builder request = ConverseRequest.newBuilder();
        try {
            JsonFormat.parser().ignoringUnknownFields().merge(json.toString(), request);
        } catch (InvalidProtocolBufferException e) {
            throw atFault(String.valueOf(e.getMessage()));
        }
        return request.build();
    }

    private void audio(JsonNode told) throws IOException, UnreadableException {
        try {
            codec = ClientCodec.valueOf(told.path("codec").asText().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException _) {
            throw atFault("the codec " + told.path("codec") + " is unknown");
        }
        Path beside = beside(told.path("input").asText());
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

    /** A recording is read with the files beside it and no other. */
    private Path beside(String name) throws UnreadableException {
        try {
            Path path = Path.of(name);
            if (!name.isEmpty() && path.equals(path.getFileName()) && !name.equals("..")) {
                return file.resolveSibling(path);
            }
        } catch (InvalidPathException _) {
            // Said below.
        }
        throw atFault("input is \"" + name + "\", which is no file beside it");
    }

    private void packet(long at, JsonNode told) throws UnreadableException {
        int place = whole(told, "file_at", -1, Integer.MAX_VALUE);
        int length = whole(told, "bytes", 0, MAX_PACKET_BYTES);
        if (place < 0) {
            return;
        }
        byte[] bytes;
        if (codec == ClientCodec.OPUS && place < opus.size()) {
            bytes = opus.get(place);
        } else if (codec != ClientCodec.OPUS && place <= g711.length - length) {
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
                                (long) number(told, "at", 0, MAX_SAMPLES),
                                whole(told, "samples", 0, MAX_PACKET_SAMPLES),
                                told.has("lost") ? whole(told, "lost", 0, Integer.MAX_VALUE) : 0,
                                optional(told, "level", 255),
                                optional(told, "voice", 1))));
    }

    private int optional(JsonNode told, String name, int most) throws UnreadableException {
        return told.has(name) ? whole(told, name, 0, most) : InputPacket.UNKNOWN;
    }
}
