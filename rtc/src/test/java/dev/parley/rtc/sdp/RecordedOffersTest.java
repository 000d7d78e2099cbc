package dev.parley.rtc.sdp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.rtc.ice.IceCredentials;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every offer of {@code resources/offers}, whose README says where each comes from. */
class RecordedOffersTest {
    /** All that an answer may say: each of these is implemented. */
    private static final Set<String> IMPLEMENTED =
            Set.of(
                    "group",
                    "ice-lite",
                    "extmap-allow-mixed",
                    "mid",
                    "sendrecv",
                    "sendonly",
                    "recvonly",
                    "inactive",
                    "rtcp-mux",
                    "rtcp-fb",
                    "rtpmap",
                    "fmtp",
                    "extmap",
                    "ice-ufrag",
                    "ice-pwd",
                    "fingerprint",
                    "setup",
                    "candidate",
                    "end-of-candidates",
                    "msid",
                    "ssrc",
                    "sctp-port",
                    "sctpmap",
                    "max-message-size");

    /** As long as ours ever get: the ufrag of an IPv6 transceiver, two relays with IPv6. */
    private static final IceCredentials LOCAL =
            new IceCredentials("I" + "A".repeat(65), "passwordPassword12345678");

    private static final SdpFingerprint FINGERPRINT =
            new SdpFingerprint("sha-256", "AB" + ":CD".repeat(31));
    private static final List<SdpCandidate> RELAYS =
            List.of(
                    new SdpCandidate("203.0.113.10", 3478),
                    new SdpCandidate("2001:db8:ffff:ffff:ffff:ffff:ffff:fff1", 3478));

