package dev.parley.fuzz;

import dev.parley.rtc.sdp.SdpException;
import dev.parley.rtc.sdp.SdpFragment;
import java.nio.charset.StandardCharsets;

/** Trickle ICE fragments, RFC 8840. */
public final class FragmentFuzz {
    private FragmentFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            SdpFragment fragment = SdpFragment.parse(new String(input, StandardCharsets.UTF_8));
            Input.demand(
                    fragment.candidates() >= 0 && fragment.candidates() <= SdpFragment.MAX_LINES,
                    "the candidates");
        } catch (SdpException e) {
            Input.demand(e.lineNumber() >= 1 && !e.reason().isBlank(), "a refusal without reason");
            Input.demand(
                    String.valueOf(e.getMessage()).chars().noneMatch(c -> c < ' '),
                    "a refusal of several lines");
        }
    }
}
