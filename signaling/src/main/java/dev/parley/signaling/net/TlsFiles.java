package dev.parley.signaling.net;

import dev.parley.runtime.config.ConfigException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A certificate chain with its key, as PEM files hold them.
 *
 * @param chain the server's own certificate first
 * @param key of that certificate
 */
record TlsFiles(List<X509Certificate> chain, PrivateKey key) {
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY");
    private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA");

    /**
     * Reads both files' contents.
     *
     * @throws ConfigException when they cannot be used, naming the option at fault
     */
    static TlsFiles parse(byte[] certificatePem, byte[] keyPem) {
        List<X509Certificate> chain = chain(certificatePem);
        PrivateKey key = key(keyPem);
        requirePair(chain.getFirst(), key);
        return new TlsFiles(chain, key);
    }

    private static List<X509Certificate> chain(byte[] pem) {
        try {
            List<X509Certificate> chain =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem))
                            .stream()
                            .map(X509Certificate.class::cast)
                            .toList();
            if (!chain.isEmpty()) {
                return chain;
            }
        } catch (CertificateException _) {
            // The one message below fits.
        }
        throw new ConfigException("tls_certificate_file: holds no PEM certificates");
    }

    private static PrivateKey key(byte[] pem) {
        Matcher matcher = PKCS8.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            throw new ConfigException(
                    "tls_key_file: holds no unencrypted PKCS #8 key (BEGIN PRIVATE KEY); convert"
                            + " it with: openssl pkcs8 -topk8 -nodes");
        }
        byte[] encoded = Base64.getMimeDecoder().decode(matcher.group(1));
        for (String type : KEY_TYPES) {
            try {
                return KeyFactory.getInstance(type)
                        .generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException _) {
                // Another type's.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this JDK lacks " + type, e);
            }
        }
        throw new ConfigException("tls_key_file: holds a key that is neither EC, RSA nor EdDSA");
    }

    private static void requirePair(X509Certificate certificate, PrivateKey key) {
        String algorithm =
                switch (key.getAlgorithm()) {
                    case "EC" -> "SHA256withECDSA";
                    case "RSA" -> "SHA256withRSA";
                    default -> "EdDSA";
                };
        byte[] sample = "which key is it".getBytes(StandardCharsets.US_ASCII);
        try {
            Signature signature = Signature.getInstance(algorithm);
            signature.initSign(key);
            signature.update(sample);
            byte[] signed = signature.sign();
            signature.initVerify(certificate);
            signature.update(sample);
            if (signature.verify(signed)) {
                return;
            }
        } catch (GeneralSecurityException _) {
            // Of different types.
        }
        throw new ConfigException("tls_key_file: is not the key of tls_certificate_file");
    }
}
