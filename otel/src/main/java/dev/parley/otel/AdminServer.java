package dev.parley.otel;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.parley.otel.trace.RecentCalls;
import io.prometheus.metrics.exporter.httpserver.MetricsHandler;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A process's port for those who run it: the operations page at {@code /}, a call's timeline at
 * {@code /calls/ID}, what both are drawn from below {@code /api}, and Prometheus' {@code /metrics}.
 * It only shows. A service does not depend on it: when the address is taken, as while one relay
 * follows another, it tries again. Owned by {@code main}.
 */
public final class AdminServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AdminServer.class.getName());
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Pattern CALL_PATH = Pattern.compile("/api/calls/[0-9a-f]{32}");
    private static final Pattern SPANS_PATH = Pattern.compile("/api/spans/[0-9a-f]{32}");
    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;

    private final Telemetry telemetry;
    private final InetSocketAddress address;
    private final Peers peers;
    private final ExecutorService requests = Executors.newVirtualThreadPerTaskExecutor();
    private final Thread binding;
    private @Nullable HttpServer server;
    private boolean closed;

    private AdminServer(Telemetry telemetry, InetSocketAddress address, Peers peers) {
        this.telemetry = telemetry;
        this.address = address;
        this.peers = peers;
        this.binding = Thread.ofVirtual().name("admin").unstarted(this::bindLater);
    }

    /** Listens, now or as soon as the address is free. */
    public static AdminServer start(Telemetry telemetry, InetSocketAddress address) {
        return start(telemetry, address, List.of());
    }

    /**
     * The same.
     *
     * @param peers admin addresses of other processes, whose spans a call's timeline shows as well
     */
    public static AdminServer start(
            Telemetry telemetry, InetSocketAddress address, List<InetSocketAddress> peers) {
        AdminServer started = new AdminServer(telemetry, address, new Peers(peers));
        IOException problem = started.bind();
        if (problem != null) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "admin_address: cannot listen on {0} ({1}); it is tried again",
                    text(address),
                    String.valueOf(problem.getMessage()));
            started.binding.start();
        }
        return started;
    }

    private synchronized @Nullable IOException bind() {
        if (closed) {
            return null;
        }
        try {
            HttpServer made = HttpServer.create(address, 0);
            MetricsHandler metrics = new MetricsHandler(telemetry.scraped());
            made.createContext(
                    "/metrics",
                    exchange -> {
                        if (admit(exchange)) {
                            metrics.handle(exchange);
                        }
                    });
            made.createContext("/", this::handle);
            made.setExecutor(requests);
            made.start();
            server = made;
            LOG.log(
                    System.Logger.Level.INFO,
                    "operations page on http://{0}",
                    text(made.getAddress()));
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    private void bindLater() {
        try {
            do {
                Thread.sleep(RETRY);
            } while (bind() != null);
        } catch (InterruptedException _) {
            // Closed.
        }
    }

    /** Where it listens; null while it does not. */
    public synchronized @Nullable InetSocketAddress findAddress() {
        return server == null ? null : server.getAddress();
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    /**
     * Refuses what is no reading, and what a page of somebody else's could have a browser on this
     * machine ask under a name that it makes point here.
     */
    private boolean admit(HttpExchange exchange) throws IOException {
        String method = exchange.getRequestMethod();
        if (!method.equals("GET") && !method.equals("HEAD")) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            answer(exchange, NOT_ALLOWED, "text/plain", "only GET\n");
            return false;
        }
        if (address.getAddress().isLoopbackAddress()
                && !isHere(exchange.getRequestHeaders().getFirst("Host"))) {
            answer(exchange, FORBIDDEN, "text/plain", "ask for 127.0.0.1 or localhost\n");
            return false;
        }
        return true;
    }

    private static boolean isHere(@Nullable String host) {
        return host != null && host.matches("(localhost|127\\.[0-9.]+|\\[::1\\])(:[0-9]+)?");
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            if (!admit(exchange)) {
                return;
            }
            String path = exchange.getRequestURI().getPath();
            RecentCalls recent = telemetry.recentCalls();
            if (path.equals("/")) {
                answer(exchange, OK, "text/html", page("operations.html"));
            } else if (path.startsWith("/calls/")) {
                answer(exchange, OK, "text/html", page("timeline.html"));
            } else if (path.equals("/api/overview")) {
                answer(exchange, OK, "application/json", JsonText.of(overview(recent)));
            } else if (CALL_PATH.matcher(path).matches()) {
                String call = path.substring(path.lastIndexOf('/') + 1);
                answer(exchange, OK, "application/json", wholeCall(call, recent));
            } else if (SPANS_PATH.matcher(path).matches()) {
                String call = path.substring(path.lastIndexOf('/') + 1);
                answer(exchange, OK, "application/json", ownSpans(call, recent));
            } else {
                answer(exchange, NOT_FOUND, "text/plain", "there is nothing here\n");
            }
        }
    }

    /** What this process has of a call. */
    private String ownSpans(String call, @Nullable RecentCalls recent) {
        Map<String, Object> own = new LinkedHashMap<>();
        own.put("process", telemetry.process());
        own.put("spans", recent == null ? List.of() : Timeline.spans(recent.spans(call)));
        return JsonText.of(own);
    }

    /** What this one and its peers have. */
    private String wholeCall(String call, @Nullable RecentCalls recent) {
        StringJoiner all = new StringJoiner(",", "[", "]");
        all.add(ownSpans(call, recent));
        peers.spans(call).forEach(all::add);
        return all.toString();
    }

    private Map<String, Object> overview(@Nullable RecentCalls recent) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("process", telemetry.process());
        Map<String, Object> views = new LinkedHashMap<>();
        telemetry.views().forEach((name, rows) -> views.put(name, rows.get()));
        all.put("views", views);
        Map<String, Object> counts = new LinkedHashMap<>();
        telemetry
                .snapshot()
                .forEach(
                        (name, value) -> {
                            if (value != 0) {
                                counts.put(name, value);
                            }
                        });
        all.put("counts", counts);
        all.put("calls", recent == null ? List.of() : Timeline.calls(recent));
        return all;
    }

    private static String page(String name) throws IOException {
        try (InputStream page = AdminServer.class.getResourceAsStream(name)) {
            if (page == null) {
                throw new IOException(name + " is missing");
            }
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void answer(HttpExchange exchange, int status, String type, String text)
            throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        var headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type + "; charset=utf-8");
        headers.set("Cache-Control", "no-store");
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("X-Frame-Options", "DENY");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
        } else {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
        exchange.close();
    }

    @Override
    public synchronized void close() {
        closed = true;
        binding.interrupt();
        if (server != null) {
            server.stop(0);
        }
        requests.shutdownNow();
        peers.close();
    }
}
