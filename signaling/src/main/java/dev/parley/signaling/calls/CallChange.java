package dev.parley.signaling.calls;

import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.MediaTypeHeader;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.http.RequestBody;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * What a client wants changed of its call's transport: a fragment (RFC 8840) or a whole new offer,
 * and for which ICE session it made that (If-Match, RFC 9725 4.3.1). The entity tag of an ICE
 * session is the number of restarts before it.
 */
public final class CallChange {
    /** Media type of a fragment. */
    public static final String FRAGMENT = "application/trickle-ice-sdpfrag";

    /** Media type of an offer or answer. */
    public static final String SDP = "application/sdp";

    private static final String ANY = "*";

    private CallChange() {}

    /** The entity tag of an ICE session. */
    public static String tag(int iceGeneration) {
        return "\"" + iceGeneration + "\"";
    }

    /**
     * Reads a request.
     *
     * @throws RefusedException when its body is of another type or malformed, or If-Match names
     *     what was never one of our tags
     */
    static UpdateSessionRequest.Builder read(ServerRequest request) {
        Optional<String> match = request.headers().first(HeaderNames.IF_MATCH).map(String::strip);
        String type = request.headers().first(HeaderNames.CONTENT_TYPE).orElse("");
        if (MediaTypeHeader.parse(type).value().equals(FRAGMENT)) {
            return ofFragment(request, match);
        }
        return guarded(
                UpdateSessionRequest.newBuilder().setOfferSdp(Offer.read(request).sdp()), match);
    }

    /**
     * Reads the fragment that a request's body is.
     *
     * @param match what {@code If-Match} says, if anything
     * @throws RefusedException when that was never one of our tags
     */
    public static UpdateSessionRequest.Builder ofFragment(
            ServerRequest request, Optional<String> match) {
        String fragment = new String(RequestBody.of(request), StandardCharsets.UTF_8);
        return guarded(
                UpdateSessionRequest.newBuilder()
                        .setIceFragment(fragment)
                        // RFC 9725 4.3.3: a restart is asked for with If-Match: *
                        .setIceRestart(match.filter(ANY::equals).isPresent()),
                match);
    }

    private static UpdateSessionRequest.Builder guarded(
            UpdateSessionRequest.Builder change, Optional<String> match) {
        match.filter(tag -> !tag.equals(ANY))
                .ifPresent(tag -> change.setIceGeneration(generation(tag)));
        return change;
    }

    private static int generation(String tag) {
        // RFC 9110 13.1.1: the comparison is strong, so W/ never matches.
        if (tag.matches("\"[0-9]{1,9}\"")) {
            return Integer.parseInt(tag.substring(1, tag.length() - 1));
        }
        throw new RefusedException(
                ErrorCode.PRECONDITION_FAILED,
                "If-Match is not an entity tag of this call; send the one of the last response.");
    }
}
