package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a call's spans tell of it. */
class CallStoryTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final Rig rig = Rig.withOpus();
    private final Peer peer = rig.client("actpass", PLACE);

    @AfterEach
    void close() {
        rig.close();
    }

    private List<SpanData> spans() {
        return rig.traces().spans(rig.traces().ids().getFirst());
    }

    private SpanData span(String name) {
        return spans().stream()
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anInterruptedAnswerShowsWhereItWasCut() {
        rig.connect(peer);
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        for (int i = 0; i < 50; i++) {
            call.say("r1", (byte) 0xF8, (byte) i, (byte) 0x11);
        }
        rig.advanceUntil(() -> peer.speech().size() >= 10);
        call.clear("r1");
        rig.advanceUntil(() -> span("parley.response").hasEnded());

        SpanData response = span("parley.response");
        assertThat(response.getEvents()).extracting(EventData::getName).contains("parley.barge_in");
        assertThat(response.getAttributes().get(AttributeKey.stringKey("gen_ai.response.id")))
                .isEqualTo("r1");
        assertThat(span("parley.first_audio_down").hasEnded()).isTrue();
        assertThat(span("parley.setup").getStatus().getStatusCode()).isEqualTo(StatusCode.UNSET);
        assertThat(span("parley.call").getEvents())
                .extracting(EventData::getName)
                .contains("parley.path.selected");
        assertThat(span("parley.call").hasEnded()).isFalse();
    }
}
