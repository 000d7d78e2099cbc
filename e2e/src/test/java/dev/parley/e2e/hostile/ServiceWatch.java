package dev.parley.e2e.hostile;

import dev.parley.bench.ProcessMemory;
import dev.parley.e2e.hostile.HostileSystem.Service;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What the services' processes hold, and the most of it while something goes on: a thread looks a
 * few times a second. Owned by one drill.
 */
final class ServiceWatch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 250;

    /** What one process holds as the kernel counts it. */
    record Held(double residentMib, int threads, int descriptors) {
        Held most(Held other) {
            return new Held(
                    Math.max(residentMib, other.residentMib),
                    Math.max(threads, other.threads),
                    Math.max(descriptors, other.descriptors));
        }
    }

    private final HostileSystem system;
    private final Map<Service, Held> most = new EnumMap<>(Service.class);
    private final Thread thread;
    private volatile boolean closed;

    private ServiceWatch(HostileSystem system) {
        this.system = system;
        this.thread = Thread.ofPlatform().daemon().name("watch").unstarted(this::watch);
    }

    /** Looks on until it is closed. */
    static ServiceWatch start(HostileSystem system) {
        ServiceWatch watch = new ServiceWatch(system);
        watch.thread.start();
        return watch;
    }

    /** What all hold now. */
    static Map<Service, Held> look(HostileSystem system) throws IOException {
        Map<Service, Held> held = new EnumMap<>(Service.class);
        for (Service service : Service.values()) {
            held.put(service, look(system.pid(service)));
        }
        return held;
    }

    private static Held look(long pid) throws IOException {
        return new Held(ProcessMemory.residentMib(pid), threads(pid), descriptors(pid));
    }

    private static int threads(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
                .filter(line -> line.startsWith("Threads:"))
                .mapToInt(line -> Integer.parseInt(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }

    private static int descriptors(long pid) throws IOException {
        int count = 0;
        try (DirectoryStream<Path> open =
                Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (Path _ : open) {
                count++;
            }
        }
        return count;
    }

    private void watch() {
        try {
            while (!closed) {
                synchronized (most) {
                    look(system).forEach((service, held) -> most.merge(service, held, Held::most));
                }
                TimeUnit.MILLISECONDS.sleep(INTERVAL_MILLIS);
            }
        } catch (IOException e) {
            throw new IllegalStateException("a service has ended", e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** The most of each that was seen so far. */
    Map<Service, Held> most() {
        synchronized (most) {
            return new EnumMap<>(most);
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
