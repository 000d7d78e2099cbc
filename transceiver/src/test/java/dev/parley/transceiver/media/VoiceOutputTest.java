package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.audio.VoiceEncoder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VoiceOutputTest {
    private static final InferenceFormat FORMAT = new InferenceFormat(Encoding.LINEAR16, 24_000);
    private static final int FRAME_BYTES = 960;
    private static final int FRAMES = 25;

    private final byte[] audio = noise();
    private final OutputInbox inbox = new OutputInbox(() -> {});
    private final PlayedItem item = new PlayedItem("r", "i");

    @ParameterizedTest
    @ValueSource(ints = {FRAMES * FRAME_BYTES, 9_600, FRAME_BYTES, 1_000, 38})
    void encodesTheSameAudioHoweverItIsCutIntoMessages(int messageBytes) {
        List<ByteString> messages = new ArrayList<>();
        for (int at = 0; at < audio.length; at += messageBytes) {
            messages.add(ByteString.copyFrom(audio, at, Math.min(messageBytes, audio.length - at)));
        }
        assertThat(output(messages)).isEqualTo(expected());
    }

    @Test
    void encodesMessagesThatArePartsOfOneArray() {
        ByteString whole = ByteString.copyFrom(audio);
        List<ByteString> messages =
                List.of(whole.substring(0, 5_000), whole.substring(5_000, audio.length));
        assertThat(output(messages)).isEqualTo(expected());
    }

    private List<String> output(List<ByteString> messages) {
        List<String> packets = new ArrayList<>();
        try (VoiceOutput output = new VoiceOutput(FORMAT, 20, this::encoder, inbox, (_, _) -> {})) {
            for (ByteString message : messages) {
                output.audio(item, message, message.size() / 2);
            }
            while (output.runOnce(0)) {
                for (OutputItem next = inbox.poll(); next != null; next = inbox.poll()) {
                    inbox.left(1);
                    packets.add(HexFormat.of().formatHex(((OutputItem.Frame) next).payload()));
                }
            }
        }
        return packets;
    }

    private List<String> expected() {
        List<String> packets = new ArrayList<>();
        try (VoiceEncoder encoder = encoder()) {
            encoder.encode(
                    ByteBuffer.wrap(audio),
                    0,
                    audio.length,
                    (bytes, offset, length) -> {
                        byte[] packet = new byte[length];
                        bytes.get(offset, packet);
                        packets.add(HexFormat.of().formatHex(packet));
                    });
        }
        assertThat(packets).hasSize(FRAMES).doesNotHaveDuplicates();
        return packets;
    }

    private VoiceEncoder encoder() {
        return new VoiceEncoder(OpusLibrary.best(), FORMAT, OpusSettings.VOICE);
    }

    private static byte[] noise() {
        byte[] bytes = new byte[FRAMES * FRAME_BYTES];
        new Random(1).nextBytes(bytes);
        return bytes;
    }
}
