package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What signaling does for its clients when others hold more connections than it can open. */
class DescriptorsTest {
    private static final List<String> FEW_DESCRIPTORS =
            List.of("bash", "-c", "ulimit -n 400 && exec \"$0\" \"$@\"");
    private static final InetAddress SIGNALING = InetAddress.ofLiteral("127.0.0.1");
    private static final byte[] HEALTH =
            "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int PATIENCE_MILLIS = 60_000;

    @TempDir private Path folder;
    private final List<Socket> idle = new ArrayList<>();

    @Test
    @Timeout(120)
    void isThereAgainAfterAFloodOfConnections() throws IOException {
        try (ChildProcess signaling = signaling()) {
            String ready = signaling.awaitReady();
            int port = Integer.parseInt(ready.substring(ready.lastIndexOf(':') + 1));

            hold("127.0.0.2", port);
            assertThat(isHealthy(port)).isTrue();
            // Two addresses have all that there is.
            hold("127.0.0.3", port);
            hold("127.0.0.4", port);
            for (Socket socket : idle) {
                socket.close();
            }

            assertThat(isHealthy(port)).isTrue();
            assertThat(signaling.output())
                    .anyMatch(line -> line.contains("max_connections: "))
                    .noneMatch(line -> line.contains("not listened on any more"));
        }
    }

    private ChildProcess signaling() throws IOException {
        Path config = folder.resolve("signaling.yaml");
        Files.writeString(
                config,
                """
                http_address: 127.0.0.1:0
                admin_address: 127.0.0.1:0
                transceivers: 127.0.0.1:1
                relay_addresses: 203.0.113.10:3478
                call_id_key: 000102030405060708090a0b0c0d0e0f
                """);
        return ChildProcess.parley(FEW_DESCRIPTORS, "signaling", "--config", config.toString());
    }

    private void hold(String from, int port) throws IOException {
        for (int i = 0; i < 300; i++) {
            idle.add(connected(from, port));
        }
    }

    private static Socket connected(String from, int port) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
        socket.connect(new InetSocketAddress(SIGNALING, port));
        return socket;
    }

    private static boolean isHealthy(int port) throws IOException {
        try (Socket socket = connected("127.0.0.1", port)) {
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(HEALTH);
            byte[] start = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
            return new String(start, StandardCharsets.US_ASCII).equals("HTTP/1.1 200");
        }
    }
}
