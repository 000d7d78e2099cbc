package dev.parley.signaling.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.auth.ClientSecrets;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.http.Replies;
import dev.parley.signaling.http.RequestBody;
import io.helidon.http.Method;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/**
 * Gives servers the short-lived secrets that their clients' browsers call with. Keeps nothing: all
 * is sealed into the secret.
 */
public final class ClientSecretEndpoint implements HttpService {
    /** Where it is. */
    public static final String PATH = CallEndpoints.ROOT + "/client_secrets";

    private static final int DEFAULT_SECONDS = 600;

    private final ClientSecrets secrets;
    private final Access access;
    private final Cors cors;

    /** Makes secrets with these keys. */
    public ClientSecretEndpoint(ClientSecrets secrets, Access access, Cors cors) {
        this.secrets = secrets;
        this.access = access;
        this.cors = cors;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.any("/", Endpoint.of(cors, Method.POST, this::create));
    }

    private void create(ServerRequest request, ServerResponse response) {
        var _ = access.countAddress(request);
        Caller caller = access.starter(request.headers());
        if (!caller.mayMint()) {
            throw new RefusedException(
                    ErrorCode.FORBIDDEN, "This credential cannot make client secrets.");
        }
        access.countCaller(caller, Access.SECRETS);
        byte[] content = RequestBody.of(request);
        ObjectNode body =
                content.length == 0 ? Json.object() : Json.readObject(content, "The body", "");
        ObjectNode session = session(body.path("session"));
        ClientSecrets.Minted secret =
                secrets.mint(caller, lifetime(body), text(session), models(caller, session));
        Replies.json(request, response, 200, described(secret, session));
    }

    private static ObjectNode described(ClientSecrets.Minted secret, ObjectNode session) {
        ObjectNode described =
                Json.object().put("object", "realtime.session").put("type", "realtime");
        described.setAll(session);
        ObjectNode reply =
                Json.object()
                        .put("value", secret.token())
                        .put("expires_at", secret.expiresAt().getEpochSecond());
        reply.set("session", described);
        return reply;
    }

    private static Duration lifetime(ObjectNode body) {
        JsonNode after = body.path("expires_after");
        JsonNode anchor = after.path("anchor");
        if (!anchor.isMissingNode() && !"created_at".equals(anchor.textValue())) {
            throw invalid("The anchor can only be created_at.", "expires_after.anchor");
        }
        JsonNode seconds = after.path("seconds");
        if (seconds.isMissingNode()) {
            return Duration.ofSeconds(DEFAULT_SECONDS);
        }
        long shortest = ClientSecrets.SHORTEST.toSeconds();
        long longest = ClientSecrets.LONGEST.toSeconds();
        if (!seconds.canConvertToExactIntegral()
                || !seconds.canConvertToInt()
                || seconds.intValue() < shortest
                || seconds.intValue() > longest) {
            throw invalid(
                    "The seconds must be a whole number from " + shortest + " to " + longest + ".",
                    "expires_after.seconds");
        }
        return Duration.ofSeconds(seconds.intValue());
    }

    private static ObjectNode session(JsonNode session) {
        if (session.isMissingNode() || session.isNull()) {
            return Json.object();
        }
        if (!(session instanceof ObjectNode object)) {
            throw invalid("The session is not a JSON object.", "session");
        }
        if (text(object).getBytes(StandardCharsets.UTF_8).length
                > ClientSecrets.MAX_SESSION_BYTES) {
            throw invalid(
                    "The session is larger than "
                            + ClientSecrets.MAX_SESSION_BYTES
                            + " bytes, which is all that a secret can carry.",
                    "session");
        }
        return object;
    }

    private static String text(ObjectNode session) {
        return session.isEmpty() ? "" : session.toString();
    }

    // A secret that names a model is for that one alone.
    private static List<String> models(Caller caller, ObjectNode session) {
        JsonNode model = session.path("model");
        if (model.isMissingNode() || model.isNull()) {
            return List.of();
        }
        if (!model.isTextual() || !ModelName.isValid(model.textValue())) {
            throw invalid("The model cannot be one: " + ModelName.RULE + ".", "session.model");
        }
        Access.requireModel(caller, model.textValue());
        return List.of(model.textValue());
    }

    private static RefusedException invalid(String message, String param) {
        return new RefusedException(ErrorCode.INVALID_REQUEST, message, param);
    }
}
