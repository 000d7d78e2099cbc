package dev.parley.bench.signaling;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What strangers, and callers who mean ill, may try against a signaling that asks for credentials,
 * one kind after another, and after each how much memory it uses and whether a good caller still
 * gets through. Exits with 1 when one does not.
 */
public final class SignalingAbuse {
    private static final int REQUESTS = 10_000;
    private static final int AT_ONCE = 64;
    private static final int LARGE_BYTES = 1 << 20;
    private static final int SLOW_CLIENTS = 500;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String CALLS = "/v1/realtime/calls";
    private static final String SECRETS = "/v1/realtime/client_secrets";

    private static final Duration SHORT_LIFE = Duration.ofSeconds(10);

    private final Product product;
    private final Credentials credentials;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Random random = new Random(1);
    private boolean failed;

    private SignalingAbuse(Product product, Credentials credentials) {
        this.product = product;
        this.credentials = credentials;
    }

    /** Prints a table. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Credentials credentials = Credentials.make();
        try (Product product = Product.inFourProcesses(credentials.signalingYaml())) {
            SignalingAbuse abuse = new SignalingAbuse(product, credentials);
            abuse.run();
            if (abuse.failed) {
                System.exit(1);
            }
        }
    }

    private void run() throws IOException, InterruptedException {
        System.out.printf(
                "%-34s %8s %9s %9s %9s %9s %10s  %s%n",
                "what", "requests", "p50 ms", "p99 ms", "RSS MiB", "heap MiB", "a call", "answers");
        report("nothing", 0, new ConcurrentHistogram(3), Map.of());
        String key = credentials.apiKey();
        String bad = badOffer(0);
        http("bad offers, no credential", REQUESTS, i -> offer(badOffer(i)));
        http("bad offers, a good key", REQUESTS, i -> as(key, badOffer(i)));
        http("bodies of 1 MiB, no credential", 200, _ -> offer("x".repeat(LARGE_BYTES)));
        http("bodies of 1 MiB, a good key", 200, _ -> as(key, "x".repeat(LARGE_BYTES)));
        http(
                "random call ids, a good key",
                REQUESTS,
                _ -> authorized(request(CALLS + "/rtc_" + token(86)), key).DELETE());
        http("random API keys", REQUESTS, _ -> as("pk_" + token(43), bad));
        http("random client secrets", REQUESTS, _ -> as("ek_" + token(200), bad));
        http("JWTs of another's signature", REQUESTS, _ -> as(credentials.forgedToken(), bad));
        String shortLived = secret(SHORT_LIFE);
        long made = System.nanoTime();
        http("client secrets, a letter changed", REQUESTS, i -> as(changed(shortLived, i), bad));
        String secret = secret(Duration.ofMinutes(10));
        http("a client secret again, bad offers", REQUESTS, _ -> as(secret, bad));
        http(
                "a client secret makes secrets",
                REQUESTS,
                _ -> authorized(request(SECRETS), secret).POST(BodyPublishers.noBody()));
        Thread.sleep(
                Math.max(
                        0,
                        SHORT_LIFE.plusSeconds(1).toMillis()
                                - (System.nanoTime() - made) / 1_000_000));
        http("a client secret after its time", REQUESTS, _ -> as(shortLived, bad));
        slow("request lines that stop", "GET /healthz HT");
        slow("headers that stop", "POST " + CALLS + " HTTP/1.1\r\nHost: x\r\nX-Slow: ");
        slow(
                "bodies that stop",
                "POST "
                        + CALLS
                        + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/sdp\r\n"
                        + "Content-Length: 2000\r\n\r\nv=0");
        report("and then", 0, new ConcurrentHistogram(3), Map.of());
    }

    private void http(String what, int count, IntFunction<HttpRequest.Builder> make)
            throws IOException, InterruptedException {
        Histogram times = new ConcurrentHistogram(3);
        Map<String, LongAdder> answers = new ConcurrentHashMap<>();
        Semaphore running = new Semaphore(AT_ONCE);
        for (int i = 0; i < count; i++) {
            HttpRequest request = make.apply(i).timeout(PATIENCE).build();
            running.acquire();
            var _ =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            send(request, times, answers);
                                        } finally {
                                            running.release();
                                        }
                                    });
        }
        running.acquire(AT_ONCE);
        report(what, count, times, answers);
    }

    private void send(HttpRequest request, Histogram times, Map<String, LongAdder> answers) {
        long start = System.nanoTime();
        String answer;
        try {
            answer = String.valueOf(http.send(request, BodyHandlers.discarding()).statusCode());
        } catch (IOException _) {
            answer = "closed";
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return;
        }
        times.recordValue(Math.max(1, (System.nanoTime() - start) / 1_000));
        answers.computeIfAbsent(answer, _ -> new LongAdder()).increment();
    }

    // Each client says the beginning and then nothing until it is closed or told off.
    private void slow(String what, String beginning) throws IOException, InterruptedException {
        Histogram times = new ConcurrentHistogram(3);
        Map<String, LongAdder> answers = new ConcurrentHashMap<>();
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < SLOW_CLIENTS; i++) {
            clients.add(Thread.ofVirtual().start(() -> stall(beginning, times, answers)));
        }
        for (Thread client : clients) {
            client.join();
        }
        report(what, SLOW_CLIENTS, times, answers);
    }

    private void stall(String beginning, Histogram times, Map<String, LongAdder> answers) {
        URI base = product.base();
        long start = System.nanoTime();
        String answer = "closed";
        try (Socket socket = new Socket(base.getHost(), base.getPort())) {
            socket.setSoTimeout((int) PATIENCE.toMillis());
            OutputStream out = socket.getOutputStream();
            out.write(beginning.getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String head = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
            answer = head.startsWith("HTTP/1.1 ") ? head.substring(9) : "closed";
        } catch (SocketTimeoutException _) {
            answer = "still open";
            failed = true;
        } catch (IOException _) {
            answer = "closed";
        }
        times.recordValue(Math.max(1, (System.nanoTime() - start) / 1_000));
        answers.computeIfAbsent(answer, _ -> new LongAdder()).increment();
    }

    private void report(String what, int count, Histogram times, Map<String, LongAdder> answers)
            throws IOException, InterruptedException {
        double callMillis = goodCall();
        Map<String, Long> sums = new TreeMap<>();
        answers.forEach((answer, number) -> sums.put(answer, number.sum()));
        System.out.printf(
                Locale.ROOT,
                "%-34s %8d %9.1f %9.1f %9.0f %9.1f %7.0f ms  %s%n",
                what,
                count,
                times.getValueAtPercentile(50) / 1e3,
                times.getValueAtPercentile(99) / 1e3,
                product.signaling().residentMib(),
                product.signaling().liveHeapMib(),
                callMillis,
                sums);
    }

    // From the offer to the first audio; NaN when it gets none.
    private double goodCall() throws InterruptedException {
        long start = System.nanoTime();
        try (BenchCall call = new BenchCall()) {
            HttpResponse<String> answer =
                    http.send(
                            as(credentials.apiKey(), call.offer()).timeout(PATIENCE).build(),
                            BodyHandlers.ofString());
            if (answer.statusCode() == 201) {
                call.untilAnswered(answer.body(), start + PATIENCE.toNanos());
                double millis = (System.nanoTime() - start) / 1e6;
                String location = answer.headers().firstValue("Location").orElseThrow();
                http.send(
                        authorized(request(location), credentials.apiKey()).DELETE().build(),
                        BodyHandlers.discarding());
                return millis;
            }
        } catch (IOException e) {
            System.out.println("a caller does not get through: " + e.getMessage());
        }
        failed = true;
        return Double.NaN;
    }

    private String badOffer(int number) {
        return switch (number % 4) {
            case 0 -> token(500);
            case 1 -> "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio x y z\r\n";
            case 2 -> "v=0\r\n" + "a=x:".repeat(1_000);
            default -> "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=video 9 RTP/AVP 96\r\n";
        };
    }

    private String secret(Duration lifetime) throws IOException, InterruptedException {
        String wanted =
                "{\"expires_after\":{\"anchor\":\"created_at\",\"seconds\":"
                        + lifetime.toSeconds()
                        + "}}";
        String reply =
                http.send(
                                authorized(request(SECRETS), credentials.apiKey())
                                        .header("Content-Type", "application/json")
                                        .POST(BodyPublishers.ofString(wanted))
                                        .build(),
                                BodyHandlers.ofString())
                        .body();
        Matcher value = Pattern.compile("\"value\":\"([^\"]+)\"").matcher(reply);
        if (!value.find()) {
            throw new IOException("no secret in " + reply);
        }
        return value.group(1);
    }

    private static String changed(String secret, int number) {
        int at = 3 + number % (secret.length() - 3);
        char other = secret.charAt(at) == 'A' ? 'B' : 'A';
        return secret.substring(0, at) + other + secret.substring(at + 1);
    }

    private HttpRequest.Builder as(String credential, String sdp) {
        return authorized(offer(sdp), credential);
    }

    private static HttpRequest.Builder authorized(HttpRequest.Builder request, String credential) {
        return request.header("Authorization", "Bearer " + credential);
    }

    private HttpRequest.Builder offer(String sdp) {
        return request(CALLS + "?model=echo")
                .header("Content-Type", "application/sdp")
                .POST(BodyPublishers.ofString(sdp));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(product.base().resolve(path));
    }

    private synchronized String token(int characters) {
        byte[] bytes = new byte[characters];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(bytes)
                .substring(0, characters);
    }
}
