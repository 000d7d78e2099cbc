package dev.parley.relay.store;

import dev.parley.runtime.config.HostPort;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A real redis-server on a free port of loopback. Owned by one test. */
final class RedisServer implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 20;

    private final Path folder;
    private final List<String> options;
    private final int port;
    private Process process;

    private RedisServer(Path folder, int port, List<String> options) {
        this.folder = folder;
        this.port = port;
        this.options = options;
        this.process = launch();
    }

    static RedisServer start(Path folder, String... options) {
        return new RedisServer(folder, FreePorts.next(), List.of(options));
    }

    private Process launch() {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "redis-server",
                                "--port",
                                Integer.toString(port),
                                "--bind",
                                "127.0.0.1",
                                "--save",
                                "",
                                "--dir",
                                folder.toString()));
        command.addAll(options);
        try {
            Process started = new ProcessBuilder(command).redirectErrorStream(true).start();
            CompletableFuture<Void> ready = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> read(started, ready));
            ready.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("redis-server is needed: ./parley test installs it", e);
        }
    }

    private static void read(Process started, CompletableFuture<Void> ready) {
        StringBuilder printed = new StringBuilder();
        try (BufferedReader lines = started.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                printed.append(line).append('\n');
                if (line.contains("Ready to accept connections")) {
                    ready.complete(null);
                }
            }
        } catch (IOException e) {
            printed.append(e);
        }
        ready.completeExceptionally(new IllegalStateException(printed.toString()));
    }

    HostPort address() {
        return new HostPort("127.0.0.1", port);
    }

    /** Sends one command; answers the reply as it stands on the wire. */
    String command(String... words) {
        StringBuilder request = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            request.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
            OutputStream out = socket.getOutputStream();
            out.write(request.toString().getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            InputStream in = socket.getInputStream();
            byte[] reply = new byte[65_536];
            int length = in.read(reply);
            return new String(reply, 0, Math.max(0, length), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void kill() {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts it again at the same place, empty. */
    void startAgain() {
        process = launch();
    }

    @Override
    public void close() {
        kill();
    }
}
