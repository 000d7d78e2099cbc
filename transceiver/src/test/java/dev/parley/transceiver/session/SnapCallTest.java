package dev.parley.transceiver.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sctp.SctpInit;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data channels whose association SDP has set up, draft-hancke-tsvwg-snap. */
class SnapCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), false);

    private final Rig rig = Rig.withOpus();
    private final SctpInit own = SctpInit.of(SctpConfig.DEFAULT, new Random(3));

    @AfterEach
    void close() {
        rig.close();
    }

    private String heard() {
        return rig.agent()
                .awaitCall()
                .await(ConverseRequest::hasClientEvent)
                .getClientEvent()
                .getText();
    }

    @ParameterizedTest
    @ValueSource(strings = {"actpass", "active"})
    void theAssociationStandsWhenDtlsDoes(String setup) {
        Peer peer = rig.client(setup, PLACE).withSctpInit(own.text());
        DataClient client = new DataClient(rig, peer, own);

        DataChannel channel = client.open("events");
        client.send(channel, false, "hello".getBytes(UTF_8));
        client.until(() -> client.association.bufferedBytes() == 0);

        assertThat(heard()).isEqualTo("hello");
    }

    @Test
    void aClientThatOffersNoneIsAnsweredNoneAndShakesHands() {
        DataClient client = new DataClient(rig, rig.client("actpass", PLACE).withDataChannels());

        client.send(client.open("events"), false, "hello".getBytes(UTF_8));
        client.until(() -> client.association.bufferedBytes() == 0);

        assertThat(client.peer.answeredInit()).isNull();
        assertThat(heard()).isEqualTo("hello");
    }

    @ParameterizedTest
    @ValueSource(strings = {"AAAA", "no base64", "AQAAFAAAAAAAAAAAAAAAAAAAAAA="})
    void anInitThatIsNoneIsNotAnswered(String invalid) {
        DataClient client = new DataClient(rig, rig.client("actpass", PLACE).withSctpInit(invalid));

        client.send(client.open("events"), false, "hello".getBytes(UTF_8));
        client.until(() -> client.association.bufferedBytes() == 0);

        assertThat(client.peer.answeredInit()).isNull();
        assertThat(heard()).isEqualTo("hello");
    }
}
