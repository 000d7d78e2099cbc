package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class TlsTest {
    @TempDir private static Path folder;
    private static KeyStore first;
    private static KeyStore second;

    @BeforeAll
    static void makeCertificates() throws Exception {
        first = selfSigned("first", "EC", "secp256r1");
        second = selfSigned("second", "RSA", "");
    }

    @Test
    @Timeout(60)
    void speaksTlsAndTakesAChangedCertificate() throws Exception {
        Path certificate = folder.resolve("tls.crt");
        Path key = folder.resolve("tls.key");
        write(first, certificate, key);
        try (var fixture = SignalingFixture.with();
                var secure = fixture.startAnother(tls(certificate, key))) {
            try (HttpClient client = trusting(first)) {
                assertThat(get(client, secure).statusCode()).isEqualTo(200);
            }
            write(second, certificate, key);
            // Looked at every few seconds.
            while (!"CN=second".equals(subject(secure))) {
                Thread.onSpinWait();
            }
            try (HttpClient client = trusting(second);
                    HttpClient old = trusting(first)) {
                assertThat(get(client, secure).statusCode()).isEqualTo(200);
                assertThatThrownBy(() -> get(old, secure))
                        .isInstanceOf(SSLHandshakeException.class);
            }
        }
    }

    @Test
    @Timeout(60)
    void endsHandshakesThatStop() throws Exception {
        Path certificate = folder.resolve("slow.crt");
        Path key = folder.resolve("slow.key");
        write(first, certificate, key);
        Map<String, String> config =
                Map.of(
                        "tls_certificate_file", certificate.toString(),
                        "tls_key_file", key.toString(),
                        "receive_timeout", "300ms");
        try (var warnings = new Warnings();
                var fixture = SignalingFixture.with();
                var secure = fixture.startAnother(config);
                var silent = new RawHttp(secure);
                var half = new RawHttp(secure);
                var plain = new RawHttp(secure)) {
            half.send("\u0016\u0003\u0001");
            plain.send("GET / HTTP/1.1\r\n\r\n");

            assertThat(silent.isClosed()).isTrue();
            assertThat(half.isClosed()).isTrue();
            var _ = plain.rest();
            assertThat(warnings.messages()).isEmpty();
            while (fixture.telemetry.snapshot().getOrDefault("parley.signaling.connections", 0L)
                    > 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void saysWhatIsWrongWithTheFiles() throws Exception {
        Path certificate = folder.resolve("a.crt");
        Path key = folder.resolve("a.key");
        write(first, certificate, key);
        Path other = folder.resolve("b.key");
        write(second, folder.resolve("b.crt"), other);
        Path empty = Files.writeString(folder.resolve("empty"), "");
        try (var fixture = SignalingFixture.with()) {
            assertThatThrownBy(() -> fixture.startAnother(tls(empty, key)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("tls_certificate_file: holds no PEM certificates");
            assertThatThrownBy(() -> fixture.startAnother(tls(certificate, empty)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("tls_key_file: holds no unencrypted PKCS #8 key");
            assertThatThrownBy(() -> fixture.startAnother(tls(certificate, other)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("tls_key_file: is not the key of tls_certificate_file");
            assertThatThrownBy(() -> fixture.startAnother(tls(folder.resolve("no"), key)))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("tls_certificate_file: the file ");
        }
    }

    private static Map<String, String> tls(Path certificate, Path key) {
        return Map.of(
                "tls_certificate_file", certificate.toString(), "tls_key_file", key.toString());
    }

    private static HttpResponse<String> get(HttpClient client, Signaling signaling)
            throws IOException, InterruptedException {
        URI uri = URI.create("https://localhost:" + signaling.address().getPort() + "/healthz");
        return client.send(
                HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Of the certificate that a fresh handshake shows. */
    private static String subject(Signaling signaling) throws Exception {
        SSLContext context = context(second);
        try (Socket socket =
                context.getSocketFactory()
                        .createSocket("localhost", signaling.address().getPort())) {
            ((SSLSocket) socket).startHandshake();
            Certificate shown = ((SSLSocket) socket).getSession().getPeerCertificates()[0];
            return ((X509Certificate) shown).getSubjectX500Principal().getName();
        } catch (SSLHandshakeException _) {
            return "another";
        }
    }

    private static HttpClient trusting(KeyStore store) throws Exception {
        return HttpClient.newBuilder().sslContext(context(store)).build();
    }

    private static SSLContext context(KeyStore store) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("it", store.getCertificate("it"));
        TrustManagerFactory trust =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    private static KeyStore selfSigned(String name, String algorithm, String group)
            throws Exception {
        Path file = folder.resolve(name + ".p12");
        Process keytool =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString(),
                                "-genkeypair",
                                "-alias",
                                "it",
                                "-dname",
                                "CN=" + name,
                                "-ext",
                                "san=dns:localhost",
                                "-keyalg",
                                algorithm,
                                group.isEmpty() ? "-keysize" : "-groupname",
                                group.isEmpty() ? "2048" : group,
                                "-storetype",
                                "PKCS12",
                                "-storepass",
                                "secret",
                                "-keystore",
                                file.toString())
                        .inheritIO()
                        .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(file)) {
            store.load(in, "secret".toCharArray());
        }
        return store;
    }

    private static void write(KeyStore store, Path certificate, Path key) throws Exception {
        // The key first: between the two writes they do not belong together, and are not used.
        Files.writeString(
                key, pem("PRIVATE KEY", store.getKey("it", "secret".toCharArray()).getEncoded()));
        Files.writeString(certificate, pem("CERTIFICATE", store.getCertificate("it").getEncoded()));
    }

    private static String pem(String label, byte[] bytes) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(label, Base64.getMimeEncoder().encodeToString(bytes), label);
    }
}
