package dev.parley.rtc.sdp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SdpOfferTest {
    @Test
    void readsChromium() throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named("chromium-156"));

        assertThat(offer.media())
                .extracting(SdpMedia::kind)
                .containsExactly("audio", "application");
        assertThat(offer.lead().findMid()).isEqualTo("0");
        assertThat(offer.voice().payloadType()).isEqualTo(111);
        assertThat(offer.voice().parameters())
                .containsEntry("minptime", "10")
                .containsEntry("useinbandfec", "1");
        assertThat(offer.lead().ssrcs()).containsExactly((int) 2243549100L);
        assertThat(codec(offer, "red", 48_000).parameters()).containsEntry("", "111/111");
        assertThat(codec(offer, "telephone-event", 48_000).payloadType()).isEqualTo(110);
        assertThat(codec(offer, "pcmu", 8_000).payloadType()).isZero();
        assertThat(codec(offer, "PCMA", 8_000).payloadType()).isEqualTo(8);
        assertThat(offer.direction()).isEqualTo(SdpDirection.SENDRECV);
        assertThat(offer.isBundled()).isTrue();
        assertThat(offer.transport().credentials().ufrag()).isEqualTo("ovPK");
        assertThat(offer.transport().credentials().password())
                .isEqualTo("hsvtBlxBYXnXGA9x1SnqIsx0");
        assertThat(offer.transport().setup()).isEqualTo(SdpSetup.ACTPASS);
        assertThat(offer.transport().fingerprints())
                .singleElement()
                .asString()
                .startsWith("sha-256 59:B1:A6:")
                .endsWith(":87:21:9F");
        assertThat(requireNonNull(offer.findData()).findMid()).isEqualTo("1");
    }

    @Test
    void readsFirefoxWhoseFingerprintStandsAtSessionLevel() throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named("firefox-esr-153"));

        assertThat(offer.voice().payloadType()).isEqualTo(109);
        assertThat(offer.transport().fingerprints())
                .singleElement()
                .asString()
                .startsWith("sha-256 56:F1:08:");
        assertThat(offer.lead().findCodec("telephone-event", 48_000)).isNull();
        assertThat(codec(offer, "telephone-event", 8_000).payloadType()).isEqualTo(101);
    }

    @Test
    void takesTheTransportOfABundleOnlySectionFromTheFirstOfItsGroup() throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named("jsep-bundle-only"));

        assertThat(offer.transport().credentials().ufrag()).isEqualTo("tX5+");
        assertThat(offer.transport().setup()).isEqualTo(SdpSetup.ACTPASS);
    }

    @ParameterizedTest
    @CsvSource({
        "a=group:BUNDLE v w, false",
        "a=group:BUNDLE v w & a=group:BUNDLE a, true",
        "a=group:LS a v, false",
        "a=group:BUNDLE, false",
    })
    void findsTheGroupThatTheAudioIsIn(String groups, boolean bundled) throws SdpException {
        String text =
                Offers.MINIMAL.replace("t=0 0\n", "t=0 0\n" + groups.replace(" & ", "\n") + "\n")
                        + "a=mid:a\nm=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:v\n";

        assertThat(SdpOffer.parse(text).isBundled()).isEqualTo(bundled);
    }

    @Test
    void prefersMediaLevelOverSessionLevel() throws SdpException {
        String session = "a=ice-ufrag:sess\na=setup:passive\na=recvonly\nm=audio";

        SdpOffer offer = SdpOffer.parse(Offers.MINIMAL.replace("m=audio", session));

        assertThat(offer.transport().credentials().ufrag()).isEqualTo("abcd");
        assertThat(offer.transport().setup()).isEqualTo(SdpSetup.ACTPASS);
        assertThat(offer.direction()).isEqualTo(SdpDirection.RECVONLY);
    }

    @Test
    void keepsAllFingerprintsAsLongAsOneIsKnown() throws SdpException {
        String text = Offers.MINIMAL + "a=fingerprint:MD2 00:11\na=fingerprint:sha-1 00\n";

        assertThat(SdpOffer.parse(text).transport().fingerprints())
                .extracting(SdpFingerprint::algorithm)
                .containsExactly("sha-256", "md2", "sha-1");
    }

    @Test
    void readsLinesThatEndWithLfAloneAndBlankLinesAtTheEnd() throws SdpException {
        assertThat(SdpOffer.parse(Offers.MINIMAL + "\n\r\n \n").media()).hasSize(1);
        assertThat(SdpOffer.parse(Offers.MINIMAL.strip()).media()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"OPUS/48000/2", "Opus/48000/2", "opus/48000", "opus/48000/1", "opus/48000 "})
    void takesOpusHoweverItIsSpelt(String spelling) throws SdpException {
        String text = Offers.MINIMAL.replace("opus/48000/2", spelling);

        assertThat(SdpOffer.parse(text).voice().payloadType()).isEqualTo(111);
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 72, 95})
    void refusesOpusThatCouldBeTakenForRtcp(int payloadType) {
        String text = Offers.MINIMAL.replace("111", Integer.toString(payloadType));

        assertThatThrownBy(() -> SdpOffer.parse(text))
                .isInstanceOf(SdpException.class)
                .hasMessageContaining("64 to 95");
    }

    @ParameterizedTest
    @ValueSource(ints = {35, 63, 96, 127})
    void takesOpusBesideThem(int payloadType) throws SdpException {
        String text = Offers.MINIMAL.replace("111", Integer.toString(payloadType));

        assertThat(SdpOffer.parse(text).voice().payloadType()).isEqualTo(payloadType);
    }

    @Test
    void readsWhatAnOddButLegalOfferSays() throws SdpException {
        String odd =
                """
                a=x-unheard-of:of=this;and that
                a=candidate:1 1 udp 1 stranger.local 9 typ host
                a=fmtp:111 useinbandfec=1; stereo = 1 ;;flag
                a=ptime:20
                b=AS:64
                k=clear:x
                """;
        SdpOffer offer = SdpOffer.parse(Offers.MINIMAL + odd);

        assertThat(offer.voice().parameters())
                .containsEntry("useinbandfec", "1")
                .containsEntry("stereo", "1")
                .containsEntry("", "flag");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v=0                            | v=1                     | 1 | begins with v=0",
                "s=-                            | x=-                     | 3 | expected s= as line 3",
                "t=0 0                          | hello                   | 4 | expected a letter",
                "t=0 0                          | T=0 0                   | 4 | expected a letter",
                "t=0 0                          | a=ice-lite              | 4 | must be full ICE",
                "m=audio 9 UDP/TLS/RTP/SAVPF 111| m=audio 9               | 5 | expected m=kind",
                "m=audio 9                      | m=audio nine            | 5 | port must be a number",
                "m=audio 9                      | m=audio 65536           | 5 | from 0 to 65535",
                "m=audio 9                      | m=audio 0               | 5 | audio or data channel m-section is needed",
                "m=audio 9                      | m=video 9               | 5 | offered is only: video",
                "SAVPF 111                      | SAVPF 128               | 5 | payload type must be",
                "SAVPF 111                      | SAVPF opus              | 5 | payload type must be",
                "SAVPF 111                      | SAVPF 9                 | 5 | PCMA/8000 is needed",
                "UDP/TLS/RTP/SAVPF              | RTP/AVP                 | 5 | not RTP/AVP",
                "a=ice-ufrag:abcd               | a=x                     | 5 | a=ice-ufrag is missing",
                "a=ice-ufrag:abcd               | a=ice-ufrag:abc         | 7 | must be 4 to 256",
                "a=ice-ufrag:abcd               | a=ice-ufrag:ab-d        | 7 | must be 4 to 256",
                "a=ice-pwd:                     | a=x:                    | 5 | a=ice-pwd is missing",
                "a=ice-pwd:abcdefgh             | a=ice-pwd:              | 8 | must be 22 to 256",
                "a=fingerprint:                 | a=x:                    | 5 | a=fingerprint is missing",
                "a=fingerprint:sha-256 00:11    | a=fingerprint:sha-256 00| 9 | needs 32 bytes",
                "a=fingerprint:sha-256 00       | a=fingerprint:sha-256 0G| 9 | needs 32 bytes",
                "a=fingerprint:sha-256 00:11    | a=fingerprint:sha-256 0:011| 9 | needs 32 bytes",
                "a=fingerprint:sha-256 00       | a=fingerprint:sha-1 00  | 5 | no a=fingerprint with",
                "a=fingerprint:sha-256 00       | a=fingerprint:sha-25600 | 9 | hash function and",
                "a=setup:actpass                | a=setup:holdconn        | 10| actpass, active or passive",
                "a=rtcp-mux                     | a=x                     | 5 | a=rtcp-mux is missing",
                "opus/48000/2                   | opus                    | 12| expected a=rtpmap",
                "opus/48000/2                   | opus/x/2                | 12| clock rate must be",
                "a=rtpmap:111                   | a=rtpmap:200            | 12| payload type must be",
                "a=setup                        | a=mid:a b?              | 10| mid must be a token",
                "a=setup                        | a=extmap:0 urn:x?       | 10| extension id must be",
                "a=setup                        | a=extmap:1/up urn:x?    | 10| extension's direction",
                "a=setup                        | a=ssrc:4294967296 x:    | 10| SSRC must be",
                "a=setup                        | a=fmtp:x                | 10| payload type must be",
            })
    void saysWhichLineIsWrongAndWhy(String good, String bad, int line, String reason) {
        SdpException thrown = parseFails(Offers.MINIMAL.replace(good, bad));

        assertThat(thrown.lineNumber()).as(thrown.getMessage()).isEqualTo(line);
        assertThat(thrown.reason()).contains(reason);
        assertThat(thrown).hasMessageStartingWith("line " + line + " (" + thrown.line() + "): ");
    }

    @Test
    void refusesWhatIsNotSdpAtAll() {
        assertThat(parseFails("").reason()).isEqualTo("the offer is empty");
        assertThat(parseFails("\r\n\r\n").reason()).isEqualTo("the offer is empty");
        assertThat(parseFails("{\"sdp\":\"v=0\"}").lineNumber()).isOne();
        assertThat(parseFails("v=0\n").reason()).isEqualTo("expected o= as line 2");
        assertThat(parseFails("v=0\no=-\ns=-\n").reason()).isEqualTo("the offer has no m= line");
        assertThat(parseFails(Offers.MINIMAL.replace("s=-", "s=\0")).lineNumber()).isEqualTo(3);
    }

    @Test
    void takesDataChannelsWhereThereIsNoAudio() throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named("chromium-156-data-only"));

        assertThat(offer.findAudio()).isNull();
        assertThat(offer.lead()).isSameAs(offer.findAcceptableData());
        assertThat(offer.direction()).isEqualTo(SdpDirection.INACTIVE);
        assertThat(offer.transport().credentials().ufrag()).isEqualTo("tKUK");
    }

    @Test
    void takesDataChannelsBesideAudioThatIsSwitchedOffAndWithoutAGroup() throws SdpException {
        String text =
                Offers.named("chromium-156-data-only")
                        .replace("a=group:BUNDLE 0\r\n", "")
                        .replace(
                                "m=application",
                                "m=audio 0 UDP/TLS/RTP/SAVPF 111\r\nm=application");
        SdpOffer offer = SdpOffer.parse(text);

        assertThat(offer.findAudio()).isNull();
        assertThat(offer.lead().isData()).isTrue();
        assertThat(offer.isBundled()).isFalse();
    }

    @Test
    void namesWhatIsOfferedWhereNothingCanBeAnswered() {
        String text = Offers.named("chromium-156-data-only").replace("a=sctp-port:5000", "a=x");

        assertThat(parseFails(text).reason())
                .isEqualTo(
                        "an audio or data channel m-section is needed, offered is only:"
                                + " application");
    }

    @Test
    void namesWhatAnOfferWithoutCommonCodecHas() {
        String text = Offers.MINIMAL.replace("SAVPF 111", "SAVPF 9 18");

        assertThat(parseFails(text + "a=rtpmap:9 G722/8000\na=rtpmap:18 G729/8000\n").reason())
                .isEqualTo(
                        "no common codec: opus/48000/2, PCMU/8000 or PCMA/8000 is needed,"
                                + " offered is [G722/8000, G729/8000]");
    }

    @Test
    void remembersOnlySoManySsrcs() throws SdpException {
        StringBuilder text = new StringBuilder(Offers.MINIMAL);
        for (int i = 1; i <= 100; i++) {
            text.append("a=ssrc:" + i + " cname:x\na=ssrc:" + i + " msid:a b\n");
        }

        assertThat(SdpOffer.parse(text.toString()).lead().ssrcs()).hasSize(16).startsWith(1, 2, 3);
    }

    @Test
    void refusesTheSameMidTwice() {
        String text = Offers.MINIMAL + "a=mid:0\nm=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:0\n";

        assertThat(parseFails(text).lineNumber()).isEqualTo(14);
    }

    @Test
    void limitsCharactersLinesAndSections() {
        assertThat(parseFails(Offers.MINIMAL + "a=" + "x".repeat(SdpOffer.MAX_LENGTH)).reason())
                .contains("longer than 65536");
        assertThat(parseFails(Offers.MINIMAL + "a=x\n".repeat(SdpOffer.MAX_LINES)).lineNumber())
                .isEqualTo(SdpOffer.MAX_LINES + 1);
        assertThat(parseFails(Offers.MINIMAL + "m=video 9 X 1\n".repeat(12)).reason())
                .contains("more than 12 m= lines");
    }

    @Test
    void showsNoControlCharacterOfTheLineInTheMessage() {
        SdpException thrown =
                parseFails(Offers.MINIMAL.replace("s=-", "s=\u001b[2J\u0000\u2028\u0085"));

        assertThat(thrown.line()).isEqualTo("s=?[2J???");
        assertThat(thrown).hasMessageStartingWith("line 3 (s=?[2J???): ");
    }

    @Test
    void cutsALongLineInTheMessage() {
        SdpException thrown =
                parseFails(Offers.MINIMAL.replace("a=setup:actpass", "a=setup:" + "x".repeat(999)));

        assertThat(thrown.line()).hasSize(83).endsWith("...");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 20261130})
    void damagedOffersAreReadOrRefusedButNeverThrowAnythingElse(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String[] names = {"chromium-156", "firefox-esr-153", "obs-libdatachannel", "aiortc-1.4"};
        for (int i = 0; i < 500; i++) {
            StringBuilder text = new StringBuilder(Offers.named(names[i % names.length]));
            for (int damage = random.nextInt(1, 8); damage > 0; damage--) {
                damage(text, random);
            }
            try {
                SdpAnswer.builder(SdpOffer.parse(text.toString()));
            } catch (SdpException expected) {
                assertThat(expected.lineNumber()).isPositive();
            }
        }
    }

    private static void damage(StringBuilder text, SplittableRandom random) {
        int at = random.nextInt(text.length());
        int end = Math.min(text.length(), at + random.nextInt(20));
        switch (random.nextInt(4)) {
            case 0 -> text.setCharAt(at, (char) random.nextInt(random.nextBoolean() ? 128 : 65536));
            case 1 -> text.delete(at, end);
            case 2 -> text.insert(at, text.substring(at, end));
            default -> text.insert(at, " =:/;\r\n\0-9m".charAt(random.nextInt(11)));
        }
    }

    private static SdpCodec codec(SdpOffer offer, String name, int clockRateHz) {
        return requireNonNull(offer.lead().findCodec(name, clockRateHz), name);
    }

    private static SdpException parseFails(String text) {
        SdpException thrown = catchThrowableOfType(SdpException.class, () -> SdpOffer.parse(text));
        return requireNonNull(thrown, "it was accepted");
    }
}
