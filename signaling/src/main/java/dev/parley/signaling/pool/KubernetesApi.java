package dev.parley.signaling.pool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * A Kubernetes API server, asked as a service account. Any thread may use it.
 *
 * @param token file with the account's token, which Kubernetes renews
 */
record KubernetesApi(URI server, Path token, HttpClient http) {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_BYTES = 16 << 20;
    private static final ObjectMapper JSON = new ObjectMapper();

    /** The server refuses. */
    static final class StatusException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;

        StatusException(int status) {
            super("the Kubernetes API answers " + status + hint(status));
            this.status = status;
        }

        private static String hint(int status) {
            return status == 403
                    ? ": grant list and watch on endpointslices (discovery.k8s.io) to the pod's"
                            + " service account"
                    : "";
        }

        int status() {
            return status;
        }
    }

    /** One answer. */
    JsonNode get(String pathAndQuery) throws IOException {
        try (InputStream body = open(pathAndQuery)) {
            return JSON.readTree(body.readNBytes(MAX_BYTES));
        }
    }

    /** An answer as it comes. */
    InputStream open(String pathAndQuery) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(server.resolve(pathAndQuery))
                        // Until the answer begins.
                        .timeout(TIMEOUT)
                        .header("Authorization", "Bearer " + Files.readString(token).strip())
                        .header("Accept", "application/json")
                        .build();
        try {
            HttpResponse<InputStream> response =
                    http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            if (response.statusCode() != 200) {
                response.body().close();
                throw new StatusException(response.statusCode());
            }
            return response.body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The values of a stream, one after another. */
    MappingIterator<JsonNode> values(InputStream stream) throws IOException {
        return JSON.readerFor(JsonNode.class).readValues(stream);
    }
}
