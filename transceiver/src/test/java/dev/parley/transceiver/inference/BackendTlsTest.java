package dev.parley.transceiver.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.proto.inference.v1.VoiceAgentGrpc;
import dev.parley.runtime.config.ConfigException;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.OutputMemory;
import dev.parley.transceiver.peer.TestCertificates;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.TlsServerCredentials;
import io.grpc.TlsServerCredentials.ClientAuth;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Connections to backends that are secured on both sides, and what their metadata says. */
class BackendTlsTest {
    @TempDir private Path folder;

    private final TestCertificates authority = new TestCertificates("fleet");
    private final BlockingQueue<String> clients = new LinkedBlockingQueue<>();
    private final BlockingQueue<Metadata> metadata = new LinkedBlockingQueue<>();
    private Path ca;
    private Path certificate;
    private Path key;
    private Server server;

    @BeforeEach
    void serve() throws IOException {
        ca = folder.resolve("ca.pem");
        certificate = folder.resolve("edge.pem");
        key = folder.resolve("edge-key.pem");
        authority.writeRoot(ca);
        authority.write("edge-1", certificate, key);
        server = serverAt(0, authority);
    }

    @AfterEach
    void stop() {
        server.shutdownNow();
    }

    private TlsSettings mutual() {
        return new TlsSettings(true, ca.toString(), certificate.toString(), key.toString());
    }

    private Backends backends(TlsSettings tls) {
        return backends("127.0.0.1", tls);
    }

    private Backends backends(String host, TlsSettings tls) {
        BackendSettings usual = BackendSettings.DEFAULT;
        return Backends.open(
                Map.of("*", host + ":" + server.getPort()),
                new BackendSettings(
                        usual.keepalive(),
                        usual.keepaliveTimeout(),
                        usual.readyTimeout(),
                        usual.reconnectTimeout(),
                        tls),
                new AudioCounters());
    }

    private static CompletableFuture<SessionReady> call(Backends backends) {
        return InferenceCall.open(
                        backends,
                        SessionStart.newBuilder()
                                .setSessionId("0123456789abcdef0123456789abcdef")
                                .setModel("my model")
                                .putAttributes("caller", "shop")
                                .build(),
                        new Backlog(1, new OutputMemory(1, 1)))
                .ready();
    }

    private static String next(BlockingQueue<String> queue) throws InterruptedException {
        String next = queue.poll(10, TimeUnit.SECONDS);
        if (next == null) {
            throw new AssertionError("nobody came");
        }
        return next;
    }

    @Test
    void showsItsCertificateAndTellsWhoCallsWhat() throws Exception {
        try (Backends backends = backends(mutual())) {
            assertThat(call(backends).get(10, TimeUnit.SECONDS)).isNotNull();
            assertThat(next(clients)).isEqualTo("CN=edge-1");
            Metadata headers = metadata.remove();
            assertThat(value(headers, "parley-session-id"))
                    .isEqualTo("0123456789abcdef0123456789abcdef");
            assertThat(value(headers, "parley-model")).isEqualTo("my%20model");
            assertThat(value(headers, "parley-tenant")).isEqualTo("shop");
            assertThat(value(headers, "traceparent"))
                    .startsWith("00-0123456789abcdef0123456789abcdef-");
        }
    }

