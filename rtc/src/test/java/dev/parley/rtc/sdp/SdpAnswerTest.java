package dev.parley.rtc.sdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.rtc.ice.IceCredentials;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SdpAnswerTest {
    private static final IceCredentials LOCAL =
            new IceCredentials("I" + "A".repeat(65), "passwordPassword12345678");
    private static final SdpFingerprint FINGERPRINT =
            new SdpFingerprint("sha-256", "AB" + ":CD".repeat(31));
    private static final List<SdpCandidate> RELAYS =
            List.of(
                    new SdpCandidate("203.0.113.10", 3478),
                    new SdpCandidate("2001:db8:ffff:ffff:ffff:ffff:ffff:fff1", 3478));

    @Test
    void answersChromiumWithExactlyThis() throws SdpException {
        SdpAnswer answer = answer(SdpOffer.parse(Offers.named("chromium-156")));

        assertThat(answer.text().lines())
                .containsExactly(
                        "v=0",
                        "o=- 4711 1 IN IP4 0.0.0.0",
                        "s=-",
                        "t=0 0",
                        "a=group:BUNDLE 0 1",
                        "a=ice-lite",
                        "a=extmap-allow-mixed",
                        "m=audio 3478 UDP/TLS/RTP/SAVPF 111 110",
                        "c=IN IP4 203.0.113.10",
                        "a=mid:0",
                        "a=sendrecv",
                        "a=rtcp-mux",
                        "a=rtpmap:111 opus/48000/2",
                        "a=fmtp:111 minptime=10;useinbandfec=1",
                        "a=rtpmap:110 telephone-event/48000",
                        "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level",
                        "a=ice-ufrag:" + LOCAL.ufrag(),
                        "a=ice-pwd:" + LOCAL.password(),
                        "a=fingerprint:sha-256 " + FINGERPRINT.value(),
                        "a=setup:active",
                        "a=candidate:1 1 udp 2130706431 203.0.113.10 3478 typ host",
                        "a=candidate:2 1 udp 2130706175 2001:db8:ffff:ffff:ffff:ffff:ffff:fff1 3478"
                                + " typ host",
                        "a=end-of-candidates",
                        "a=msid:stream track",
                        "a=ssrc:4294967295 cname:edge",
                        "m=application 3478 UDP/DTLS/SCTP webrtc-datachannel",
                        "c=IN IP4 203.0.113.10",
                        "a=mid:1",
                        "a=sctp-port:5000",
                        "a=max-message-size:262144",
                        "a=ice-ufrag:" + LOCAL.ufrag(),
                        "a=ice-pwd:" + LOCAL.password(),
                        "a=fingerprint:sha-256 " + FINGERPRINT.value(),
                        "a=setup:active");
        assertThat(answer.data()).isEqualTo(new SdpData(5_000, 262_144));
    }

    @Test
    void tellsTheCandidatesInADataSectionThatLeadsTheGroup() throws SdpException {
        String offer =
                Offers.named("chromium-156").replace("a=group:BUNDLE 0 1", "a=group:BUNDLE 1 0");
        String text = answer(SdpOffer.parse(offer)).text();
        assertThat(text).contains("a=group:BUNDLE 1 0\r\n");
        assertThat(text.substring(text.indexOf("m=application")))
                .contains("a=ice-ufrag:", "a=fingerprint:", "a=setup:active", "a=candidate:");
    }

    @Test
    void refusesDataThatNeedsItsOwnTransportOrCannotBeUnderstood() throws SdpException {
        String chromium = Offers.named("chromium-156");
        for (String offer :
                List.of(
                        chromium.replace("a=group:BUNDLE 0 1", "a=group:BUNDLE 0"),
                        chromium.replaceAll("a=sctp-port:\\d+", "a=x:y"),
                        chromium.replaceAll("a=sctp-port:\\d+", "a=sctp-port:0"),
                        chromium.replaceAll(
                                "a=sctp-port:\\d+", "a=sctpmap:5000 webrtc-datachannel"))) {
            SdpAnswer answer = answer(SdpOffer.parse(offer));
            assertThat(answer.data()).isNull();
            assertThat(answer.text())
                    .contains("m=application 0 UDP/DTLS/SCTP webrtc-datachannel\r\n");
        }
    }

    @Test
    void answersADataSectionOfOldAsItIsWritten() throws SdpException {
        SdpAnswer answer = answer(SdpOffer.parse(Offers.named("aiortc-1.4")));
        assertThat(answer.data()).isEqualTo(new SdpData(5_000, 65_536));
        assertThat(answer.text())
                .contains(
                        "m=application 3478 DTLS/SCTP 5000\r\n",
                        "a=sctpmap:5000 webrtc-datachannel 65535\r\n")
                .doesNotContain("a=sctp-port");
    }

    @Test
    void answersDataChannelsAlone() throws SdpException {
        SdpAnswer answer = answer(SdpOffer.parse(Offers.named("firefox-esr-153-data-only")));

        assertThat(answer.formats()).isEqualTo(SdpFormats.WITHOUT_AUDIO);
        assertThat(answer.data()).isEqualTo(new SdpData(5_000, 1_073_741_823));
        assertThat(answer.text())
                .contains(
                        "a=group:BUNDLE 0\r\n",
                        "m=application 3478 UDP/DTLS/SCTP webrtc-datachannel\r\n",
                        "a=candidate:")
                .doesNotContain("m=audio", "a=rtcp-mux", "a=msid", "a=ssrc");
    }

    @Test
    void takesTheDefaultWhereTheLargestMessageIsNotSaid() throws SdpException {
        String offer = Offers.named("chromium-156").replaceAll("a=max-message-size:.*\r?\n", "");
        assertThat(answer(SdpOffer.parse(offer)).data()).isEqualTo(new SdpData(5_000, 65_536));
    }

    @Test
    void refusesVideoAndDataAndFurtherAudioInPlace() throws SdpException {
        String more =
                """
                m=video 9 UDP/TLS/RTP/SAVPF 96 97
                a=mid:v
                m=audio 9 UDP/TLS/RTP/SAVPF 111
                a=mid:b
                a=rtpmap:111 opus/48000/2
                m=application 9 DTLS/SCTP 5000
                a=mid:d
                """;
        SdpAnswer answer = answer(SdpOffer.parse(Offers.MINIMAL + more));

        assertThat(answer.text())
                .endsWith(
                        """
                        m=video 0 UDP/TLS/RTP/SAVPF 96
                        c=IN IP4 0.0.0.0
                        a=mid:v
                        a=inactive
                        m=audio 0 UDP/TLS/RTP/SAVPF 111
                        c=IN IP4 0.0.0.0
                        a=mid:b
                        a=inactive
                        m=application 0 DTLS/SCTP 5000
                        c=IN IP4 0.0.0.0
                        a=mid:d
                        """
                                .replace("\n", "\r\n"));
    }

    @Test
    void passesOverAnAudioSectionWithoutOpus() throws SdpException {
        String offer =
                Offers.named("chromium-156")
                        .replace(
                                "m=audio", "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:pcm\r\nm=audio");

        SdpAnswer answer = answer(SdpOffer.parse(offer));

        assertThat(answer.formats().voice().payloadType()).isEqualTo(111);
        assertThat(answer.text())
                .contains("m=audio 0 UDP/TLS/RTP/SAVPF 0\r\n")
                .contains("m=audio 3478 UDP/TLS/RTP/SAVPF 111 110\r\n");
    }

    @Test
    void putsRedundantAudioBeforeOpusWhenWanted() throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named("chromium-156"));
        SdpAnswer answer = builder(offer).red(true).build();

        assertThat(answer.formats().redPayloadType()).isEqualTo(63);
        assertThat(answer.text())
                .contains("m=audio 3478 UDP/TLS/RTP/SAVPF 63 111 110\r\n")
                .contains("a=rtpmap:63 red/48000/2\r\na=fmtp:63 111/111\r\na=rtpmap:111 ")
                .contains("a=fmtp:111 minptime=10\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a=fmtp:63 111/0", "a=fmtp:63 0/0", "a=x", "a=rtpmap:63 red/8000"})
    void leavesRedundantAudioOfOtherCodecsAlone(String line) throws SdpException {
        String text = Offers.named("chromium-156").replace("a=fmtp:63 111/111", line);
        SdpAnswer answer = builder(SdpOffer.parse(text)).red(true).build();

        assertThat(answer.formats().redPayloadType()).isEqualTo(SdpFormats.NONE);
        assertThat(answer.text()).doesNotContain("red/48000");
    }

    @Test
    void saysThatDtlsIsCarriedInStunWhereTheClientSaysSo() throws SdpException {
        String chromium =
                Offers.named("chromium-156")
                        .replace("a=ice-options:trickle", "a=ice-options:trickle sped googspedv1");
        SdpOffer offer = SdpOffer.parse(chromium);

        assertThat(offer.transport().sped()).isTrue();
        assertThat(builder(offer).sped(true).build().text().lines())
                .filteredOn(line -> line.startsWith("a=ice-options"))
                .containsOnly("a=ice-options:sped")
                .hasSize(2);
        assertThat(builder(offer).build().text()).doesNotContain("ice-options");
    }

    @ParameterizedTest
    @ValueSource(strings = {"trickle", "trickle sped2", "googspedv1", "SPED", "s-sped"})
    void saysNothingOfDtlsInStunToOthers(String options) throws SdpException {
        SdpOffer offer =
                SdpOffer.parse(
                        Offers.named("chromium-156")
                                .replace("a=ice-options:trickle", "a=ice-options:" + options));

        assertThat(builder(offer).sped(true).build().text()).doesNotContain("ice-options");
    }

    @Test
    void readsIceOptionsAtSessionLevel() throws SdpException {
        SdpOffer offer =
                SdpOffer.parse(
                        Offers.named("chromium-156")
                                .replace("a=ice-options:trickle\r\n", "")
                                .replace("t=0 0\r\n", "t=0 0\r\na=ice-options:ice2 sped\r\n"));

        assertThat(offer.transport().sped()).isTrue();
    }

    @Test
    void asksForRetransmissionsWhenWanted() throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named("chromium-156"));

        assertThat(builder(offer).nack(true).build().text()).contains("a=rtcp-fb:111 nack\r\n");
        assertThat(answer(offer).text()).doesNotContain("rtcp-fb");
    }

    @ParameterizedTest
    @CsvSource({
        "SAVPF, a=x, false",
        "SAVPF, a=rtcp-fb:0 nack, false",
        "SAVPF, a=rtcp-fb:111 nack, true",
        "SAVPF, a=rtcp-fb:* ccm fir, true",
        "SAVP, a=rtcp-fb:111 nack, false",
    })
    void asksForRetransmissionsOnlyWhereFeedbackIsOffered(
            String profile, String line, boolean asked) throws SdpException {
        String text = Offers.MINIMAL.replace("SAVPF", profile) + line + "\n";
        SdpAnswer answer = builder(SdpOffer.parse(text)).nack(true).build();

        assertThat(answer.formats().nack()).isEqualTo(asked);
        assertThat(answer.text().contains("rtcp-fb")).isEqualTo(asked);
        assertThat(answer.agreesWith(answer(SdpOffer.parse(text)))).isTrue();
    }

    @Test
    void takesTelephoneEventsOfTheOtherClockWhereThereIsNoneOfOpus() throws SdpException {
        SdpAnswer answer = answer(SdpOffer.parse(Offers.named("firefox-esr-153")));

        assertThat(answer.formats().dtmfPayloadType()).isEqualTo(101);
        assertThat(answer.formats().dtmfClockRateHz()).isEqualTo(8_000);
        assertThat(answer.text()).contains("a=rtpmap:101 telephone-event/8000\r\n");
    }

    @ParameterizedTest
    @CsvSource({"0 8, 0, PCMU/8000", "8 0, 8, PCMA/8000", "9 8, 8, PCMA/8000"})
    void takesG711OfAClientWithoutOpus(String offered, int payloadType, String codec)
            throws SdpException {
        String text = Offers.MINIMAL.replace("SAVPF 111", "SAVPF " + offered);
        SdpAnswer answer = answer(SdpOffer.parse(text));

        assertThat(answer.formats().voice().payloadType()).isEqualTo(payloadType);
        assertThat(answer.text())
                .contains("m=audio 3478 UDP/TLS/RTP/SAVPF " + payloadType + "\r\n")
                .contains("a=rtpmap:" + payloadType + " " + codec + "\r\n")
                .doesNotContain("fmtp");
    }

    @Test
    void prefersOpusToG711WhateverTheirOrder() throws SdpException {
        String text = Offers.MINIMAL.replace("SAVPF 111", "SAVPF 0 111");

        assertThat(SdpOffer.parse(text).voice().payloadType()).isEqualTo(111);
    }

    @Test
    void givesNoGroupWhereNoneIsOffered() throws SdpException {
        assertThat(answer(SdpOffer.parse(Offers.MINIMAL)).text())
                .doesNotContain("a=group")
                .doesNotContain("a=mid")
                .doesNotContain("extmap");
    }

    @Test
    void answersAllowMixedAtTheLevelWhereItIsOffered() throws SdpException {
        String chromium = answer(SdpOffer.parse(Offers.named("chromium-156"))).text();
        String firefox = answer(SdpOffer.parse(Offers.named("firefox-esr-153"))).text();

        assertThat(chromium.indexOf("a=extmap-allow-mixed")).isLessThan(chromium.indexOf("m="));
        assertThat(firefox.indexOf("a=extmap-allow-mixed")).isGreaterThan(firefox.indexOf("m="));
    }

    @ParameterizedTest
    @CsvSource({
        "sendrecv, sendrecv, true",
        "sendonly, recvonly, false",
        "recvonly, sendonly, true",
        "inactive, inactive, false"
    })
    void turnsTheDirectionRound(String offered, String answered, boolean sends)
            throws SdpException {
        SdpAnswer answer = answer(SdpOffer.parse(Offers.MINIMAL + "a=" + offered + "\n"));

        assertThat(answer.direction()).hasToString(answered);
        assertThat(answer.text()).contains("a=" + answered + "\r\n");
        assertThat(answer.text().contains("a=msid:")).isEqualTo(sends);
        assertThat(answer.text().contains("a=ssrc:")).isEqualTo(sends);
    }

    @ParameterizedTest
    @CsvSource({
        "'', 5, ''",
        "/sendrecv, 5, ''",
        "/sendonly, 5, /recvonly",
        "/recvonly, 0, ''",
        "/inactive, 0, ''"
    })
    void takesAudioLevelsThatTheClientSends(String offered, int id, String answered)
            throws SdpException {
        String uri = SdpExtension.AUDIO_LEVEL;
        SdpAnswer answer =
                answer(SdpOffer.parse(Offers.MINIMAL + "a=extmap:5" + offered + " " + uri + "\n"));

        assertThat(answer.audioLevelId()).isEqualTo(id);
        assertThat(answer.text().contains("a=extmap:5" + answered + " " + uri + "\r\n"))
                .isEqualTo(id != 0);
    }

    @ParameterizedTest
    @CsvSource({"actpass, active", "active, passive", "passive, active"})
    void answersTheSetup(String offered, String answered) throws SdpException {
        String text = Offers.MINIMAL.replace("setup:actpass", "setup:" + offered);

        assertThat(answer(SdpOffer.parse(text)).setup()).hasToString(answered);
    }

    @Test
    void takesAMissingSetupForActive() throws SdpException {
        String text = Offers.MINIMAL.replace("a=setup:actpass\n", "");

        assertThat(answer(SdpOffer.parse(text)).text()).contains("a=setup:passive\r\n");
    }

    @Test
    void canWaitForTheHandshakeWhereTheOfferAllowsIt() throws SdpException {
        SdpOffer open = SdpOffer.parse(Offers.MINIMAL);
        SdpOffer passive = SdpOffer.parse(Offers.MINIMAL.replace("setup:actpass", "setup:passive"));

        assertThat(builder(open).setup(SdpSetup.PASSIVE).build().text())
                .contains("a=setup:passive\r\n");
        assertThatThrownBy(() -> builder(passive).setup(SdpSetup.PASSIVE))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource(SdpSetup.class)
    void neverAnswersActpass(SdpSetup offered) {
        assertThat(offered.answer()).isNotEqualTo(SdpSetup.ACTPASS).isNotEqualTo(offered);
    }

    @Test
    void saysIp6WhereTheFirstRelayIsIpv6() throws SdpException {
        SdpAnswer answer =
                builder(SdpOffer.parse(Offers.MINIMAL)).candidates(RELAYS.reversed()).build();

        assertThat(answer.text())
                .contains("c=IN IP6 2001:db8:ffff:ffff:ffff:ffff:ffff:fff1\r\n")
                .contains("a=candidate:2 1 udp 2130706175 203.0.113.10 3478 typ host\r\n");
    }

    @Test
    void writesNoNegativeSessionId() throws SdpException {
        assertThat(builder(SdpOffer.parse(Offers.MINIMAL)).session(-1, 2).build().text())
                .contains("o=- 9223372036854775807 2 IN IP4 0.0.0.0\r\n");
    }

    @Test
    void refusesAnOfferThatWouldNeedATooLongAnswer() throws SdpException {
        StringBuilder text = new StringBuilder(Offers.MINIMAL);
        for (int i = 1; i < SdpOffer.MAX_MEDIA; i++) {
            String mid = "m".repeat(62) + i;
            text.append("m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:" + mid + "\n");
        }
        SdpAnswer.Builder builder = builder(SdpOffer.parse(text.toString()));

        assertThatThrownBy(builder::build)
                .isInstanceOf(SdpException.class)
                .hasMessageContaining("offer fewer m-sections");
    }

    @Test
    void fitsTheMostSectionsThatAreReadWithOrdinaryMids() throws SdpException {
        StringBuilder text = new StringBuilder(Offers.MINIMAL);
        for (int i = 1; i < SdpOffer.MAX_MEDIA; i++) {
            text.append("m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:" + i + "\n");
        }

        assertThat(answer(SdpOffer.parse(text.toString())).text())
                .hasSizeLessThan(SdpAnswer.MAX_LENGTH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.2.3.4 x", "1.2.3.4\r\na=x", "", "[::1]"})
    void refusesACandidateThatWouldBreakItsLine(String address) {
        assertThatThrownBy(() -> new SdpCandidate(address, 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static SdpAnswer.Builder builder(SdpOffer offer) {
        return SdpAnswer.builder(offer)
                .session(4711, 1)
                .credentials(LOCAL)
                .fingerprint(FINGERPRINT)
                .candidates(RELAYS)
                .source(-1, "edge")
                .msid("stream", "track");
    }

    private static SdpAnswer answer(SdpOffer offer) throws SdpException {
        return builder(offer).build();
    }
}
