package dev.parley.runtime.tls;

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
 * @param chain the certificate of the key first, then those that lead to who signed it
 * @param key of that certificate
 */
public record CertifiedKey(List<X509Certificate> chain, PrivateKey key) {
    private static final Pattern PKCS8 =
            Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY");
    private static final List<String> KEY_TYPES = List.of("EC", "RSA", "EdDSA");

    /** The options that name the two files, for errors. */
    public record Options(String certificateFile, String keyFile) {}

    /**
     * Reads both files' contents.
     *
     * @throws ConfigException when they cannot be used, naming the option at fault
     */
    public static CertifiedKey parse(byte[] certificatePem, byte[] keyPem, Options options) {
        List<X509Certificate> chain = certificates(certificatePem, options.certificateFile());
        PrivateKey key = key(keyPem, options.keyFile());
        if (!isPair(chain.getFirst(), key)) {
            throw new ConfigException(
                    options.keyFile() + ": is not the key of " + options.certificateFile());
        }
        return new CertifiedKey(chain, key);
    }

    /**
     * Reads the certificates of a file's contents.
     *
     * @param option that names the file, for errors
     * @throws ConfigException when there are none, or they cannot be read
     */
    public static List<X509Certificate> certificates(byte[] pem, String option) {
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
        throw new ConfigException(option + ": holds no PEM certificates");
    }

    private static PrivateKey key(byte[] pem, String option) {
        Matcher matcher = PKCS8.matcher(new String(pem, StandardCharsets.ISO_8859_1));
        if (!matcher.find()) {
            throw new ConfigException(
                    option
                            + ": holds no unencrypted PKCS #8 key (BEGIN PRIVATE KEY); convert it"
                            + " with: openssl pkcs8 -topk8 -nodes");
        }
        for (String type : KEY_TYPES) {
            try {
                return KeyFactory.getInstance(type)
                        .generatePrivate(
                                new PKCS8EncodedKeySpec(
                                        Base64.getMimeDecoder().decode(matcher.group(1))));
            } catch (InvalidKeySpecException | IllegalArgumentException _) {
                // Another type's, or none.
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException("this JDK lacks " + type, e);
            }
        }
        throw new ConfigException(option + ": holds a key that is neither EC, RSA nor EdDSA");
    }

    private static boolean isPair(X509Certificate certificate, PrivateKey key) {
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
            signature.initVerify(certificate.getPublicKey());
            signature.update(sample);
            return signature.verify(signed);
        } catch (GeneralSecurityException _) {
            return false; // Of different types.
        }
    }
}
