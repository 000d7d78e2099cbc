package dev.parley.transceiver.inference;

import dev.parley.runtime.config.ConfigException;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.grpc.util.AdvancedTlsX509TrustManager.Verification;
import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;

/**
 * How connections to backends are secured: not at all, by the backend's certificate, or by
 * certificates of both sides. Files that have changed are read again now and then; connections that
 * are there go on with what they began with. Owned by {@link Backends}; any thread may enter.
 */
final class BackendTls {
    private static final System.Logger LOGGER = System.getLogger(BackendTls.class.getPackageName());

    private final List<Watched> files = new ArrayList<>();
    private final ChannelCredentials credentials;

    /** Reads a file, or several that belong together. */
    @FunctionalInterface
    private interface Reader {
        void read() throws IOException, GeneralSecurityException;
    }

    private BackendTls(TlsSettings settings) {
        if (!settings.on()) {
            credentials = InsecureChannelCredentials.create();
            return;
        }
        TlsChannelCredentials.Builder builder = TlsChannelCredentials.newBuilder();
        AdvancedTlsX509TrustManager trust = trust(settings);
        builder.trustManager(trust);
        if (settings.hasCertificate()) {
            AdvancedTlsX509KeyManager key = new AdvancedTlsX509KeyManager();
            File certificate = new File(settings.certificateFile());
            File keyFile = new File(settings.keyFile());
            watch(
                    "backend_certificate_file, backend_key_file",
                    () -> key.updateIdentityCredentials(certificate, keyFile),
                    certificate,
                    keyFile);
            builder.keyManager(key);
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
                File ca = new File(settings.caFile());
                watch("backend_ca_file", () -> trust.updateTrustCredentials(ca), ca);
            }
            return trust;
        } catch (GeneralSecurityException e) {
            throw new ConfigException("backend_tls: this system's trust is unusable: " + e);
        }
    }

    private void watch(String keys, Reader reader, File... read) {
        Watched watched = new Watched(keys, reader, List.of(read));
        try {
            watched.read();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new ConfigException(
                    keys
                            + ": "
                            + watched.names()
                            + " cannot be used ("
                            + e.getMessage()
                            + "); give files in PEM that this process may read");
        }
        files.add(watched);
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
        files.forEach(Watched::refresh);
    }

    /** Files, and when they were last read. */
    private static final class Watched {
        private final String keys;
        private final Reader reader;
        private final List<File> files;
        private List<Long> seen = List.of();

        Watched(String keys, Reader reader, List<File> files) {
            this.keys = keys;
            this.reader = reader;
            this.files = files;
        }

        void read() throws IOException, GeneralSecurityException {
            List<Long> now = state();
            reader.read();
            seen = now;
        }

        /** Changes whenever a file does, also one that was replaced within the same second. */
        private List<Long> state() {
            return files.stream().map(file -> file.lastModified() * 31 + file.length()).toList();
        }

        void refresh() {
            List<Long> now = state();
            if (now.equals(seen)) {
                return;
            }
            try {
                reader.read();
                LOGGER.log(Level.INFO, "{0}: {1} were read again", keys, names());
                seen = now;
            } catch (IOException | GeneralSecurityException | RuntimeException e) {
                // Perhaps only one of two has been written by now.
                LOGGER.log(
                        Level.WARNING,
                        "{0}: {1} have changed and cannot be used, so nothing has changed yet: {2}",
                        keys,
                        names(),
                        e.toString());
            }
        }

        String names() {
            return String.join(", ", files.stream().map(File::getPath).toList());
        }
    }
}
