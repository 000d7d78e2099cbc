package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.e2e.client.LibwebrtcCaller;
import dev.parley.proto.control.v1.SetDrainingRequest;
import dev.parley.proto.control.v1.TransceiverGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator does to a transceiver while a call of libwebrtc is on it. */
class OperatedTransceiverTest {
    /** Whoever runs the tests under nohup has their children ignore SIGHUP. */
    private static final List<String> HEEDING_HANGUP = List.of("env", "--default-signal=HUP");

    private static final String OLD_KEY = "5: 00112233445566778899aabbccddeeff";
    private static final String NEW_KEY = "6: ffeeddccbbaa99887766554433221100";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir private Path folder;
    private final List<ChildProcess> processes = new ArrayList<>();
    private String backend = "";
    private String relay = "";

    @BeforeEach
    void start() throws IOException {
        backend = address(service("inference-stub", "grpc_address: 127.0.0.1:0"));
        relay =
                address(
                        service(
                                "relay",
                                """
                                public_addresses: [127.0.0.1:0]
                                upstream_address: 127.0.0.1:0
                                health_address: 127.0.0.1:0
                                transceiver_cidrs: [127.0.0.0/8]
                                route_keys: {%s, %s}
                                """
                                        .formatted(OLD_KEY, NEW_KEY)));
    }

    @AfterEach
    void stop() {
        processes.reversed().forEach(ChildProcess::close);
    }

    @Test
    void keepsACallThroughNewKeysAndTwoDrains() throws IOException {
        ChildProcess transceiver = service("transceiver", config(5, OLD_KEY, "1h"));
        URI base = signaling(transceiver);
        try (LibwebrtcCaller call = LibwebrtcCaller.call(base, "echo")) {
            call.awaitConnected(PATIENCE);
            write("transceiver", config(6, OLD_KEY + ", " + NEW_KEY, "1h"));
            transceiver.hangUp();
            transceiver.awaitLine("new tokens are sealed with key 6");
            awaitAnotherCall(base);
            awaitMedia(call);

            transceiver.terminate();
            transceiver.awaitLine("draining: 1 calls");
            assertThatThrownBy(() -> LibwebrtcCaller.call(base, "echo").close())
                    .hasMessageContaining("refused with 503");
            awaitMedia(call);
            revoke(transceiver);
            transceiver.awaitLine("going on until the next signal");
            awaitAnotherCall(base);

            transceiver.terminate();
            awaitMedia(call);
            assertThat(call.hangUp()).isEqualTo(200);
        }
        assertThat(transceiver.awaitExit()).isZero();
        transceiver.awaitLine("drained");
    }

    @Test
    void endsTheCallsThatAreLeftAtTheDeadline() throws IOException {
        ChildProcess transceiver = service("transceiver", config(5, OLD_KEY, "1s"));
        try (LibwebrtcCaller call = LibwebrtcCaller.call(signaling(transceiver), "echo")) {
            call.awaitConnected(PATIENCE);
            transceiver.terminate();
            transceiver.awaitLine("drained no further: 1 calls are left");
            transceiver.awaitLine("reason=shutdown");
            assertThat(transceiver.awaitExit()).isZero();
            call.awaitDisconnected(PATIENCE);
        }
    }

    /** A call that begins now connects; signaling may have to hear first that it can. */
    private static void awaitAnotherCall(URI base) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try (LibwebrtcCaller call = LibwebrtcCaller.call(base, "echo")) {
                call.awaitConnected(PATIENCE);
                assertThat(call.hangUp()).isEqualTo(200);
                return;
            } catch (IllegalStateException refused) {
                if (System.nanoTime() - deadline > 0) {
                    throw refused;
                }
            }
        }
    }

    /** Another second of audio comes back. */
    private static void awaitMedia(LibwebrtcCaller call) {
        long enough = call.stats().packetsReceived() + 50;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (call.stats().packetsReceived() < enough) {
            assertThat(System.nanoTime()).as("silence").isLessThan(deadline);
            call.listen(Duration.ofMillis(100));
        }
    }

    private static void revoke(ChildProcess transceiver) {
        ManagedChannel channel =
                ManagedChannelBuilder.forTarget(address(transceiver)).usePlaintext().build();
        try {
            var _ =
                    TransceiverGrpc.newBlockingStub(channel)
                            .setDraining(
                                    SetDrainingRequest.newBuilder().setDraining(false).build());
        } finally {
            channel.shutdownNow();
        }
    }

    private URI signaling(ChildProcess transceiver) throws IOException {
        ChildProcess signaling =
                service(
                        "signaling",
                        """
                        http_address: 127.0.0.1:0
                        transceivers: ["%s"]
                        relay_addresses: ["%s"]
                        call_id_key: 0123456789abcdef0123456789abcdef
                        auth: any
                        """
                                .formatted(address(transceiver), relay));
        return URI.create("http://" + address(signaling));
    }

    private String config(int keyId, String keys, String drainTimeout) {
        return """
        media_address: 127.0.0.1:0
        control_address: 127.0.0.1:0
        relay_cidrs: [127.0.0.0/8]
        route_key_id: %d
        route_keys: {%s}
        drain_timeout: %s
        backends: {"*": "%s"}
        """
                .formatted(keyId, keys, drainTimeout, backend);
    }

    private Path write(String name, String yaml) throws IOException {
        return Files.writeString(folder.resolve(name + ".yaml"), yaml);
    }

    private ChildProcess service(String name, String yaml) throws IOException {
        ChildProcess process =
                ChildProcess.parley(HEEDING_HANGUP, name, "--config", write(name, yaml).toString());
        processes.add(process);
        process.awaitReady();
        return process;
    }

    /** From the line "ready NAME ADDRESS". */
    private static String address(ChildProcess process) {
        String line = process.awaitReady();
        return line.substring(line.lastIndexOf(' ') + 1);
    }
}