    @ParameterizedTest
    @CsvSource({
        "aiortc-1.4, 96, 2, active, sendrecv, 0",
        "chromium-156, 111, 1, active, sendrecv, 0",
        "chromium-156-data-only, -1, 0, active, inactive, 0",
        "chromium-156-recvonly, 111, 1, active, sendonly, 0",
        "chromium-156-red-first, 111, 1, active, sendrecv, 0",
        "chromium-156-video-first, 111, 14, active, sendrecv, 1",
        "ffmpeg-whip, 111, 0, active, recvonly, 0",
        "firefox-esr-153, 109, 1, active, sendrecv, 0",
        "firefox-esr-153-data-only, -1, 0, active, inactive, 0",
        "firefox-esr-153-bundle-only, 109, 1, active, sendrecv, 1",
        "firefox-esr-153-gathered, 109, 1, active, sendrecv, 0",
        "gstreamer-1.22, 97, 0, active, sendrecv, 0",
        "jsep-bundle-only, 111, 14, active, sendrecv, 1",
        "libdatachannel-0.24, 111, 0, active, recvonly, 0",
        "obs-libdatachannel, 111, 0, active, recvonly, 0",
        "pion-3.1, 111, 0, active, sendrecv, 0",
        "safari, 111, 1, active, sendrecv, 0",
        "werift-0.25, 96, 0, active, sendrecv, 0",
    })
    void areAnsweredWithWhatWasAgreed(
            String client, int opus, int audioLevel, String setup, String direction, int leadAt)
            throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named(client));
        SdpAnswer answer = answer(offer);

        assertThat(answer.formats().voice().payloadType()).isEqualTo(opus);
        assertThat(answer.audioLevelId()).isEqualTo(audioLevel);
        assertThat(answer.setup()).hasToString(setup);
        assertThat(answer.direction()).hasToString(direction);
        assertThat(offer.media().indexOf(offer.lead())).isEqualTo(leadAt);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "chromium-156-g722-only     | 8  | no common codec",
            })
    void areRefusedWithLineAndReasonWhereNoCallIsPossible(String client, int line, String reason) {
        assertThatThrownBy(() -> SdpOffer.parse(Offers.named(client)))
                .isInstanceOf(SdpException.class)
                .hasMessageStartingWith("line " + line + " (m=")
                .hasMessageContaining(reason);
    }

    @ParameterizedTest
    @MethodSource("answerable")
    void areAnsweredSectionBySection(String client) throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named(client));

        // RFC 3264 6: as many m-lines, in the same order, of the same kind, with the same mid.
        List<String> sections = new ArrayList<>(List.of(answer(offer).text().split("(?m)^m=", -1)));
        sections.removeFirst();
        assertThat(sections).hasSameSizeAs(offer.media());
        for (int i = 0; i < sections.size(); i++) {
            SdpMedia offered = offer.media().get(i);
            boolean accepted = offered == offer.lead() || offered == offer.findAcceptableData();
            assertThat(sections.get(i)).startsWith(offered.kind() + (accepted ? " 3478 " : " 0 "));
            assertThat(sections.get(i)).contains(" " + offered.protocol() + " ");
            assertThat(sections.get(i)).contains("a=mid:" + offered.findMid() + "\r\n");
        }
    }

    @ParameterizedTest
    @MethodSource("answerable")
    void getNothingEchoedThatIsNotImplemented(String client) throws SdpException {
        String text = answer(SdpOffer.parse(sprinkled(Offers.named(client)))).text();

        assertThat(attributes(text)).isSubsetOf(IMPLEMENTED);
        assertThat(text).doesNotContain("x-unheard-of").doesNotContain("actpass");
    }

    @ParameterizedTest
    @MethodSource("answerable")
    void getOnlyExtensionIdsThatTheyOffered(String client) throws SdpException {
        List<String> offered = lines(Offers.named(client), "a=extmap:");

        assertThat(lines(answer(SdpOffer.parse(Offers.named(client))).text(), "a=extmap:"))
                .isSubsetOf(offered);
    }

    @ParameterizedTest
    @MethodSource("answerable")
    void getAnswersThatFitAnEmbeddedBufferAndEndEveryLineWithCrlf(String client)
            throws SdpException {
        String text = answer(SdpOffer.parse(Offers.named(client)), true).text();

        assertThat(text).hasSizeLessThan(SdpAnswer.MAX_LENGTH).endsWith("\r\n");
        assertThat(text.replace("\r\n", "")).doesNotContain("\r").doesNotContain("\n");
    }

    @ParameterizedTest
    @MethodSource("answerable")
    void getAGroupOfTheAcceptedSectionsInTheirOrder(String client) throws SdpException {
        SdpOffer offer = SdpOffer.parse(Offers.named(client));

        // RFC 9143 7.3.3: a rejected section is in no group.
        SdpMedia data = offer.findAcceptableData();
        String mids =
                offer.bundle().stream()
                        .filter(
                                mid ->
                                        mid.equals(offer.lead().findMid())
                                                || (data != null && mid.equals(data.findMid())))
                        .collect(Collectors.joining(" "));
        assertThat(lines(answer(offer).text(), "a=group:"))
                .containsExactly("a=group:BUNDLE " + mids);
    }

    @ParameterizedTest
    @MethodSource("answerable")
    void getFeedbackOnlyForAudioThatHasSome(String client) throws SdpException {
        SdpAnswer answer = answer(SdpOffer.parse(Offers.named(client)));
        int voice = answer.formats().voice().payloadType();
        boolean offered =
                Offers.named(client)
                        .lines()
                        .anyMatch(line -> line.startsWith("a=rtcp-fb:" + voice + " "));

        assertThat(lines(answer.text(), "a=rtcp-fb:"))
                .isEqualTo(offered ? List.of("a=rtcp-fb:" + voice + " nack") : List.of());
    }

    @Test
    void areAllDescribed() throws IOException {
        Set<String> described = new TreeSet<>();
        for (String line : Files.readAllLines(folder().resolve("README.md"))) {
            if (line.startsWith("| `")) {
                described.add(line.substring(3, line.indexOf('`', 3)));
            }
        }

        assertThat(described).isEqualTo(names());
    }

    static Stream<String> answerable() throws IOException {
        return names().stream().filter(name -> !name.matches(".*-g722-only"));
    }

    private static Set<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".sdp"))
                    .map(name -> name.substring(0, name.length() - 4))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static Path folder() {
        try {
            return Path.of(
                    Objects.requireNonNull(
                                    RecordedOffersTest.class.getResource("/offers"), "no offers")
                            .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The offer with a strange attribute behind each line. */
    private static String sprinkled(String offer) {
        StringBuilder text = new StringBuilder();
        int number = 0;
        for (String line : offer.lines().toList()) {
            text.append(line).append("\r\n");
            if (++number >= 4) {
                text.append("a=x-unheard-of-").append(number).append(":1\r\n");
            }
        }
        return text.toString();
    }

    private static List<String> attributes(String text) {
        return lines(text, "a=").stream().map(line -> line.substring(2).split(":", 2)[0]).toList();
    }

    private static List<String> lines(String text, String prefix) {
        return text.lines().filter(line -> line.startsWith(prefix)).toList();
    }

    /** As the product does unless it is told otherwise. */
    private static SdpAnswer answer(SdpOffer offer) throws SdpException {
        return answer(offer, false);
    }

    private static SdpAnswer answer(SdpOffer offer, boolean red) throws SdpException {
        return SdpAnswer.builder(offer)
                .session(4711, 1)
                .credentials(LOCAL)
                .fingerprint(FINGERPRINT)
                .candidates(RELAYS)
                .source(-1, "edge")
                .msid("stream", "track")
                .red(red)
                .nack(true)
                .build();
    }
}
