package dev.parley.otel;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Other processes' admin ports, which are asked for their spans of a call, so that one page shows
 * all of it. One that does not answer soon is left out, and said to be. Owned by the admin server.
 */
final class Peers implements AutoCloseable {
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
    private static final long MAX_BYTES = 4 << 20;
    private static final String BEGINNING = "{\"process\":";

    private final List<InetSocketAddress> addresses;
    private @Nullable HttpClient client;

    Peers(List<InetSocketAddress> addresses) {
        this.addresses = List.copyOf(addresses);
    }

    /** What each has of a call, as JSON. */
    List<String> spans(String call) {
        if (addresses.isEmpty()) {
            return List.of();
        }
        List<CompletableFuture<String>> asked =
                addresses.stream().map(address -> ask(address, call)).toList();
        return asked.stream().map(CompletableFuture::join).toList();
    }

    /** Made when somebody first looks at a call, since most processes never need it. */
    private synchronized HttpClient client() {
        HttpClient made = client;
        if (made == null) {
            made =
                    HttpClient.newBuilder()
                            .version(HttpClient.Version.HTTP_1_1)
                            .connectTimeout(CONNECT_TIMEOUT)
                            .build();
            client = made;
        }
        return made;
    }

    private CompletableFuture<String> ask(InetSocketAddress address, String call) {
        URI uri = URI.create("http://" + text(address) + "/api/spans/" + call);
        return client().sendAsync(
                        HttpRequest.newBuilder(uri).timeout(ANSWER_TIMEOUT).build(),
                        BodyHandlers.limiting(
                                BodyHandlers.ofString(StandardCharsets.UTF_8), MAX_BYTES))
                .thenApply(answer -> isOurs(answer) ? answer.body() : silent(address))
                .exceptionally(_ -> silent(address));
    }

    private static boolean isOurs(HttpResponse<String> answer) {
        return answer.statusCode() == 200 && answer.body().startsWith(BEGINNING);
    }

    private static String silent(InetSocketAddress address) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("process", text(address));
        row.put("silent", true);
        row.put("spans", List.of());
        return JsonText.of(row);
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + address.getPort();
    }

    @Override
    public synchronized void close() {
        if (client != null) {
            client.shutdownNow();
        }
    }
}