    private static String value(Metadata headers, String name) {
        return String.valueOf(headers.get(Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
    }

    @Test
    void takesCertificatesThatHaveChanged() throws Exception {
        try (Backends backends = backends(mutual())) {
            var _ = call(backends).get(10, TimeUnit.SECONDS);
            assertThat(next(clients)).isEqualTo("CN=edge-1");
            // Another authority on both sides: nothing of before is of use any more.
            TestCertificates renewed = new TestCertificates("fleet of tomorrow");
            renewed.writeRoot(ca);
            renewed.write("edge-2", certificate, key);
            backends.refreshTlsNow();
            restart(renewed);
            assertThat(retried(backends)).isEqualTo("CN=edge-2");
        }
    }

    /** Nothing of the connections of before is left. */
    private void restart(TestCertificates signer) throws Exception {
        int port = server.getPort();
        server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
        server = serverAt(port, signer);
    }

    private Server serverAt(int port, TestCertificates signer) throws IOException {
        Path own = folder.resolve("backend.pem");
        Path ownKey = folder.resolve("backend-key.pem");
        signer.write("backend", own, ownKey);
        return NettyServerBuilder.forAddress(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                        TlsServerCredentials.newBuilder()
                                .keyManager(own.toFile(), ownKey.toFile())
                                .trustManager(ca.toFile())
                                .clientAuth(ClientAuth.REQUIRE)
                                .build())
                .addService(ServerInterceptors.intercept(new Agent(), new Watch()))
                .build()
                .start();
    }

    private String retried(Backends backends) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (System.nanoTime() - deadline < 0) {
            CompletableFuture<SessionReady> ready = call(backends);
            try {
                var _ = ready.get(10, TimeUnit.SECONDS);
                return next(clients);
            } catch (ExecutionException e) {
                // The connection of before is only just being found broken.
                assertThat(e).hasMessageContaining("UNAVAILABLE");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
        throw new AssertionError("it is never reached");
    }

    @Test
    void keepsWhatItHasWhenNewFilesAreOfNoUse() throws Exception {
        try (Backends backends = backends(mutual())) {
            Files.writeString(key, "half a key");
            Files.writeString(ca, "half an authority");
            backends.refreshTlsNow();
            authority.writeRoot(ca);
            restart(authority);
            assertThat(retried(backends)).isEqualTo("CN=edge-1");
        }
    }

    @Test
    void waitsForTheKeyOfANewCertificate() throws Exception {
        try (Backends backends = backends(mutual())) {
            Path later = folder.resolve("later-key.pem");
            authority.write("edge-2", certificate, later);
            backends.refreshTlsNow();
            restart(authority);
            assertThat(retried(backends)).isEqualTo("CN=edge-1");
            Files.move(later, key, StandardCopyOption.REPLACE_EXISTING);
            backends.refreshTlsNow();
            restart(authority);
            assertThat(retried(backends)).isEqualTo("CN=edge-2");
        }
    }

    @Test
    void doesNotTalkToABackendOfAnotherName() throws Exception {
        // The certificate is for 127.0.0.1, which is where this name leads.
        try (Backends backends = backends("localhost", mutual())) {
            assertThatThrownBy(() -> call(backends).get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("UNAVAILABLE");
        }
        assertThat(clients).isEmpty();
    }

    @Test
    void saysThatAKeyIsAnotherCertificates() throws IOException {
        authority.write("edge-2", certificate, folder.resolve("other-key.pem"));
        assertThatThrownBy(() -> backends(mutual()))
                .isInstanceOf(ConfigException.class)
                .hasMessage("backend_key_file: is not the key of backend_certificate_file");
    }

    @Test
    void doesNotTalkToABackendThatAnotherAuthorityHasSigned() throws Exception {
        Path other = folder.resolve("other.pem");
        new TestCertificates("stranger").writeRoot(other);
        TlsSettings tls =
                new TlsSettings(true, other.toString(), certificate.toString(), key.toString());
        try (Backends backends = backends(tls)) {
            assertThatThrownBy(() -> call(backends).get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("UNAVAILABLE");
        }
        assertThat(clients).isEmpty();
    }

    @Test
    void isNotLetInWithoutACertificate() throws Exception {
        try (Backends backends = backends(new TlsSettings(true, ca.toString(), "", ""))) {
            assertThatThrownBy(() -> call(backends).get(10, TimeUnit.SECONDS))
                    .hasMessageContaining("UNAVAILABLE");
        }
        assertThat(clients).isEmpty();
    }

    @Test
    void saysWhichFileIsOfNoUse() {
        TlsSettings tls = new TlsSettings(true, folder.resolve("none.pem").toString(), "", "");
        assertThatThrownBy(() -> backends(tls))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("backend_ca_file: ")
                .hasMessageContaining("none.pem cannot be read");
    }

    private static final class Agent extends VoiceAgentGrpc.VoiceAgentImplBase {
        @Override
        public StreamObserver<ConverseRequest> converse(StreamObserver<ConverseResponse> out) {
            return new StreamObserver<>() {
                @Override
                public void onNext(ConverseRequest request) {
                    if (request.hasSessionStart()) {
                        out.onNext(
                                ConverseResponse.newBuilder()
                                        .setSessionReady(SessionReady.getDefaultInstance())
                                        .build());
                    }
                }

                @Override
                public void onError(Throwable t) {}

                @Override
                public void onCompleted() {
                    out.onCompleted();
                }
            };
        }
    }

    private final class Watch implements ServerInterceptor {
        @Override
        public <Q, A> ServerCall.Listener<Q> interceptCall(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
            metadata.add(headers);
            @Nullable SSLSession session =
                    call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
            try {
                Certificate shown = Objects.requireNonNull(session).getPeerCertificates()[0];
                clients.add(((X509Certificate) shown).getSubjectX500Principal().getName());
            } catch (SSLPeerUnverifiedException e) {
                clients.add("nobody");
            }
            return next.startCall(call, headers);
        }
    }
}
