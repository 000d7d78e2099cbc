package dev.parley.fuzz;

import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.sdp.SdpAnswer;
import dev.parley.rtc.sdp.SdpCandidate;
import dev.parley.rtc.sdp.SdpException;
import dev.parley.rtc.sdp.SdpFingerprint;
import dev.parley.rtc.sdp.SdpMedia;
import dev.parley.rtc.sdp.SdpOffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** SDP offers: each is refused with a line and a reason, or answered in kind. */
public final class SdpFuzz {
    private static final IceCredentials LOCAL =
            new IceCredentials("I" + "A".repeat(65), "passwordPassword12345678");
    private static final SdpFingerprint FINGERPRINT =
            new SdpFingerprint("sha-256", "AB" + ":CD".repeat(31));
    private static final List<SdpCandidate> RELAYS =
            List.of(new SdpCandidate("203.0.113.10", 3478), new SdpCandidate("2001:db8::1", 3478));

    private SdpFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            SdpOffer offer = SdpOffer.parse(text);
            answered(offer, answer(offer).text());
        } catch (SdpException e) {
            Input.demand(
                    e.lineNumber() >= 1 && !e.reason().isBlank() && e.line().length() <= 100,
                    "a refusal without line or reason");
            Input.demand(
                    String.valueOf(e.getMessage()).chars().noneMatch(c -> c < ' '),
                    "a refusal of several lines");
        }
    }

    private static SdpAnswer answer(SdpOffer offer) throws SdpException {
        return SdpAnswer.builder(offer)
                .session(4711, 1)
                .credentials(LOCAL)
                .fingerprint(FINGERPRINT)
                .candidates(RELAYS)
                .source(-1, "edge")
                .red(offer.media().size() > 1)
                .nack(true)
                .build();
    }

    private static void answered(SdpOffer offer, String answer) {
        Input.demand(answer.length() < SdpAnswer.MAX_LENGTH, "a long answer");
        Input.demand(answer.endsWith("\r\n"), "an answer without its last CRLF");
        List<String> lines = List.of(answer.substring(0, answer.length() - 2).split("\r\n", -1));
        int section = -1;
        int accepted = 0;
        for (String line : lines) {
            Input.demand(
                    line.length() > 2
                            && line.charAt(1) == '='
                            && line.chars().noneMatch(c -> c < ' '),
                    "a line that is none: " + line);
            if (line.startsWith("m=")) {
                SdpMedia offered = offer.media().get(++section);
                Input.demand(line.startsWith("m=" + offered.kind() + " "), "another section");
                accepted += line.startsWith("m=" + offered.kind() + " 0 ") ? 0 : 1;
            }
        }
        Input.demand(section == offer.media().size() - 1, "other sections than offered");
        Input.demand(accepted >= 1, "nothing accepted");
        Input.demand(!lines.contains("a=setup:actpass"), "an undecided answer");
    }
}
