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
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Kubernetes API server, asked as a service account. Any thread may use it.
 *
 * @param token file with the account's token, which Kubernetes renews
 * @param patience for one answer as a whole, and for the beginning of one that goes on
 */
record KubernetesApi(URI server, Path token, HttpClient http, Duration patience) {
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

    /** One answer, which is there within the server's time or not at all. */
    JsonNode get(String pathAndQuery) throws IOException {
        // A request's own timeout ends when the answer begins, and one that stops would be awaited.
        CompletableFuture<HttpResponse<byte[]>> asked =
                http.sendAsync(
                        request(pathAndQuery).build(),
                        BodyHandlers.limiting(BodyHandlers.ofByteArray(), MAX_BYTES));
        try {
            HttpResponse<byte[]> response = asked.get(patience.toMillis(), TimeUnit.MILLISECONDS);
            requireOk(response);
            return JSON.readTree(response.body());
        } catch (TimeoutException _) {
            throw new HttpTimeoutException(
                    "the Kubernetes API has not answered within " + patience.toMillis() + " ms");
        } catch (ExecutionException e) {
            throw new IOException("the Kubernetes API cannot be asked: " + e.getCause(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        } finally {
            asked.cancel(true);
        }
    }

    /** An answer as it comes. */
    InputStream open(String pathAndQuery) throws IOException {
        HttpRequest request = request(pathAndQuery).timeout(patience).build();
        try {
            HttpResponse<InputStream> response = http.send(request, BodyHandlers.ofInputStream());
            if (response.statusCode() != 200) {
                response.body().close();
            }
            requireOk(response);
            return response.body();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private HttpRequest.Builder request(String pathAndQuery) throws IOException {
        return HttpRequest.newBuilder(server.resolve(pathAndQuery))
                .header("Authorization", "Bearer " + Files.readString(token).strip())
                .header("Accept", "application/json");
    }

    private static void requireOk(HttpResponse<?> response) throws StatusException {
        if (response.statusCode() != 200) {
            throw new StatusException(response.statusCode());
        }
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("interrupted", e);
    }

    /** The values of a stream, one after another. */
    MappingIterator<JsonNode> values(InputStream stream) throws IOException {
        return JSON.readerFor(JsonNode.class).readValues(stream);
    }
}
