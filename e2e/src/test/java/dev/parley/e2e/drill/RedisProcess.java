package dev.parley.e2e.drill;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A real redis-server, or a Sentinel, on a free port. Owned by one drill. */
public final class RedisProcess implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;
    private static final int LONGEST_REPLY = 1 << 16;

    private final List<String> command;
    private final String address;
    private final int port;
    private Process process;

    private RedisProcess(List<String> command, String address, int port) throws IOException {
        this.command = command;
        this.address = address;
        this.port = port;
        this.process = launch();
    }

    /** Starts one on loopback. */
    public static RedisProcess start(Path folder, String... options) throws IOException {
        return startAt("127.0.0.1", folder, options);
    }

    /** Starts one on an address of this machine. */
    static RedisProcess startAt(String address, Path folder, String... options) throws IOException {
        int port = FreePorts.next();
        Path own = Files.createTempDirectory(folder, "redis");
        List<String> command = new ArrayList<>(List.of("redis-server", "--port", "" + port));
        command.addAll(List.of("--bind", address, "--save", "", "--dir", own.toString()));
        command.addAll(List.of("--protected-mode", "no", "--repl-diskless-sync-delay", "0"));
        command.addAll(List.of(options));
        return new RedisProcess(command, address, port);
    }

    /** Starts a Sentinel that watches a master under the name "flows". */
    static RedisProcess startSentinel(Path folder, RedisProcess master) throws IOException {
        int port = FreePorts.next();
        Path config = folder.resolve("sentinel-" + port + ".conf");
        Files.writeString(
                config,
                """
                port %d
                bind 127.0.0.1
                dir %s
                sentinel monitor flows 127.0.0.1 %d 1
                sentinel down-after-milliseconds flows 1000
                sentinel failover-timeout flows 5000
                """
                        .formatted(port, folder, master.port));
        return new RedisProcess(
                List.of("redis-server", config.toString(), "--sentinel"), "127.0.0.1", port);
    }

    private Process launch() throws IOException {
        Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> read(started, ready));
        ready.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        return started;
    }

    private static void read(Process started, CompletableFuture<Void> ready) {
        StringBuilder printed = new StringBuilder();
        try (BufferedReader lines = started.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                printed.append(line).append('\n');
                if (line.contains("Ready to accept connections")
                        || line.contains("Sentinel ID is")) {
                    ready.complete(null);
                }
            }
        } catch (IOException e) {
            printed.append(e);
        }
        ready.completeExceptionally(new IllegalStateException(printed.toString()));
    }

    public int port() {
        return port;
    }

    /** What a relay's config says to use it. */
    String relayOptions() {
        return "flow_store: redis\nredis_nodes: [\"%s:%d\"]\n".formatted(address, port);
    }

    /** Sends one command without waiting for its end; answers the reply's first bytes. */
    String command(String... words) throws IOException {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        try (Socket socket = new Socket(InetAddress.getByName(address), port)) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            socket.getOutputStream().write(request.toString().getBytes(StandardCharsets.US_ASCII));
            byte[] reply = new byte[LONGEST_REPLY];
            int length = socket.getInputStream().read(reply);
            return new String(reply, 0, Math.max(0, length), StandardCharsets.US_ASCII);
        }
    }

    /** How many entries it holds. */
    long entries() throws IOException {
        return Long.parseLong(command("DBSIZE").substring(1).strip());
    }

    void kill() throws InterruptedException {
        var _ = process.destroyForcibly().waitFor();
    }

    /** Starts it again at the same place, empty. */
    void startAgain() throws IOException {
        process = launch();
    }

    /** Kills it and starts it again at the same place, empty. */
    void restart() throws IOException, InterruptedException {
        kill();
        startAgain();
    }

    @Override
    public void close() {
        var _ = process.destroyForcibly();
    }
}
