package dev.parley.signaling.whip;

import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.calls.Access;
import dev.parley.signaling.calls.CallChange;
import dev.parley.signaling.calls.CallDesk;
import dev.parley.signaling.calls.Offer;
import dev.parley.signaling.calls.Overflow;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.MediaTypeHeader;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.pool.CallId;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.List;
import java.util.Optional;

/**
 * WHIP, RFC 9725, for one model each at {@code /whip/MODEL}. Lenient towards what real clients get
 * wrong unless told to be strict. Keeps nothing: a session is found through its sealed id alone.
 */
public final class WhipEndpoint implements HttpService {
    /** Where all of WHIP is. */
    public static final String ROOT = "/whip";

    private static final String SESSIONS = ROOT + "/sessions/";
    private static final String SDP = CallChange.SDP;
    private static final String FRAGMENT = CallChange.FRAGMENT;
    private static final HeaderName ACCEPT_POST = HeaderNames.create("Accept-Post");
    private static final HeaderName ACCEPT_PATCH = HeaderNames.create("Accept-Patch");
    private static final HeaderName LINK = HeaderNames.create("Link");

    private final CallDesk desk;
    private final Access access;
    private final Overflow overflow;
    private final Cors cors;
    private final WhipSettings settings;

    /** Starts calls at this desk. */
    public WhipEndpoint(
            CallDesk desk, Access access, Overflow overflow, Cors cors, WhipSettings settings) {
        this.desk = desk;
        this.access = access;
        this.overflow = overflow;
        this.cors = cors;
        this.settings = settings;
    }

    @Override
    public void routing(HttpRules rules) {
        Endpoint endpoint =
                Endpoint.of(cors, Method.POST, this::create)
                        .onOptions("POST, PATCH, DELETE, OPTIONS", this::describeEndpoint);
        rules.any("/", endpoint);
        rules.any("/{model}", endpoint);
        rules.any(
                "/sessions/{id}",
                Endpoint.of(cors, Method.PATCH, this::patch)
                        .and(Method.DELETE, this::delete)
                        .onOptions("PATCH, DELETE, OPTIONS", this::describeSession));
    }

    // RFC 9725 4.2: Accept-Post tells what to post. Clients look for PATCH among the methods before
    // they trickle, and for the ICE servers before they offer (4.6).
    private void describeEndpoint(ServerRequest request, ServerResponse response) {
        response.headers().set(ACCEPT_POST, SDP);
        addIceServers(response);
    }

    private void describeSession(ServerRequest request, ServerResponse response) {
        response.headers().set(ACCEPT_PATCH, FRAGMENT);
    }

    private void create(ServerRequest request, ServerResponse response) {
        var _ = access.countAddress(request);
        Caller caller = access.starter(request.headers());
        requireType(request, SDP, ACCEPT_POST);
        Offer offer = Offer.read(request).startingFrom(caller);
        String model = desk.model(caller, named(request), offer);
        CallDesk.Origin origin =
                CallDesk.Origin.of(request.headers(), access.where(request), "whip");
        CallDesk.Started call;
        try {
            call = access.counted(caller, () -> desk.start(caller, origin, model, offer));
        } catch (RefusedException refusal) {
            if (!isFull(refusal) || !overflow.redirect(request, response)) {
                throw refusal;
            }
            return;
        }
        response.status(Status.CREATED_201);
        response.headers()
                .set(HeaderNames.CONTENT_TYPE, SDP)
                .set(HeaderNames.LOCATION, url(SESSIONS + call.token()))
                .set(HeaderNames.ETAG, CallChange.tag(0))
                .set(ACCEPT_PATCH, FRAGMENT);
        addIceServers(response);
        response.send(call.answerSdp());
    }

    private static boolean isFull(RefusedException refusal) {
        return switch (refusal.code()) {
            case CAPACITY_EXCEEDED, SERVICE_UNAVAILABLE, OVERLOADED -> true;
            default -> false;
        };
    }

    private void patch(ServerRequest request, ServerResponse response) {
        CallId call = session(request);
        requireType(request, FRAGMENT, ACCEPT_PATCH);
        UpdateSessionResponse changed = desk.change(call, access.where(request), change(request));
        response.headers().set(HeaderNames.ETAG, CallChange.tag(changed.getIceGeneration()));
        if (changed.getAnswerCase() == UpdateSessionResponse.AnswerCase.ICE_FRAGMENT) {
            response.status(Status.OK_200);
            response.headers().set(HeaderNames.CONTENT_TYPE, FRAGMENT);
            response.send(changed.getIceFragment());
        } else {
            response.status(Status.NO_CONTENT_204).send();
        }
    }

    private UpdateSessionRequest.Builder change(ServerRequest request) {
        ServerRequestHeaders headers = request.headers();
        Optional<String> match = headers.first(HeaderNames.IF_MATCH).map(String::strip);
        if (settings.strict() && match.isEmpty()) {
            // RFC 9725 4.3.1, with RFC 6585 3.
            throw new RefusedException(
                    ErrorCode.PRECONDITION_REQUIRED,
                    "The request has no If-Match: send the ETag of the last response, or * to"
                            + " restart ICE.");
        }
        if (!settings.strict()) {
            // One client sends the tag back in the header that it came in.
            match = match.or(() -> headers.first(HeaderNames.ETAG)).map(WhipEndpoint::quoted);
        }
        return CallChange.ofFragment(request, match);
    }

    private static String quoted(String tag) {
        return tag.equals("*") || tag.startsWith("\"") ? tag : "\"" + tag + "\"";
    }

    private void delete(ServerRequest request, ServerResponse response) {
        CallId call = session(request);
        try {
            desk.end(call);
        } catch (RefusedException refusal) {
            // Many clients close their connection, and with it the call, before they say so here.
            if (settings.strict()
                    || refusal.code() != ErrorCode.CALL_NOT_FOUND
                    || !desk.hasEnded(call)) {
                throw refusal;
            }
        }
        response.status(Status.OK_200).send();
    }

    private CallId session(ServerRequest request) {
        Caller caller = access.caller(request.headers());
        return desk.find(caller, request.path().pathParameters().get("id"));
    }

    private static List<String> named(ServerRequest request) {
        return request.path()
                .pathParameters()
                .first("model")
                .asOptional()
                .map(List::of)
                .orElseGet(() -> request.query().all("model", List::of));
    }

    private static void requireType(ServerRequest request, String type, HeaderName accepted) {
        String given = request.headers().first(HeaderNames.CONTENT_TYPE).orElse("");
        if (!MediaTypeHeader.parse(given).value().equals(type)) {
            throw new RefusedException(
                            ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                            "The Content-Type must be " + type + ".")
                    .with(accepted, type);
        }
    }

    private void addIceServers(ServerResponse response) {
        for (String server : settings.iceServers()) {
            response.headers().add(LINK, "<" + server + ">; rel=\"ice-server\"");
        }
    }

    private String url(String path) {
        return settings.publicUrl().map(base -> Overflow.joined(base, path)).orElse(path);
    }
}
