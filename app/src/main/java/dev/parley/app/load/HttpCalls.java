package dev.parley.app.load;

import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** Places calls as browsers do: a POST of the raw offer. Any thread may use it. */
public final class HttpCalls implements CallRequests, AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration CONNECT_PATIENCE = Duration.ofSeconds(5);
    private static final int CREATED = 201;
    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    private static final long SHORT_MILLIS = 1_000;
    private static final long LONGEST_RETRY_MILLIS = 10_000;
    private static final Pattern CODE = Pattern.compile("\"code\"\\s*:\\s*\"([a-z0-9_]{1,40})\"");
    private static final Pattern MESSAGE =
            Pattern.compile("\"message\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.){1,200})");

    private final URI calls;
    private final URI base;
    private final String authorization;
    private final HttpClient http;

    /**
     * @param base of the API, without a slash at its end
     * @param apiKey empty for none
     */
    public HttpCalls(URI base, String model, String apiKey, boolean verifyTls) {
        this.base = base;
        this.calls =
                URI.create(
                        base
                                + "/v1/realtime/calls?model="
                                + URLEncoder.encode(model, StandardCharsets.UTF_8));
        this.authorization = apiKey.isEmpty() ? "" : "Bearer " + apiKey;
        HttpClient.Builder client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_PATIENCE);
        if (!verifyTls) {
            client.sslContext(trusting());
        }
        this.http = client.build();
    }

    @Override
    public Accepted place(String offer) throws IOException, InterruptedException {
        HttpResponse<String> response =
                send(
                        request(calls)
                                .header("Content-Type", "application/sdp")
                                .POST(BodyPublishers.ofString(offer))
                                .build());
        if (response.statusCode() != CREATED) {
            throw refusal(response);
        }
        String location = response.headers().firstValue("Location").orElse("");
        return new Accepted(response.body(), location);
    }

    @Override
    public String restart(String handle, String offer) throws IOException, InterruptedException {
        HttpResponse<String> response =
                send(
                        request(base.resolve(handle))
                                .header("Content-Type", "application/sdp")
                                .method("PATCH", BodyPublishers.ofString(offer))
                                .build());
        if (response.statusCode() / 100 != 2) {
            throw refusal(response);
        }
        return response.body();
    }

    @Override
    public void hangUp(String handle) throws IOException, InterruptedException {
        if (!handle.isEmpty()) {
            var _ = send(request(base.resolve(handle)).DELETE().build());
        }
    }

    private HttpRequest.Builder request(URI to) {
        HttpRequest.Builder request = HttpRequest.newBuilder(to).timeout(PATIENCE);
        return authorization.isEmpty() ? request : request.header("Authorization", authorization);
    }

    private HttpResponse<String> send(HttpRequest request)
            throws IOException, InterruptedException {
        try {
            return http.send(request, BodyHandlers.ofString());
        } catch (HttpConnectTimeoutException e) {
            throw new RefusedException("unreachable", base + " does not answer", -1);
        } catch (HttpTimeoutException e) {
            throw new RefusedException(
                    "http_timeout", base + " gave no answer in " + PATIENCE.toSeconds() + " s", -1);
        } catch (ConnectException e) {
            String why =
                    e.getCause() instanceof UnresolvedAddressException
                            ? " is no known host"
                            : " cannot be reached: nothing listens there";
            throw new RefusedException("unreachable", base + why, -1);
        } catch (SSLException e) {
            throw new RefusedException("tls", base + " cannot be trusted: " + e.getMessage(), -1);
        } catch (IOException e) {
            throw new RefusedException(
                    "http_broken", base + " broke the connection: " + e.getMessage(), -1);
        }
    }

    private static RefusedException refusal(HttpResponse<String> response) {
        int status = response.statusCode();
        Matcher code = CODE.matcher(response.body());
        Matcher message = MESSAGE.matcher(response.body());
        String reason = "http_" + status + (code.find() ? "_" + code.group(1) : "");
        boolean later = status == TOO_MANY || status == UNAVAILABLE;
        return new RefusedException(
                reason,
                "POST was answered " + status + (message.find() ? ": " + message.group(1) : ""),
                later ? retryMillis(response) : -1);
    }

    private static long retryMillis(HttpResponse<String> response) {
        String after = response.headers().firstValue("Retry-After").orElse("");
        return after.matches("[0-9]{1,4}")
                ? Math.clamp(Long.parseLong(after) * 1_000, SHORT_MILLIS, LONGEST_RETRY_MILLIS)
                : SHORT_MILLIS;
    }

    private static SSLContext trusting() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Trusting()}, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JDK has no TLS", e);
        }
    }

    /**
     * For deployments with certificates of their own making, where the user has said so. Extended,
     * since the JDK checks the host's name on behalf of one that is not.
     */
    private static final class Trusting extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Override
    public void close() {
        http.shutdownNow();
    }
}
