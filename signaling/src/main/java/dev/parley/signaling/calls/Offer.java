package dev.parley.signaling.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.auth.ClientSecret;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.Json;
import dev.parley.signaling.http.MediaTypeHeader;
import dev.parley.signaling.http.MultipartForm;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.http.RequestBody;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a client asks for, in whichever of the accepted forms it says it: the SDP itself, JSON or a
 * multipart form with {@code sdp} and {@code session}.
 *
 * @param sdp not empty
 * @param sessionJson the client's session object, or empty
 * @param model the model that the session names, if any
 * @param wish what the client asks for of where its call goes
 */
public record Offer(String sdp, String sessionJson, Optional<String> model, Wish wish) {
    static final String ACCEPTED = "application/sdp, application/json, multipart/form-data";

    private static final Map<String, Charset> CHARSETS =
            Map.of(
                    "utf-8", StandardCharsets.UTF_8,
                    "utf8", StandardCharsets.UTF_8,
                    "us-ascii", StandardCharsets.US_ASCII,
                    "iso-8859-1", StandardCharsets.ISO_8859_1);

    /**
     * Reads the request's body.
     *
     * @throws RefusedException when it is of another type or malformed
     */
    public static Offer read(ServerRequest request) {
        MediaTypeHeader type =
                MediaTypeHeader.parse(request.headers().first(HeaderNames.CONTENT_TYPE).orElse(""));
        byte[] body = RequestBody.of(request);
        return switch (type.value()) {
            case "application/sdp" ->
                    new Offer(text(body, charset(type)), "", Optional.empty(), Wish.NONE);
            case "application/json" -> ofJson(Json.readObject(body, "The body", ""));
            case "multipart/form-data" -> ofForm(MultipartForm.parse(body, type));
            case "" -> throw unsupported("The request has no Content-Type.");
            default -> throw unsupported("The Content-Type is not supported.");
        };
    }

    /** Reads the JSON form, {@code {"sdp": ..., "session": {...}, "region": ...}}. */
    public static Offer ofJson(ObjectNode body) {
        String sdp = body.path("sdp").isTextual() ? body.path("sdp").textValue() : "";
        JsonNode session = body.path("session");
        if (session.isMissingNode() || session.isNull()) {
            return new Offer(required(sdp), "", Optional.empty(), Wish.of(body));
        }
        if (session instanceof ObjectNode object) {
            return new Offer(required(sdp), object.toString(), model(object), Wish.of(body));
        }
        throw new RefusedException(
                ErrorCode.INVALID_REQUEST, "The session is not a JSON object.", "session");
    }

    private static Offer ofForm(Map<String, byte[]> parts) {
        String sdp = text(parts.getOrDefault("sdp", new byte[0]), StandardCharsets.UTF_8);
        byte[] session = parts.getOrDefault("session", new byte[0]);
        if (session.length == 0) {
            return new Offer(sdp, "", Optional.empty(), Wish.NONE);
        }
        ObjectNode object = Json.readObject(session, "The session part", "session");
        return new Offer(sdp, object.toString(), model(object), Wish.NONE);
    }

    /**
     * The same offer, whose session fills up from the one that the caller's client secret carries.
     */
    public Offer startingFrom(Caller caller) {
        String defaults = caller.secret().map(ClientSecret::sessionJson).orElse("");
        if (defaults.isEmpty()) {
            return this;
        }
        ObjectNode session = Json.readObject(utf8(defaults), "The secret's session", "");
        if (!sessionJson.isEmpty()) {
            session.setAll(Json.readObject(utf8(sessionJson), "The session", "session"));
        }
        return new Offer(sdp, session.toString(), model(session), wish);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static Optional<String> model(ObjectNode session) {
        return Optional.ofNullable(session.path("model").textValue());
    }

    private static Charset charset(MediaTypeHeader type) {
        String name = type.parameter("charset").orElse("utf-8").toLowerCase(Locale.ROOT);
        Charset charset = CHARSETS.get(name);
        if (charset == null) {
            throw unsupported("The charset is not supported, send UTF-8.");
        }
        return charset;
    }

    private static String text(byte[] bytes, Charset charset) {
        try {
            return required(charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
        } catch (CharacterCodingException _) {
            throw new RefusedException(
                    ErrorCode.INVALID_OFFER, "The offer is not " + charset + " text.", "sdp");
        }
    }

    private static String required(String sdp) {
        if (sdp.isBlank()) {
            throw new RefusedException(
                    ErrorCode.INVALID_OFFER, "The request has no SDP offer.", "sdp");
        }
        return sdp;
    }

    private static RefusedException unsupported(String why) {
        return new RefusedException(
                ErrorCode.UNSUPPORTED_MEDIA_TYPE,
                why + " Send the offer as application/sdp; accepted are " + ACCEPTED + ".");
    }
}
