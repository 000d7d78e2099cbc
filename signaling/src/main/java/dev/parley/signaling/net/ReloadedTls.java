package dev.parley.signaling.net;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.reload.WatchedFiles;
import dev.parley.runtime.tls.CertifiedKey;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * TLS for the listener, whose certificate and key are read again when their files change. New
 * handshakes get the newest pair, those under way end with the one that they began with.
 */
public final class ReloadedTls {
    private static final CertifiedKey.Options OPTIONS =
            new CertifiedKey.Options("tls_certificate_file", "tls_key_file");

    private final WatchedFiles<String> files;
    private final Keys keys = new Keys();
    private final SSLContext context;

    /**
     * Reads the files for the first time.
     *
     * @throws ConfigException when the files cannot be used
     */
    public ReloadedTls(Path certificateFile, Path keyFile) {
        this.files =
                new WatchedFiles<>(
                        "tls_certificate_file",
                        List.of(certificateFile, keyFile),
                        contents ->
                                keys.add(
                                        CertifiedKey.parse(
                                                contents.getFirst(), contents.get(1), OPTIONS)));
        try {
            this.context = SSLContext.getInstance("TLS");
            // Trust is for client certificates, which are not asked for.
            context.init(new KeyManager[] {keys}, new TrustManager[0], new SecureRandom());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks TLS", e);
        }
    }

    public SSLContext context() {
        return context;
    }

    /** Looks whether the files changed. */
    public void check() {
        files.check();
    }

    /** Times that changed files could not be used. */
    public long failures() {
        return files.failures();
    }

    /** Keeps the pairs of this and the last files under names of their own. */
    private static final class Keys extends X509ExtendedKeyManager {
        private final Map<String, CertifiedKey> pairs = new ConcurrentHashMap<>();
        private final AtomicInteger count = new AtomicInteger();
        private volatile String newest = "";

        String add(CertifiedKey pair) {
            int number = count.incrementAndGet();
            String name = "pair " + number;
            pairs.put(name, pair);
            newest = name;
            pairs.remove("pair " + (number - 2));
            return name;
        }

        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            CertifiedKey pair = pairs.get(newest);
            boolean fits =
                    pair != null
                            && (pair.key().getAlgorithm().equals(keyType)
                                    || publicKeyType(pair).equals(keyType));
            return fits ? newest : null;
        }

        // Of Edwards curves the one says EdDSA and the other Ed25519.
        private static String publicKeyType(CertifiedKey pair) {
            return pair.chain().getFirst().getPublicKey().getAlgorithm();
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return chooseEngineServerAlias(keyType, issuers, null);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            CertifiedKey pair = pairs.get(alias);
            return pair == null ? null : pair.chain().toArray(X509Certificate[]::new);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            CertifiedKey pair = pairs.get(alias);
            return pair == null ? null : pair.key();
        }

        @Override
        public String[] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {newest};
        }

        @Override
        public String @Nullable [] getClientAliases(
                String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }
}
