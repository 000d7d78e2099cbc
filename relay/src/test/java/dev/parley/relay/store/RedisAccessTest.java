package dev.parley.relay.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.config.HostPort;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ways to a real Redis: as a Cluster, as an ACL user, by TLS. */
class RedisAccessTest {
    private static final StoredRoute ROUTE = new StoredRoute(0, 0xFFFF_0A00_0003L, 7200, 4, 5, 6);
    private static final int MOST_TRIES = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @TempDir private Path folder;

    private static RedisSettings settings(
            RedisMode mode, HostPort node, String caFile, String username, String password) {
        return new RedisSettings(
                mode,
                List.of(node),
                "",
                !caFile.isEmpty(),
                caFile,
                username,
                password,
                "",
                0,
                PATIENCE,
                "parley:flow:");
    }

    /** Writes, reads, refreshes and removes; fails when any of it does not work. */
    private static void assertWorks(RedisServer redis, RedisSettings settings) throws Exception {
        Semaphore wakeups = new Semaphore(0);
        try (FlowStore store =
                FlowStore.redis(settings, new StoreSettings(Duration.ofSeconds(60)))) {
            StoreLane lane = store.open(wakeups::release);
            await(lane::isAvailable, store);
            assertThat(writeAndRead(lane, wakeups)).isEqualTo(ROUTE);
            ask(lane, StoreLane.Kind.REMOVE);
            await(() -> redis.command("DBSIZE").equals(":0\r\n"), store);
            assertThat(store.findProblem()).isNull();
        }
    }

    // A client of a cluster may lose its first commands while it learns who serves what. The relay
    // asks again for the next packet.
    private static @Nullable StoreAnswer writeAndRead(StoreLane lane, Semaphore wakeups)
            throws InterruptedException {
        StoreAnswer answer = StoreAnswer.Miss.FAILED;
        for (int i = 0; i < MOST_TRIES && answer == StoreAnswer.Miss.FAILED; i++) {
            for (StoreLane.Kind kind :
                    List.of(StoreLane.Kind.WRITE, StoreLane.Kind.REFRESH, StoreLane.Kind.READ)) {
                ask(lane, kind);
            }
            assertThat(wakeups.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            answer = lane.pollAnswer(0);
        }
        return answer;
    }

    private static void ask(StoreLane lane, StoreLane.Kind kind) {
        assertThat(lane.begin(kind, 0)).isTrue();
        lane.client(0, 0xFFFF_0000_0001L, 7)
                .publicAddress(0, 0xFFFF_0000_0002L, 3478)
                .transceiver(
                        ROUTE.transceiverHigh(),
                        ROUTE.transceiverLow(),
                        ROUTE.transceiverPort(),
                        ROUTE.clusterId())
                .session(ROUTE.sessionHigh(), ROUTE.sessionLow())
                .commit();
    }

    private static void await(BooleanSupplier until, @Nullable FlowStore store) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!until.getAsBoolean()) {
            assertThat(deadline - System.nanoTime())
                    .as("patience; %s", store == null ? "" : store.findProblem())
                    .isPositive();
            Thread.onSpinWait();
        }
    }

    @Test
    void storesInACluster() throws Exception {
        try (RedisServer redis =
                RedisServer.start(
                        folder,
                        "--cluster-enabled",
                        "yes",
                        "--cluster-announce-ip",
                        "127.0.0.1",
                        "--cluster-port",
                        Integer.toString(FreePorts.next()))) {
            redis.command("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
            await(() -> redis.command("CLUSTER", "INFO").contains("cluster_state:ok"), null);
            assertWorks(redis, settings(RedisMode.CLUSTER, redis.address(), "", "", ""));
        }
    }

    @Test
    void needsNoMoreThanTheDocumentedCommands() throws Exception {
        try (RedisServer redis = RedisServer.start(folder)) {
            String made =
                    redis.command(
                            "ACL",
                            "SETUSER",
                            "relay",
                            "on",
                            ">secret",
                            "~parley:flow:*",
                            "+getrange",
                            "+set",
                            "+eval",
                            "+del",
                            "+ping",
                            "+hello",
                            "+client",
                            "+select");
            assertThat(made).isEqualTo("+OK\r\n");
            assertWorks(
                    redis, settings(RedisMode.STANDALONE, redis.address(), "", "relay", "secret"));
        }
    }

    @Test
    void saysThatThePasswordIsWrong() {
        try (RedisServer redis = RedisServer.start(folder)) {
            redis.command("ACL", "SETUSER", "relay", "on", ">secret", "~*", "+@all");
            try (FlowStore store =
                    FlowStore.redis(
                            settings(RedisMode.STANDALONE, redis.address(), "", "relay", "other"),
                            new StoreSettings(Duration.ofSeconds(60)))) {
                await(() -> String.valueOf(store.findProblem()).contains("WRONGPASS"), store);
                assertThat(store.findProblem()).doesNotContain("other");
            }
        }
    }

    @Test
    void speaksTls() throws Exception {
        makeCertificate();
        HostPort tls = new HostPort("127.0.0.1", FreePorts.next());
        try (RedisServer redis =
                RedisServer.start(
                        folder,
                        "--tls-port",
                        Integer.toString(tls.port()),
                        "--tls-cert-file",
                        folder.resolve("cert.pem").toString(),
                        "--tls-key-file",
                        folder.resolve("key.pem").toString(),
                        "--tls-ca-cert-file",
                        folder.resolve("cert.pem").toString(),
                        "--tls-auth-clients",
                        "no")) {
            String ca = folder.resolve("cert.pem").toString();
            assertWorks(redis, settings(RedisMode.STANDALONE, tls, ca, "", ""));
        }
    }

    private void makeCertificate()
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("keys.p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-keyalg",
                                "EC",
                                "-alias",
                                "redis",
                                "-dname",
                                "CN=redis",
                                "-ext",
                                "SAN=ip:127.0.0.1",
                                "-storepass",
                                "password",
                                "-keystore",
                                store.toString())
                        .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        char[] password = "password".toCharArray();
        try (FileInputStream in = new FileInputStream(store.toFile())) {
            keys.load(in, password);
        }
        pem("cert.pem", "CERTIFICATE", keys.getCertificate("redis").getEncoded());
        pem("key.pem", "PRIVATE KEY", keys.getKey("redis", password).getEncoded());
    }

    private void pem(String file, String kind, byte[] bytes) throws IOException {
        Files.writeString(
                folder.resolve(file),
                "-----BEGIN "
                        + kind
                        + "-----\n"
                        + Base64.getMimeEncoder().encodeToString(bytes)
                        + "\n-----END "
                        + kind
                        + "-----\n");
    }
}
