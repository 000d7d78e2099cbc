package dev.parley.signaling;

import dev.parley.proto.control.v1.UpdateSessionRequest;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.nio.charset.StandardCharsets;

/**
 * What a client wants changed of its call's transport: a fragment (RFC 8840) or a whole new offer,
 * and for which ICE session it made that (If-Match, RFC 9725 4.3.1). The entity tag of an ICE
 * session is the number of restarts before it.
 */
final class CallChange {
    static final String FRAGMENT = "application/trickle-ice-sdpfrag";
    static final String SDP = "application/sdp";

    private static final String ANY = "*";

    private CallChange() {}

    /** The entity tag of an ICE session. */
    static String tag(int iceGeneration) {
        return "\"" + iceGeneration + "\"";
    }

    /**
     * Reads a request.
     *
     * @throws RefusedException when its body is of another type or malformed, or If-Match names
     *     what was never one of our tags
     */
    static UpdateSessionRequest.Builder read(ServerRequest request) {
        UpdateSessionRequest.Builder change = UpdateSessionRequest.newBuilder();
        String match = request.headers().first(HeaderNames.IF_MATCH).orElse(ANY).strip();
        String type = request.headers().first(HeaderNames.CONTENT_TYPE).orElse("");
        if (MediaTypeHeader.parse(type).value().equals(FRAGMENT)) {
            change.setIceFragment(new String(RequestBody.of(request), StandardCharsets.UTF_8));
            // RFC 9725 4.3.3: a restart is asked for with If-Match: *
            change.setIceRestart(
                    request.headers().contains(HeaderNames.IF_MATCH) && match.equals(ANY));
        } else {
            change.setOfferSdp(Offer.read(request).sdp());
        }
        return match.equals(ANY) ? change : change.setIceGeneration(generation(match));
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
