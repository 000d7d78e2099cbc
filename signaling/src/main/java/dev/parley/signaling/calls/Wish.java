package dev.parley.signaling.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.steering.Whereabouts;
import io.helidon.common.uri.UriQuery;
import java.util.List;
import java.util.Optional;

/**
 * What a client asks for of where its call goes.
 *
 * @param region that it wants its call in
 * @param ingresses relays that it wants its answer to name; 0 leaves that to us
 */
public record Wish(Optional<String> region, int ingresses) {
    /** Asks for nothing. */
    public static final Wish NONE = new Wish(Optional.empty(), 0);

    private static final String REGION = "region";
    private static final String INGRESSES = "ingress_candidates";

    /**
     * Reads a query.
     *
     * @throws RefusedException when it asks for what cannot be
     */
    static Wish of(UriQuery query) {
        List<String> regions = query.all(REGION, List::of);
        List<String> ingresses = query.all(INGRESSES, List::of);
        if (regions.size() > 1) {
            throw refused("The request names more than one region.", REGION);
        }
        return new Wish(
                regions.stream().filter(name -> !name.isBlank()).findFirst(),
                ingresses.isEmpty() ? 0 : number(ingresses.getFirst()));
    }

    /**
     * Reads the JSON form of an offer.
     *
     * @throws RefusedException when it asks for what cannot be
     */
    static Wish of(ObjectNode body) {
        JsonNode region = body.path(REGION);
        if (!region.isMissingNode() && !region.isNull() && !region.isTextual()) {
            throw refused("The region is not a text.", REGION);
        }
        JsonNode ingresses = body.path(INGRESSES);
        return new Wish(
                Optional.ofNullable(region.textValue()).filter(name -> !name.isBlank()),
                ingresses.isMissingNode() || ingresses.isNull() ? 0 : number(ingresses.asText()));
    }

    private static int number(String text) {
        if (text.matches("[1-9]") && Integer.parseInt(text) <= Whereabouts.MAX_INGRESSES) {
            return Integer.parseInt(text);
        }
        throw refused(
                "An answer can name 1 to " + Whereabouts.MAX_INGRESSES + " relays.", INGRESSES);
    }

    private static RefusedException refused(String why, String param) {
        return new RefusedException(ErrorCode.INVALID_REQUEST, why, param);
    }

    /** Where a client is, with this wish. */
    Whereabouts at(Whereabouts where) {
        return where.wishing(region, ingresses == 0 ? where.ingresses() : ingresses);
    }
}
