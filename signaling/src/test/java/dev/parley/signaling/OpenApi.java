package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.yaml.snakeyaml.Yaml;

/**
 * The description that signaling serves, as far as tests need it: what is described, and whether a
 * response is as described.
 */
final class OpenApi {
    private static final Set<String> METHODS = Set.of("get", "post", "patch", "delete", "options");

    private final JsonNode document;

    private OpenApi(JsonNode document) {
        this.document = document;
    }

    static OpenApi load() {
        try (InputStream in = Signaling.class.getResourceAsStream("/openapi.yaml")) {
            Object yaml = new Yaml().load(Objects.requireNonNull(in));
            return new OpenApi(new ObjectMapper().valueToTree(yaml));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Every response that is described, as {@code POST /whip/{model} 201}. */
    Set<String> responses() {
        Set<String> responses = new TreeSet<>();
        for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
            for (Map.Entry<String, JsonNode> operation : path.getValue().properties()) {
                if (METHODS.contains(operation.getKey())) {
                    for (var response : operation.getValue().path("responses").properties()) {
                        responses.add(
                                operation.getKey().toUpperCase(Locale.ROOT)
                                        + " "
                                        + path.getKey()
                                        + " "
                                        + response.getKey());
                    }
                }
            }
        }
        return responses;
    }

    /** Every operation has a name of its own. */
    List<String> operationIds() {
        List<String> ids = new ArrayList<>();
        document.path("paths")
                .forEach(
                        path ->
                                path.forEach(
                                        operation -> {
                                            if (operation.has("operationId")) {
                                                ids.add(operation.path("operationId").asText());
                                            }
                                        }));
        return ids;
    }

    /** Codes that errors may have. */
    List<String> codes() {
        List<String> codes = new ArrayList<>();
        resolve("#/components/schemas/Code").path("enum").forEach(code -> codes.add(code.asText()));
        return codes;
    }

    /**
     * Checks one response, whose path is known by its template.
     *
     * @return what was exercised, as in {@link #responses}
     */
    String check(String method, String path, int status, HttpHeaders headers, String body) {
        String what = method + " " + path + " " + status;
        String template = template(path).orElseThrow(() -> new AssertionError("no path: " + what));
        JsonNode response =
                resolved(
                        document.path("paths")
                                .path(template)
                                .path(method.toLowerCase(Locale.ROOT))
                                .path("responses")
                                .path(String.valueOf(status)));
        assertThat(response.isMissingNode()).as("not described: %s", what).isFalse();
        for (var header : response.path("headers").properties()) {
            if (header.getValue().path("required").asBoolean()) {
                assertThat(headers.firstValue(header.getKey())).as(what).isPresent();
            }
        }
        String type = headers.firstValue("Content-Type").orElse("");
        JsonNode content = response.path("content");
        if (content.isMissingNode() || body.isEmpty()) {
            assertThat(body).as(what).isEmpty();
        } else {
            assertThat(content.has(type)).as("%s has no content of type %s", what, type).isTrue();
            if (type.endsWith("json")) {
                conforms(what, json(body), content.path(type).path("schema"));
            }
        }
        return method + " " + template + " " + status;
    }

    /** Checks a message against a schema of the description. */
    void conforms(String what, String json, String schema) {
        conforms(what, json(json), resolve("#/components/schemas/" + schema));
    }

    private Optional<String> template(String path) {
        String bare = path.replaceFirst("\\?.*", "");
        if (document.path("paths").has(bare)) {
            return Optional.of(bare);
        }
        for (var template : document.path("paths").properties()) {
            if (bare.matches(template.getKey().replaceAll("\\{[^}]+}", "[^/]+"))
                    && template.getKey().contains("{")
                    && !(bare.startsWith("/whip/sessions/")
                            && !template.getKey().startsWith("/whip/sessions/"))) {
                return Optional.of(template.getKey());
            }
        }
        return Optional.empty();
    }

    // The part of JSON Schema that the description uses.
    private void conforms(String what, JsonNode value, JsonNode unresolved) {
        JsonNode schema = resolved(unresolved);
        JsonNode type = schema.path("type");
        List<String> types = new ArrayList<>();
        if (type.isArray()) {
            type.forEach(one -> types.add(one.asText()));
        } else {
            types.add(type.asText());
        }
        assertThat(types).as("%s: %s", what, value).contains(typeOf(value, types));
        if (schema.has("enum")) {
            List<String> allowed = new ArrayList<>();
            schema.path("enum").forEach(one -> allowed.add(one.asText()));
            assertThat(allowed).as(what).contains(value.asText());
        }
        schema.path("required")
                .forEach(
                        name ->
                                assertThat(value.has(name.asText()))
                                        .as("%s has %s", what, name)
                                        .isTrue());
        for (var property : value.properties()) {
            JsonNode described = schema.path("properties").path(property.getKey());
            JsonNode additional = schema.path("additionalProperties");
            if (!described.isMissingNode()) {
                conforms(what + "/" + property.getKey(), property.getValue(), described);
            } else if (additional.isObject()) {
                conforms(what + "/" + property.getKey(), property.getValue(), additional);
            } else {
                assertThat(additional.isBoolean())
                        .as("%s has %s, which is not described", what, property.getKey())
                        .isFalse();
            }
        }
        if (value.isArray()) {
            value.forEach(item -> conforms(what + "[]", item, schema.path("items")));
        }
    }

    private static String typeOf(JsonNode value, List<String> wanted) {
        return switch (value.getNodeType()) {
            case STRING -> "string";
            case BOOLEAN -> "boolean";
            case NULL -> "null";
            case ARRAY -> "array";
            case OBJECT -> "object";
            case NUMBER ->
                    value.isIntegralNumber() && wanted.contains("integer") ? "integer" : "number";
            case BINARY, MISSING, POJO -> "nothing";
        };
    }

    private JsonNode resolved(JsonNode node) {
        return node.has("$ref") ? resolve(node.path("$ref").asText()) : node;
    }

    private JsonNode resolve(String reference) {
        JsonNode node = document.at(reference.substring(1));
        assertThat(node.isMissingNode()).as(reference).isFalse();
        return node;
    }

    private static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(text, e);
        }
    }
}
