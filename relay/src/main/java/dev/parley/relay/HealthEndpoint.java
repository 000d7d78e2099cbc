package dev.parley.relay;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.parley.runtime.udp.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code /livez} and {@code /readyz} over HTTP. Liveness depends on nothing but the workers
 * being there; readiness says in words what is wrong. While another process of the same relay has
 * the address, as during a handover, it tries again and again. Owned by the relay.
 */
final class HealthEndpoint implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(HealthEndpoint.class.getName());
    private static final Duration RETRY = Duration.ofMillis(100);

    /** Refusals after which somebody should know. */
    private static final int PATIENCE = 50;

    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int UNAVAILABLE = 503;

    private final InetSocketAddress address;
    private final RelayHealth health;
    private @Nullable HttpServer server;
    private @Nullable Thread binding;

    HealthEndpoint(InetSocketAddress address, RelayHealth health) {
        this.address = address;
        this.health = health;
    }

    /** Begins to listen, now or as soon as the address is free. */
    synchronized void open() {
        if (server == null && binding == null && !bind()) {
            binding = Thread.ofVirtual().name("relay-health").start(this::bindLater);
        }
    }

    private synchronized boolean bind() {
        try {
            HttpServer made = HttpServer.create(address, 0);
            made.createContext("/", this::handle);
            made.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
            made.start();
            server = made;
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private void bindLater() {
        for (int refused = 1; !tryOnce(); refused++) {
            if (refused == PATIENCE) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "health_address: {0} is taken; nobody can ask how the relay is, until it is"
                                + " free",
                        IpAddress.text(address));
            }
            try {
                Thread.sleep(RETRY);
            } catch (InterruptedException _) {
                return;
            }
        }
    }

    private synchronized boolean tryOnce() {
        // An interrupt means that it was closed, maybe before it ever slept.
        if (Thread.currentThread().isInterrupted() || bind()) {
            binding = null;
            return true;
        }
        return false;
    }

    /** Where it listens; null while it does not. */
    synchronized @Nullable InetSocketAddress findAddress() {
        return server == null ? null : server.getAddress();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String method = exchange.getRequestMethod();
            if (!method.equals("GET") && !method.equals("HEAD")) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                answer(exchange, NOT_ALLOWED, "{\"status\":\"method not allowed\"}");
                return;
            }
            switch (exchange.getRequestURI().getPath()) {
                case "/livez", "/healthz" -> live(exchange);
                case "/readyz" -> ready(exchange);
                default -> answer(exchange, NOT_FOUND, "{\"status\":\"not found\"}");
            }
        }
    }

    private void live(HttpExchange exchange) throws IOException {
        List<String> faults = health.faults();
        answer(
                exchange,
                faults.isEmpty() ? OK : UNAVAILABLE,
                "{\"status\":\""
                        + (faults.isEmpty() ? "live" : "dead")
                        + "\",\"reasons\":"
                        + json(faults)
                        + "}");
    }

    private void ready(HttpExchange exchange) throws IOException {
        List<String> obstacles = health.obstacles();
        answer(
                exchange,
                obstacles.isEmpty() ? OK : UNAVAILABLE,
                "{\"status\":\""
                        + (obstacles.isEmpty() ? "ready" : "not ready")
                        + "\",\"reasons\":"
                        + json(obstacles)
                        + ",\"degraded\":"
                        + json(health.defects())
                        + "}");
    }

    private static void answer(HttpExchange exchange, int status, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private static String json(List<String> texts) {
        return texts.stream()
                .map(HealthEndpoint::quoted)
                .collect(Collectors.joining(",", "[", "]"));
    }

    // RFC 8259 7: quotation mark, reverse solidus and controls must be escaped.
    private static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** Frees the address; {@link #open} takes it again. */
    @Override
    public synchronized void close() {
        if (binding != null) {
            binding.interrupt();
            binding = null;
        }
        if (server != null) {
            server.stop(0);
            server = null;
        }
    }
}
