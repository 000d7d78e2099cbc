package dev.parley.transceiver.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.CloseChannel;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.rtc.datachannel.ChannelEvent;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.transceiver.inference.EventClient;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data channels of a call, from the client to inference and back. */
class DataCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final List<SessionStart> started = new CopyOnWriteArrayList<>();
    private final Rig rig = new Rig(new FakeVoiceAgent(this::accept, false), Rig.LIMITS, 600_000);

    private Object accept(SessionStart start) {
        started.add(start);
        return FakeVoiceAgent.opus().apply(start);
    }

    @AfterEach
    void close() {
        rig.close();
    }

    private DataClient connect(String setup) {
        return connect(rig.client(setup, PLACE).withDataChannels());
    }

    private DataClient connect(Peer peer) {
        return new DataClient(rig, peer);
    }

    private static ConverseResponse text(String channel, String text) {
        return ConverseResponse.newBuilder()
                .setServerEvent(ServerEvent.newBuilder().setChannel(channel).setText(text))
                .build();
    }

    private static ClientEvent await(FakeVoiceAgent.Call call) {
        return call.await(ConverseRequest::hasClientEvent).getClientEvent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void sctpBeginsInTheTurnInWhichDtlsIsDone(String setup) throws InterruptedException {
        Peer peer = rig.client(setup, PLACE).withDataChannels();
        rig.connect(peer);

        byte[] first = peer.data().poll(10, TimeUnit.SECONDS);

        // RFC 9260 3.3.2: behind the common header of 12 bytes an INIT, whose type is 1
        assertThat(first).isNotNull();
        assertThat(first[12]).isEqualTo((byte) 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void messagesReachInferenceAndTheClientVerbatim(String setup) {
        DataClient client = connect(setup);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        DataChannel channel = client.open("oai-events");
        byte[] longest = new byte[262_144];
        new Random(1).nextBytes(longest);
        client.send(channel, false, "{\"type\":\"gr\u00fc\u00df\"}".getBytes(UTF_8));
        client.send(channel, true, new byte[] {0, -1});
        client.send(channel, false, new byte[0]);
        client.send(channel, true, new byte[0]);
        client.send(channel, true, longest);
        client.until(() -> client.association.bufferedBytes() == 0);

        assertThat(call.await(ConverseRequest::hasChannelOpened).getChannelOpened().getChannel())
                .isEqualTo("oai-events");
        assertThat(await(call).getText()).isEqualTo("{\"type\":\"gr\u00fc\u00df\"}");
        assertThat(await(call).getBinary()).isEqualTo(ByteString.copyFrom(new byte[] {0, -1}));
        ClientEvent empty = await(call);
        assertThat(empty.hasText()).isTrue();
        assertThat(empty.getText()).isEmpty();
        assertThat(await(call).hasBinary()).isTrue();
        assertThat(await(call).getBinary().toByteArray()).isEqualTo(longest);

        call.send(text("", "one"));
        call.send(text("oai-events", "two"));
        client.until(() -> client.messages().size() == 2);
        assertThat(client.messages())
                .extracting(m -> new String(m.payload(), UTF_8))
                .containsExactly("one", "two");
    }

    @Test
    void tellsHowItsChannelsStandAndWhyTheyAreOver() {
        DataClient client = connect("actpass");
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        client.send(client.open("c"), true, new byte[] {1});
        client.until(() -> client.association.bufferedBytes() == 0);
        assertThat(await(call).hasBinary()).isTrue();
        call.send(text("", "one"));
        client.until(() -> client.messages().size() == 1);
        Session session = rig.loop().table().all().getFirst();
        client.until(() -> data(session).contains(" flight=0 buffered=0 "));
        assertThat(data(session))
                .startsWith("established channels=1 messages=2 received=")
                .endsWith(" up=0/0 down=0");

        client.association.abort("enough");
        client.until(() -> data(session).startsWith("ended"));
        assertThat(data(session)).startsWith("ended (aborted_by_peer: ").contains("enough");
    }

    private String data(Session session) {
        return String.valueOf(session.snapshot(rig.now()).data());
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void aCallWithoutAudioIsOneOfEventsOnly(String setup) {
        DataClient client = connect(rig.client(setup, PLACE).withDataChannelsOnly());
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        assertThat(started.get(0).getMedia())
                .isEqualTo(CallMedia.newBuilder().setDataChannels(true).build());
        DataChannel channel = client.open("c");
        client.send(channel, false, "up".getBytes(UTF_8));
        client.until(() -> client.association.bufferedBytes() == 0);
        assertThat(await(call).getText()).isEqualTo("up");
        call.send(text("", "down"));
        client.until(() -> client.messages().size() == 1);

        // What is said all the same is heard by nobody, but the agent need not know that.
        for (int i = 0; i < 5; i++) {
            call.say("r", (byte) 0xF8, (byte) 1);
        }
        client.until(() -> call.received().stream().anyMatch(ConverseRequest::hasPlaybackStopped));
        assertThat(client.peer.received()).isEmpty();
        assertThat(client.peer.rtcpReceived()).isEmpty();

        client.peer.closeDtls();
        client.until(() -> rig.calls().count() == 0);
    }

    @Test
    void othersOfTheCallSeeWhatItsClientSaysAndSpeakBesideIt() {
        DataClient client = connect(rig.client("actpass", PLACE).withDataChannels());
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        BlockingQueue<ClientEvent> seen = new LinkedBlockingQueue<>();
        EventClient other =
                new EventClient() {
                    @Override
                    public void event(ServerEvent event) {}

                    @Override
                    public void said(ClientEvent event) {
                        seen.add(event);
                    }

                    @Override
                    public void ended() {}
                };
        InferenceCall inference = rig.loop().table().all().getFirst().inference();
        inference.attach(other);
        DataChannel channel = client.open("c");
        client.send(channel, true, new byte[] {0, -1});
        client.until(() -> !seen.isEmpty());
        assertThat(seen.remove())
                .isEqualTo(
                        ClientEvent.newBuilder()
                                .setChannel("c")
                                .setBinary(ByteString.copyFrom(new byte[] {0, -1}))
                                .build());
        assertThat(await(call).getChannel()).isEqualTo("c");

        ClientEvent raw =
                ClientEvent.newBuilder().setBinary(ByteString.copyFromUtf8("raw")).build();
        assertThat(inference.offerEvent(other, raw)).isTrue();
        assertThat(await(call)).isEqualTo(raw);
        inference.detach(other);
        assertThat(inference.offerEvent(other, raw)).isFalse();
    }

    @Test
    void aCallOfEventsOnlyEndsWhenNobodySaysAnything() {
        DataClient client = connect(rig.client("actpass", PLACE).withDataChannelsOnly());
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        DataChannel channel = client.open("c");
        long began = rig.now();
        while (rig.now() - began < 9 * 60_000_000_000L) {
            rig.advance(500);
            client.step();
        }
        client.send(channel, false, "still here".getBytes(UTF_8));
        while (rig.now() - began < 18 * 60_000_000_000L) {
            rig.advance(500);
            client.step();
        }
        assertThat(rig.calls().count()).isOne();
        while (rig.calls().count() > 0 && rig.now() - began < 20 * 60_000_000_000L) {
            client.step();
            rig.advance(500);
        }
        assertThat(call.await(ConverseRequest::hasSessionEnd).getSessionEnd().getReason())
                .isEqualTo(EndReason.END_REASON_IDLE_TIMEOUT);
    }

    @Test
    void whatIsSaidBeforeAChannelIsThereWaitsForIt() {
        DataClient client = connect("actpass");
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        call.send(text("", "session.created"));
        for (int i = 0; i < 20; i++) {
            rig.advance(20);
            client.step();
        }
        client.open("late");
        client.until(() -> client.messages().size() == 1);
        assertThat(new String(client.messages().getFirst().payload(), UTF_8))
                .isEqualTo("session.created");
    }

    @Test
    void inferenceClosesAChannelBehindWhatItSaid() {
        DataClient client = connect("actpass");
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        client.open("c");
        call.send(text("c", "last"));
        call.send(
                ConverseResponse.newBuilder()
                        .setCloseChannel(CloseChannel.newBuilder().setChannel("c"))
                        .build());
        client.until(() -> client.events.getLast() instanceof ChannelEvent.Closed);
        assertThat(client.messages()).hasSize(1);
        client.until(() -> call.received().stream().anyMatch(ConverseRequest::hasChannelClosed));
    }

    @Test
    void messagesThatTheClientCannotTakeAreCounted() {
        DataClient client = connect("actpass");
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        client.open("c");
        call.send(text("", "x".repeat(100_001)));
        call.send(text("other", "x"));
        client.until(() -> rig.counters().containsKey("event_no_channel"));
        assertThat(rig.counters())
                .containsEntry("event_too_long", 1L)
                .containsEntry("event_no_channel", 1L);
    }

    @Test
    void aClientThatDoesNotReadStopsTheStreamAndLosesNothing() {
        DataClient client = connect("actpass");
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        client.open("c");
        int count = 60;
        for (int i = 0; i < count; i++) {
            call.send(text("c", i + "x".repeat(60_000)));
        }
        // The client is silent: what is not acknowledged stays within bounds on the edge.
        rig.advance(500);
        client.until(() -> client.messages().size() == count);
        for (int i = 0; i < count; i++) {
            assertThat(new String(client.messages().get(i).payload(), UTF_8)).startsWith(i + "x");
        }
    }

    @Test
    void theLastEventOfAnAgentThatHangsUpArrives() {
        DataClient client = connect("actpass");
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        client.open("c");
        call.send(text("c", "bye" + "x".repeat(90_000)));
        call.send(
                ConverseResponse.newBuilder()
                        .setSessionEnd(SessionEnd.getDefaultInstance())
                        .build());
        client.until(() -> client.messages().size() == 1);
        client.until(() -> rig.calls().count() == 0);
    }

    @Test
    void aCallWithoutDataChannelsDropsWhatIsMeantForOne() {
        Peer peer = rig.client("actpass", PLACE);
        rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        for (int i = 0; i < 10; i++) {
            call.send(text("", "x".repeat(60_000)));
        }
        call.send(
                ConverseResponse.newBuilder()
                        .setSessionEnd(SessionEnd.getDefaultInstance())
                        .build());
        rig.advanceUntil(() -> rig.calls().count() == 0);
    }
}
