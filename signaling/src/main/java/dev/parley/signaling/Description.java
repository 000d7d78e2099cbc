package dev.parley.signaling;

import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.Replies;
import io.helidon.http.HeaderNames;
import io.helidon.http.Method;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** Serves the OpenAPI description of everything that clients can ask for. */
final class Description implements HttpService {
    private static final String FILE = "/openapi.yaml";

    private final Cors cors;
    private final byte[] document = read();

    Description(Cors cors) {
        this.cors = cors;
    }

    private static byte[] read() {
        try (InputStream in = Description.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing from the class path");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void routing(HttpRules rules) {
        rules.any(FILE, Endpoint.of(cors, Method.GET, this::get));
    }

    private void get(ServerRequest request, ServerResponse response) {
        response.headers().set(HeaderNames.CONTENT_TYPE, "application/yaml");
        Replies.send(request, response, document);
    }
}
