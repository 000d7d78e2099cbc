package dev.parley.rtc.datachannel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.datachannel.DataChannels.Sent;
import dev.parley.rtc.sctp.Reliability;
import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimLink;
import dev.parley.rtc.sim.SimNetwork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataChannelsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final DataChannels.Limits LIMITS =
            new DataChannels.Limits(1_000, 100_000, 262_144);
    private static final SimLink CLEAN = new SimLink(0, 0, 0, 20_000_000L, 0);
    private static final SimLink LOSSY = new SimLink(0.1, 0.05, 0, 40_000_000L, 60_000_000L);

    private SimNetwork network = new SimNetwork(1, CLEAN);
    private ChannelHost client = host(LIMITS, true, 1, 2);
    private ChannelHost server = host(LIMITS, false, 2, 1);

    private ChannelHost host(DataChannels.Limits limits, boolean dtlsClient, int own, int peer) {
        return new ChannelHost(
                limits, dtlsClient, network, SimAddress.of(own, 1), SimAddress.of(peer, 1));
    }

    private void connect(long seed, SimLink link, DataChannels.Limits serverLimits) {
        network = new SimNetwork(seed, link);
        client = host(LIMITS, true, 1, 2);
        server = host(serverLimits, false, 2, 1);
        connect();
    }

    private void connect() {
        for (ChannelHost host : List.of(client, server)) {
            host.channels.association().connect(host.now());
            host.settle();
        }
        network.run(5 * SECOND);
        client.events.clear();
        server.events.clear();
    }

    private DataChannel open(ChannelHost by, String label) {
        DataChannel channel =
                Objects.requireNonNull(
                        by.channels.open(label, "", true, Reliability.RELIABLE, by.now()));
        by.settle();
        return channel;
    }

    private Sent send(ChannelHost by, DataChannel channel, boolean binary, byte[] payload) {
        Sent sent = by.channels.send(channel, binary, payload, by.now());
        by.settle();
        return sent;
    }

    private void close(ChannelHost by, DataChannel channel) {
        by.channels.close(channel);
        by.settle();
    }

    @Test
    void opensAChannelOnAnEvenStreamAndTalksBothWays() {
        connect();
        DataChannel ours =
                Objects.requireNonNull(
                        client.channels.open(
                                "Ereignisse \u00e4\u00f6\u00fc \ud83d\ude00",
                                "proto",
                                false,
                                Reliability.retransmissions(3),
                                client.now()));
        client.settle();
        assertThat(send(client, ours, false, "hello".getBytes(UTF_8))).isEqualTo(Sent.ACCEPTED);
        network.run(SECOND);

        DataChannel theirs = server.events(ChannelEvent.Opened.class).getFirst().channel();
        assertThat(theirs.id()).isZero();
        assertThat(theirs.label()).isEqualTo("Ereignisse \u00e4\u00f6\u00fc \ud83d\ude00");
        assertThat(theirs.protocol()).isEqualTo("proto");
        assertThat(theirs.ordered()).isFalse();
        assertThat(theirs.reliability()).isEqualTo(Reliability.retransmissions(3));
        assertThat(client.events(ChannelEvent.Opened.class)).hasSize(1);
        send(server, theirs, true, new byte[] {1, 2});
        send(server, theirs, true, new byte[0]);
        send(server, theirs, false, new byte[0]);
        network.run(SECOND);

        assertThat(server.events(ChannelEvent.Message.class))
                .extracting(m -> new String(m.payload(), UTF_8))
                .containsExactly("hello");
        assertThat(client.events(ChannelEvent.Message.class))
                .extracting(m -> m.binary() + Arrays.toString(m.payload()))
                .containsExactlyInAnyOrder("true[1, 2]", "true[]", "false[]");
    }

    @Test
    void theServerOpensOddStreams() {
        connect();
        assertThat(open(server, "a").id()).isEqualTo(1);
        assertThat(open(server, "b").id()).isEqualTo(3);
        network.run(SECOND);
        assertThat(client.channels.all()).extracting(DataChannel::label).containsExactly("a", "b");
    }

    @ParameterizedTest(name = "seed = {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    void bothOpenAtOnceBeforeTheAssociationStandsAndWhileOneCloses(long seed) {
        network = new SimNetwork(seed, LOSSY);
        client = host(LIMITS, true, 1, 2);
        server = host(LIMITS, false, 2, 1);
        for (ChannelHost host : List.of(client, server)) {
            host.channels.association().connect(host.now());
            send(host, open(host, "same"), false, "first".getBytes(UTF_8));
        }
        network.run(30 * SECOND);
        for (ChannelHost host : List.of(client, server)) {
            assertThat(host.channels.all())
                    .extracting(DataChannel::id)
                    .containsExactlyInAnyOrder(0, 1);
            assertThat(host.channels.all()).extracting(DataChannel::label).containsOnly("same");
            assertThat(host.events(ChannelEvent.Message.class)).hasSize(1);
        }

        close(client, client.channels.all().getFirst());
        open(client, "next");
        open(server, "next");
        network.run(60 * SECOND);
        for (ChannelHost host : List.of(client, server)) {
            assertThat(host.channels.all())
                    .extracting(DataChannel::label)
                    .containsExactlyInAnyOrder("same", "next", "next");
        }
    }

    @Test
    void aNegotiatedChannelSendsNoOpen() {
        connect();
        DataChannel ours =
                Objects.requireNonNull(
                        client.channels.negotiated(7, "both know", "", true, Reliability.RELIABLE));
        DataChannel theirs =
                Objects.requireNonNull(
                        server.channels.negotiated(7, "both know", "", true, Reliability.RELIABLE));
        send(client, ours, false, "x".getBytes(UTF_8));
        network.run(SECOND);
        assertThat(server.events).hasSize(1);
        assertThat(server.events(ChannelEvent.Message.class).getFirst().channel()).isSameAs(theirs);
    }

    @Test
    void aMessageWithoutAnOpeningMakesAChannelWhereThatIsWanted() {
        connect();
        server.channels.takeUnannounced();
        DataChannel ours =
                Objects.requireNonNull(
                        client.channels.negotiated(7, "ours", "", true, Reliability.RELIABLE));
        send(client, ours, false, "x".getBytes(UTF_8));
        network.run(SECOND);
        DataChannel theirs = server.channels.all().getFirst();
        assertThat(theirs.label()).isEqualTo("id:7");
        assertThat(server.events(ChannelEvent.Message.class)).hasSize(1);
        send(server, theirs, false, "y".getBytes(UTF_8));
        network.run(SECOND);
        assertThat(client.events(ChannelEvent.Message.class)).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void aChannelThatIsClosedByEitherSideIsGoneOnBothAfterItsLastMessage(long seed) {
        connect(seed, LOSSY, LIMITS);
        for (ChannelHost closing : List.of(client, server)) {
            DataChannel channel = open(client, "c");
            network.run(5 * SECOND);
            DataChannel own = closing == client ? channel : server.channels.all().getFirst();
            for (int i = 0; i < 20; i++) {
                send(closing, own, true, new byte[10_000]);
            }
            close(closing, own);
            assertThat(send(closing, own, true, new byte[1])).isEqualTo(Sent.CLOSED);
            network.run(60 * SECOND);

            ChannelHost other = closing == client ? server : client;
            assertThat(other.events(ChannelEvent.Message.class)).hasSize(20);
            assertThat(other.events.getLast()).isInstanceOf(ChannelEvent.Closed.class);
            assertThat(closing.events.getLast()).isInstanceOf(ChannelEvent.Closed.class);
            assertThat(client.channels.all()).isEmpty();
            assertThat(server.channels.all()).isEmpty();
            client.events.clear();
            server.events.clear();
        }
    }

    @Test
    void bothCloseAtOnceAndTheStreamCanBeUsedAgain() {
        connect();
        for (int i = 0; i < 20; i++) {
            DataChannel ours = open(client, "c" + i);
            network.run(SECOND);
            assertThat(ours.id()).isZero();
            DataChannel theirs = server.channels.all().getFirst();
            close(client, ours);
            close(server, theirs);
            network.run(SECOND);
            assertThat(client.events(ChannelEvent.Closed.class)).hasSize(1);
            assertThat(server.events(ChannelEvent.Closed.class)).hasSize(1);
            client.events.clear();
            server.events.clear();
        }
    }

    @Test
    void aThousandChannelsOneAfterTheOtherLeaveNothing() {
        connect(3, LOSSY, LIMITS);
        for (int i = 0; i < 1_000; i++) {
            DataChannel channel = open(client, "c" + i);
            send(client, channel, false, ("m" + i).getBytes(UTF_8));
            if (i % 2 == 0) {
                network.run(SECOND / 5);
            }
            close(client, channel);
            network.run(SECOND / 10);
        }
        network.run(60 * SECOND);

        assertThat(server.events(ChannelEvent.Message.class))
                .extracting(m -> new String(m.payload(), UTF_8))
                .hasSize(1_000)
                .doesNotHaveDuplicates();
        for (ChannelHost host : List.of(client, server)) {
            assertThat(host.channels.all()).isEmpty();
            assertThat(host.events(ChannelEvent.Closed.class)).hasSize(1_000);
            assertThat(host.channels.association().bufferedBytes()).isZero();
        }
        // All streams are free again.
        assertThat(open(client, "next").id()).isZero();
    }

    @Test
    void anEchoUnderLoadKeepsOrder() {
        connect(5, LOSSY, LIMITS);
        server.onEvent(
                event -> {
                    if (event instanceof ChannelEvent.Message m) {
                        server.channels.send(m.channel(), m.binary(), m.payload(), server.now());
                    }
                });
        DataChannel channel = open(client, "echo");
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            byte[] payload = new byte[i % 20 == 0 ? 20_000 : 200];
            payload[0] = (byte) i;
            if (send(client, channel, true, payload) == Sent.ACCEPTED) {
                sent.add(payload);
            }
            network.run(SECOND / 100);
        }
        network.run(120 * SECOND);
        assertThat(client.events(ChannelEvent.Message.class).stream().map(m -> m.payload()))
                .usingRecursiveFieldByFieldElementComparator()
                .containsExactlyElementsOf(sent);
    }

    @Test
    void refusesWhatIsLongerThanThePeerTakes() {
        connect();
        DataChannel channel = open(client, "c");
        assertThat(send(client, channel, true, new byte[262_145])).isEqualTo(Sent.TOO_LONG);
        assertThat(send(client, channel, true, new byte[262_144])).isEqualTo(Sent.ACCEPTED);
        network.run(20 * SECOND);
        assertThat(server.events(ChannelEvent.Message.class)).hasSize(1);
    }

    @Test
    void aMessageLongerThanWeTakeClosesItsChannelAndNoOther() {
        network = new SimNetwork(1, CLEAN);
        client = host(new DataChannels.Limits(10, 1_000, 0), true, 1, 2);
        server = host(LIMITS, false, 2, 1);
        connect();
        DataChannel channel = open(client, "long");
        DataChannel other = open(client, "other");
        assertThat(send(client, channel, true, new byte[300_000])).isEqualTo(Sent.ACCEPTED);
        network.run(20 * SECOND);
        assertThat(server.channels.drops(ChannelDrop.TOO_LONG)).isEqualTo(1);
        assertThat(client.channels.all()).containsExactly(other);
        send(client, other, true, new byte[1]);
        network.run(SECOND);
        assertThat(server.events(ChannelEvent.Message.class)).hasSize(1);
    }

    @Test
    void refusesMoreChannelsThanAllowedByResettingThem() {
        connect(1, CLEAN, new DataChannels.Limits(2, 1_000, 0));
        open(client, "a");
        open(client, "b");
        DataChannel third = open(client, "c");
        network.run(5 * SECOND);
        assertThat(third.state()).isEqualTo(DataChannel.State.CLOSED);
        assertThat(client.channels.all()).hasSize(2);
        assertThat(server.channels.drops(ChannelDrop.TOO_MANY_CHANNELS)).isEqualTo(1);
    }

    @Test
    void refusesOpeningsThatDoNotParse() {
        assertThat(DcepOpen.find(new byte[0])).isNull();
        byte[] open = new DcepOpen(true, Reliability.lifetime(5_000_000), "l", "p").bytes();
        assertThat(DcepOpen.find(open))
                .isEqualTo(new DcepOpen(true, Reliability.lifetime(5_000_000), "l", "p"));
        assertThat(DcepOpen.find(Arrays.copyOf(open, open.length - 1))).isNull();
        assertThat(DcepOpen.find(Arrays.copyOf(open, open.length + 1))).isNull();
        byte[] type = open.clone();
        type[1] = 5;
        assertThat(DcepOpen.find(type)).isNull();
        byte[] label = open.clone();
        label[12] = (byte) 0xFF;
        assertThat(DcepOpen.find(label)).as("no UTF-8").isNull();
    }

    @Test
    void theEndOfTheAssociationClosesAllChannels() {
        connect();
        open(client, "a");
        open(server, "b");
        network.run(SECOND);
        client.channels.association().shutdown(client.now());
        client.settle();
        network.run(5 * SECOND);
        for (ChannelHost host : List.of(client, server)) {
            assertThat(host.events(ChannelEvent.Closed.class)).hasSize(2);
            assertThat(host.events.getLast()).isInstanceOf(ChannelEvent.Ended.class);
        }
    }
}
