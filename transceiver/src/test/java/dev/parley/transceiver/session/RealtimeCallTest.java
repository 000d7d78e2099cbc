package dev.parley.transceiver.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.parley.proto.inference.v1.AudioEncoding;
import dev.parley.proto.inference.v1.AudioFormat;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EventSurface;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.rtc.datachannel.ChannelEvent;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls of Realtime clients, from the data channel and the audio to inference and back. */
@Timeout(60)
class RealtimeCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);
    private static final byte[] OPUS = {(byte) 0xF8, 1, 2};

    private final Rig rig =
            new Rig(new FakeVoiceAgent(_ -> realtime(), false), Rig.LIMITS, 600_000);

    @AfterEach
    void close() {
        rig.close();
    }

    private static SessionReady realtime() {
        AudioFormat opus =
                AudioFormat.newBuilder().setEncoding(AudioEncoding.AUDIO_ENCODING_OPUS).build();
        return SessionReady.newBuilder()
                .setInputFormat(opus)
                .setOutputFormat(opus)
                .setEventSurface(EventSurface.EVENT_SURFACE_REALTIME)
                .build();
    }

    private DataClient connect() {
        return new DataClient(rig, rig.client("actpass", PLACE).withDataChannels());
    }

    private static List<JsonObject> events(DataClient client, DataChannel channel) {
        return client.messages().stream()
                .filter(message -> message.channel() == channel)
                .map(ChannelEvent.Message::payload)
                .map(bytes -> JsonParser.parseString(new String(bytes, UTF_8)).getAsJsonObject())
                .toList();
    }

    private static List<String> types(DataClient client, DataChannel channel) {
        return events(client, channel).stream()
                .map(event -> event.get("type").getAsString())
                .toList();
    }

    private static void await(DataClient client, DataChannel channel, String type) {
        client.until(() -> types(client, channel).contains(type));
    }

    private static void send(DataClient client, DataChannel channel, String text) {
        client.send(channel, false, text.getBytes(UTF_8));
    }

    @Test
    void aClientIsGreetedFirstWhateverWasSaidBefore() {
        DataClient client = connect();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        call.say("r1", OPUS);
        DataChannel channel = client.open("oai-events");
        await(client, channel, "response.done");

        assertThat(types(client, channel)).startsWith("session.created", "response.created");
        assertThat(types(client, channel).getLast())
                .isIn("response.done", "output_audio_buffer.stopped");
    }

    @Test
    void eventsOfTheClientBecomeMessagesAndErrorsEndNothing() {
        DataClient client = connect();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        DataChannel channel = client.open("oai-events");
        send(client, channel, "{\"type\":\"nonsense\",\"event_id\":\"e1\"}");
        send(client, channel, "\uD800 is no JSON");
        send(client, channel, "{\"type\":\"session.update\",\"session\":{\"instructions\":\"x\"}}");
        await(client, channel, "session.updated");

        assertThat(types(client, channel))
                .containsExactly("session.created", "error", "error", "session.updated");
        assertThat(
                        events(client, channel)
                                .get(1)
                                .getAsJsonObject("error")
                                .get("event_id")
                                .getAsString())
                .isEqualTo("e1");
        assertThat(
                        call.await(ConverseRequest::hasSessionUpdate)
                                .getSessionUpdate()
                                .getSessionJson())
                .contains("\"instructions\":\"x\"");
        assertThat(call.received()).noneMatch(ConverseRequest::hasClientEvent);
    }

    @Test
    void otherChannelsAndMessagesOfTheBackendAreVerbatim() {
        DataClient client = connect();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        DataChannel channel = client.open("oai-events");
        DataChannel other = client.open("other");
        send(client, other, "plain");
        client.until(() -> client.association.bufferedBytes() == 0);
        assertThat(call.await(ConverseRequest::hasClientEvent).getClientEvent().getText())
                .isEqualTo("plain");
        for (String to : List.of("oai-events", "other")) {
            call.send(
                    ConverseResponse.newBuilder()
                            .setServerEvent(
                                    ServerEvent.newBuilder()
                                            .setChannel(to)
                                            .setText("{\"type\":\"mine\"}"))
                            .build());
        }
        await(client, channel, "mine");
        await(client, other, "mine");
    }

    @Test
    void theChannelOfTheRightNameTakesOver() {
        DataClient client = connect();
        var _ = rig.agent().awaitCall();
        DataChannel first = client.open("chat");
        await(client, first, "session.created");
        DataChannel named = client.open("oai-events");
        await(client, named, "session.created");
        send(client, named, "{\"type\":\"session.update\",\"session\":{}}");
        await(client, named, "session.updated");
        assertThat(types(client, first)).containsExactly("session.created");
    }

    @Test
    void whatIsClearedIsToldWithWhatWasHeard() {
        DataClient client = connect();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        DataChannel channel = client.open("oai-events");
        for (int i = 0; i < 200; i++) {
            call.say("r1", "i1", OPUS);
        }
        await(client, channel, "output_audio_buffer.started");
        rig.advance(300);
        send(client, channel, "{\"type\":\"output_audio_buffer.clear\"}");
        await(client, channel, "conversation.item.truncated");

        assertThat(types(client, channel))
                .containsSubsequence(
                        "output_audio_buffer.cleared",
                        "response.done",
                        "conversation.item.truncated");
        assertThat(
                        call.await(ConverseRequest::hasResponseCancelled)
                                .getResponseCancelled()
                                .getResponseId())
                .isEqualTo("r1");
        long heard = events(client, channel).getLast().get("audio_end_ms").getAsLong();
        assertThat(
                        call.await(ConverseRequest::hasPlaybackCleared)
                                .getPlaybackCleared()
                                .getAudioEndMs())
                .isEqualTo(heard)
                .isBetween(300L, 3_999L);
    }

    @Test
    void aClientThatDoesNotReadIsNotAnsweredWithoutEnd() {
        DataClient client = connect();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        DataChannel channel = client.open("oai-events");
        int count = 40;
        String large = "x".repeat(60_000);
        for (int i = 0; i < count; i++) {
            call.send(
                    ConverseResponse.newBuilder()
                            .setServerEvent(
                                    ServerEvent.newBuilder()
                                            .setText("{\"type\":\"n" + i + large + "\"}"))
                            .build());
        }
        rig.advance(500);
        client.until(() -> types(client, channel).size() == count + 1);
        for (int i = 0; i < count; i++) {
            assertThat(types(client, channel).get(i + 1)).startsWith("n" + i + "x");
        }
    }
}
