package dev.parley.transceiver.control;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.sdp.SdpException;
import dev.parley.rtc.sdp.SdpOffer;
import dev.parley.transceiver.peer.Peer;
import org.junit.jupiter.api.Test;

/** What of a client's offer decides how its audio is made. */
class OutputNegotiationTest {
    private static Output of(String fmtp, String... lines) throws SdpException {
        String offer =
                new Peer("actpass", 1, _ -> {})
                        .offer()
                        .replace("minptime=10;useinbandfec=1", fmtp)
                        .replace("a=rtcp-mux", String.join("\r\n", lines) + "\r\na=rtcp-mux")
                        .replace("\r\n\r\n", "\r\n");
        return Output.of(SdpOffer.parse(offer), OutputSettings.DEFAULT);
    }

    @Test
    void makesPacketsAsTheClientWantsThem() throws SdpException {
        assertThat(of("minptime=10", "a=ptime:60").format().packetMillis()).isEqualTo(60);
        assertThat(of("minptime=10", "a=ptime:30").format().packetMillis()).isEqualTo(20);
        assertThat(of("minptime=10", "a=ptime:3").format().packetMillis()).isEqualTo(10);
        assertThat(of("minptime=10", "a=ptime:120").format().packetMillis()).isEqualTo(60);
        assertThat(of("minptime=10").format().packetMillis()).isEqualTo(20);
    }

    @Test
    void makesNoPacketLongerThanTheClientTakesNorShorterThanItWants() throws SdpException {
        assertThat(of("x=1", "a=maxptime:10").format().packetMillis()).isEqualTo(10);
        assertThat(of("x=1", "a=maxptime:60").format().packetMillis()).isEqualTo(20);
        assertThat(of("minptime=40").format().packetMillis()).isEqualTo(40);
        assertThat(of("minptime=40", "a=maxptime:20").format().packetMillis()).isEqualTo(20);
        assertThat(of("x=1", "a=ptime:60", "a=maxptime:40").format().packetMillis()).isEqualTo(40);
    }

    @Test
    void leavesPacketsOutWhenTheClientPrefersDtx() throws SdpException {
        assertThat(of("usedtx=1").format().dtx()).isTrue();
        assertThat(of("usedtx=1").encoder().dtx()).isTrue();
        assertThat(of("usedtx=0").format().dtx()).isFalse();
    }
}
