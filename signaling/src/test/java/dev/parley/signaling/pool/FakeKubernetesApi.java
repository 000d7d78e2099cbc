package dev.parley.signaling.pool;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;

/**
 * EndpointSlices as an API server keeps them: each change has a version, a watch begins behind one,
 * and versions that were compacted away are gone. It sends bookmarks, breaks off, and denies verbs
 * when the test says so.
 */
final class FakeKubernetesApi implements AutoCloseable {
    static final String TOKEN = "secret";
    private static final ObjectMapper JSON = new ObjectMapper();

    private record Event(int version, String type, ObjectNode object) {}

    private final HttpServer server;
    private final TreeMap<String, ObjectNode> slices = new TreeMap<>();
    private final List<Event> events = new ArrayList<>();
    private final Set<String> denied = new HashSet<>();
    private int version = 100;
    private int compacted = 100;
    private int pageSize = 500;
    private int connection;
    private boolean listsStall;
    private boolean closed;

    /** Requests so far, {@code list} and {@code watch}. */
    final Map<String, Integer> asked = new HashMap<>();

    FakeKubernetesApi() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", this::handle);
        server.start();
    }

    URI uri() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }

    /** A slice is made or changed; an address that begins with {@code !} is not ready. */
    synchronized void put(String name, String... addresses) {
        ObjectNode slice = JSON.createObjectNode();
        slice.putObject("metadata").put("name", name).put("resourceVersion", "" + ++version);
        ArrayNode endpoints = slice.putArray("endpoints");
        for (String address : addresses) {
            ObjectNode endpoint = endpoints.addObject();
            endpoint.putArray("addresses").add(address.replace("!", ""));
            endpoint.putObject("conditions").put("ready", !address.startsWith("!"));
        }
        String type = slices.put(name, slice) == null ? "ADDED" : "MODIFIED";
        add(new Event(version, type, slice));
    }

    synchronized void delete(String name) {
        ObjectNode gone = Objects.requireNonNull(slices.remove(name)).deepCopy();
        ((ObjectNode) gone.path("metadata")).put("resourceVersion", "" + ++version);
        add(new Event(version, "DELETED", gone));
    }

    /** Something else has changed; whoever watches is told how far all is. */
    synchronized void bookmark() {
        ObjectNode object = JSON.createObjectNode();
        object.putObject("metadata").put("resourceVersion", "" + ++version);
        add(new Event(version, "BOOKMARK", object));
    }

    private void add(Event event) {
        events.add(event);
        notifyAll();
    }

    /** Forgets all that was before. */
    synchronized void compact() {
        events.clear();
        compacted = version;
        notifyAll();
    }

    /** Breaks every watch off. */
    synchronized void disconnect() {
        connection++;
        notifyAll();
    }

    synchronized void deny(String... verbs) {
        denied.clear();
        denied.addAll(Arrays.asList(verbs));
    }

    /** Lists end in the middle, or go on. */
    synchronized void stallLists(boolean stalled) {
        listsStall = stalled;
        notifyAll();
    }

    private synchronized void awaitLists() throws InterruptedException {
        while (listsStall && !closed) {
            wait();
        }
    }

    synchronized void pageSize(int slicesAPage) {
        pageSize = slicesAPage;
    }

    synchronized int asked(String verb) {
        return asked.getOrDefault(verb, 0);
    }

    private void handle(HttpExchange exchange) throws IOException {
        Map<String, String> query = new HashMap<>();
        for (String pair : exchange.getRequestURI().getRawQuery().split("&", -1)) {
            query.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
        }
        String verb = query.containsKey("watch") ? "watch" : "list";
        int status;
        synchronized (this) {
            asked.merge(verb, 1, Integer::sum);
            boolean known =
                    ("Bearer " + TOKEN)
                            .equals(exchange.getRequestHeaders().getFirst("Authorization"));
            status = !known ? 401 : denied.contains(verb) ? 403 : 200;
        }
        try (exchange) {
            if (status != 200) {
                exchange.sendResponseHeaders(status, -1);
            } else if (verb.equals("list")) {
                byte[] body = list(query).toString().getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body, 0, body.length / 2);
                exchange.getResponseBody().flush();
                awaitLists();
                exchange.getResponseBody()
                        .write(body, body.length / 2, body.length - body.length / 2);
            } else {
                exchange.sendResponseHeaders(200, 0);
                watch(
                        Integer.parseInt(query.getOrDefault("resourceVersion", "0")),
                        exchange.getResponseBody());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized ObjectNode list(Map<String, String> query) {
        int from = Integer.parseInt(query.getOrDefault("continue", "0"));
        ObjectNode list = JSON.createObjectNode();
        ObjectNode metadata = list.putObject("metadata").put("resourceVersion", "" + version);
        ArrayNode items = list.putArray("items");
        List<ObjectNode> all = List.copyOf(slices.values());
        all.subList(from, Math.min(all.size(), from + pageSize)).forEach(items::add);
        if (from + pageSize < all.size()) {
            metadata.put("continue", "" + (from + pageSize));
        }
        return list;
    }

    private void watch(int from, OutputStream out) throws IOException, InterruptedException {
        out.flush();
        int mine;
        synchronized (this) {
            mine = connection;
        }
        int seen = from;
        while (true) {
            List<Event> news = new ArrayList<>();
            synchronized (this) {
                if (closed || connection != mine) {
                    return;
                }
                if (seen < compacted) {
                    write(out, "ERROR", JSON.createObjectNode().put("code", 410));
                    return;
                }
                for (Event event : events) {
                    if (event.version() > seen) {
                        news.add(event);
                    }
                }
                if (news.isEmpty()) {
                    wait();
                }
            }
            for (Event event : news) {
                write(out, event.type(), event.object());
                seen = event.version();
            }
        }
    }

    private static void write(OutputStream out, String type, ObjectNode object) {
        ObjectNode line = JSON.createObjectNode().put("type", type);
        line.set("object", object);
        try {
            out.write((line + "\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            notifyAll();
        }
        server.stop(0);
    }
}
