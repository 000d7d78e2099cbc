package dev.parley.transceiver.inference;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.reload.WatchedFiles;
import dev.parley.runtime.tls.CertifiedKey;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * How connections to backends are secured: not at all, by the backend's certificate, or by
 * certificates of both sides. Files that have changed are read again now and then, a certificate
 * and its key only together; connections that are there go on with what they began with. Owned by
 * {@link Backends}; any thread may enter.
 */
final class BackendTls {
    private static final String CA_FILE = "backend_ca_file";
    private static final CertifiedKey.Options OWN_FILES =
            new CertifiedKey.Options("backend_certificate_file", "backend_key_file");

    private final List<WatchedFiles<?>> files = new ArrayList<>();
    private final ChannelCredentials credentials;

    private BackendTls(TlsSettings settings) {
        if (!settings.on()) {
            credentials = InsecureChannelCredentials.create();
            return;
        }
        TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
        builder.trustManager(trust(settings));
        if (settings.hasCertificate()) {
            builder.keyManager(key(settings));
        }
        credentials = builder.build();
    }

    /**
     * Reads what the settings name.
     *
     * @throws ConfigException when a file cannot be used; the message names the key
     */
    static BackendTls of(TlsSettings settings) {
        return new BackendTls(settings);
    }

    private AdvancedTlsX509TrustManager trust(TlsSettings settings) {
        try {
            AdvancedTlsX509TrustManager trust =
                    AdvancedTlsX509TrustManager.newBuilder()
                            .setVerification(Verification.CERTIFICATE_AND_HOST_NAME_VERIFICATION)
                            .build();
            if (settings.caFile().isEmpty()) {
                trust.useSystemDefaultTrustCerts();
            } else {
                watch(
                        CA_FILE,
                        List.of(settings.caFile()),
                        contents -> trust(trust, contents.getFirst()));
            }
            return trust;
        } catch (GeneralSecurityException e) {
            throw new ConfigException("backend_tls: this system's trust is unusable: " + e);
        }
    }

    private static List<X509Certificate> trust(AdvancedTlsX509TrustManager in, byte[] pem) {
        List<X509Certificate> authorities = CertifiedKey.certificates(pem, CA_FILE);
        try {
            in.updateTrustCredentials(authorities.toArray(X509Certificate[]::new));
            return authorities;
        } catch (IOException | GeneralSecurityException e) {
            throw new ConfigException(CA_FILE + ": holds certificates of no use: " + e);
        }
    }

    private AdvancedTlsX509KeyManager key(TlsSettings settings) {
        AdvancedTlsX509KeyManager manager = new AdvancedTlsX509KeyManager();
        watch(
                OWN_FILES.certificateFile(),
                List.of(settings.certificateFile(), settings.keyFile()),
                contents -> {
                    CertifiedKey own =
                            CertifiedKey.parse(contents.getFirst(), contents.get(1), OWN_FILES);
                    manager.updateIdentityCredentials(
                            own.chain().toArray(X509Certificate[]::new), own.key());
                    return own;
                });
        return manager;
    }

    private <T> void watch(String option, List<String> paths, WatchedFiles.Loader<T> loader) {
        files.add(new WatchedFiles<>(option, paths.stream().map(Path::of).toList(), loader));
    }

    ChannelCredentials credentials() {
        return credentials;
    }

    /** Whether there are files that may change. */
    boolean isWatching() {
        return !files.isEmpty();
    }

    /** Reads files again that have changed; what cannot be used changes nothing. May block. */
    synchronized void refresh() {
        files.forEach(WatchedFiles::check);
    }
}
