package dev.parley.signaling.pool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Follows the endpoints of one Kubernetes service on a virtual thread of its own: lists them, then
 * watches for changes from where the list ended, and begins anew when the server no longer knows
 * what was before. Where it may not watch it lists again and again. Any thread may ask.
 */
final class EndpointWatch implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(EndpointWatch.class.getName());
    private static final int MAX_PAGES = 100;

    /** How long the server is to let a watch go on: about a minute, not all at once. */
    private static final int WATCH_SECONDS = 50;

    private static final int WATCH_SPREAD_SECONDS = 20;
    private static final Duration SILENCE = Duration.ofSeconds(90);
    private static final int MAX_DELAY_TIMES = 32;

    private final KubernetesApi api;
    private final String path;
    private final EndpointSlices slices;
    private final Duration interval;
    private final CountDownLatch listed = new CountDownLatch(1);
    private final Thread thread;
    private volatile Set<HostPort> known = Set.of();
    private volatile String problem = "";
    private volatile long heardNanos = System.nanoTime();
    private volatile @Nullable InputStream open;
    private volatile boolean closed;
    private boolean complained;

    /**
     * Does nothing yet.
     *
     * @param path of the service's EndpointSlices in the API, with a query
     * @param interval between two lists where it may not watch, and after the first failure
     */
    EndpointWatch(KubernetesApi api, String path, int port, Duration interval) {
        this.api = api;
        this.path = path;
        this.slices = new EndpointSlices(port);
        this.interval = interval;
        this.thread = Thread.ofVirtual().name("endpoint-watch").unstarted(this::run);
    }

    /** Starts following. */
    void start() {
        thread.start();
    }

    /** The server no longer knows the version that a watch should begin with. */
    private static final class GoneException extends IOException {
        private static final long serialVersionUID = 1L;
    }

    /**
     * The ready endpoints.
     *
     * @param patience for the first list
     * @throws IOException when they cannot be told, or may no longer be right
     */
    Set<HostPort> current(Duration patience) throws IOException {
        try {
            boolean ready = listed.await(patience.toMillis(), TimeUnit.MILLISECONDS);
            if (!problem.isEmpty()) {
                throw new IOException(problem);
            }
            if (!ready) {
                throw new IOException("the Kubernetes API has not answered yet");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (System.nanoTime() - heardNanos > SILENCE.toNanos()) {
            // The server ends each watch sooner than that: the connection is dead and nobody says.
            breakOff();
        }
        return known;
    }

    private void run() {
        int delays = 0;
        String version = "";
        while (!closed && pause(delays)) {
            try {
                if (version.isEmpty()) {
                    version = list();
                }
                long began = System.nanoTime();
                version = follow(version);
                // A server or proxy that ends each watch at once would be asked without a pause.
                boolean brief = System.nanoTime() - began < interval.toNanos();
                delays = version.isEmpty() || brief ? 1 : 0;
            } catch (GoneException _) {
                version = "";
                delays = 1;
            } catch (IOException | RuntimeException e) {
                // Whatever it was that could not be read: those known stay, and it is tried again.
                problem = String.valueOf(e.getMessage());
                delays = Math.clamp(delays * 2L, 1, MAX_DELAY_TIMES);
            }
        }
    }

    private boolean pause(int times) {
        try {
            long millis = interval.toMillis() * times;
            // Instances that lost the same server should not all come back at once.
            Thread.sleep(millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1));
            return true;
        } catch (InterruptedException _) {
            return false;
        }
    }

    /** Answers the version that the list is of. */
    private String list() throws IOException {
        String version = "";
        String next = "";
        for (int page = 0; page < MAX_PAGES; page++) {
            // Any version will do: the server has one at hand, and the watch brings it up to date.
            JsonNode list =
                    api.get(
                            path
                                    + "&limit=500"
                                    + (next.isEmpty()
                                            ? "&resourceVersion=0"
                                            : "&continue=" + next));
            if (page == 0) {
                slices.clear();
            }
            list.path("items").forEach(slices::put);
            version = list.path("metadata").path("resourceVersion").asText("");
            next = list.path("metadata").path("continue").asText("");
            if (next.isEmpty()) {
                publish();
                return version;
            }
        }
        throw new IOException("the list of endpoints has no end");
    }

    private void publish() {
        known = slices.ready();
        problem = "";
        heardNanos = System.nanoTime();
        listed.countDown();
    }

    /** Watches until the server ends it; answers the version to go on from, or empty to list. */
    private String follow(String version) throws IOException {
        int seconds = WATCH_SECONDS + ThreadLocalRandom.current().nextInt(WATCH_SPREAD_SECONDS);
        String last = version;
        try (InputStream events =
                api.open(
                        path
                                + "&watch=true&allowWatchBookmarks=true&timeoutSeconds="
                                + seconds
                                + "&resourceVersion="
                                + version)) {
            open = events;
            problem = "";
            heardNanos = System.nanoTime();
            MappingIterator<JsonNode> each = api.values(events);
            while (!closed && each.hasNextValue()) {
                last = take(each.nextValue(), last);
            }
            return last;
        } catch (KubernetesApi.StatusException e) {
            return withoutWatch(e);
        } catch (UncheckedIOException e) {
            throw new IOException("the watch of the Kubernetes API broke", e);
        } finally {
            open = null;
        }
    }

    private String withoutWatch(KubernetesApi.StatusException refusal) throws IOException {
        if (refusal.status() == 410) {
            throw new GoneException();
        }
        if (refusal.status() != 403) {
            throw refusal;
        }
        if (!complained) {
            complained = true;
            LOGGER.log(
                    Level.WARNING,
                    "the service account may not watch endpointslices; they are listed again and"
                            + " again: grant the verb watch beside list");
        }
        return "";
    }

    private String take(JsonNode event, String last) throws IOException {
        JsonNode slice = event.path("object");
        switch (event.path("type").asText("")) {
            case "ADDED", "MODIFIED" -> slices.put(slice);
            case "DELETED" -> slices.remove(slice);
            case "ERROR" -> {
                if (slice.path("code").asInt() == 410) {
                    throw new GoneException();
                }
                throw new IOException(
                        "the Kubernetes API ends the watch: " + slice.path("message").asText(""));
            }
            default -> {
                // BOOKMARK says how far it is; what is unknown says nothing else.
            }
        }
        publish();
        String version = slice.path("metadata").path("resourceVersion").asText("");
        return version.isEmpty() ? last : version;
    }

    private void breakOff() {
        InputStream stream = open;
        if (stream != null) {
            try {
                stream.close();
            } catch (IOException _) {
                // It is over either way.
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        breakOff();
    }
}
