package dev.parley.transceiver.peer;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import java.util.concurrent.atomic.AtomicLong;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority that signs certificates for 127.0.0.1, as PEM files in a test's folder. */
public final class TestCertificates {
    private static final AtomicLong SERIAL = new AtomicLong(1);

    private final X500Name name;
    private final KeyPair keys = keys();
    private final X509Certificate root;

    public TestCertificates(String name) {
        this.name = new X500Name("CN=" + name);
        this.root = sign(this.name, keys, true);
    }

    private static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private X509Certificate sign(X500Name subject, KeyPair of, boolean authority) {
        try {
            JcaX509v3CertificateBuilder builder =
                    new JcaX509v3CertificateBuilder(
                            name,
                            BigInteger.valueOf(SERIAL.getAndIncrement()),
                            Date.from(Instant.now().minus(1, ChronoUnit.DAYS)),
                            Date.from(Instant.now().plus(1, ChronoUnit.DAYS)),
                            subject,
                            of.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                            .build(keys.getPrivate())));
        } catch (OperatorCreationException | IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    /** Writes the authority's own certificate. */
    public void writeRoot(Path file) throws IOException {
        Files.writeString(file, pem("CERTIFICATE", encoded(root)));
    }

    /** Writes a fresh certificate of this name, and its key. */
    public void write(String subject, Path certificate, Path key) throws IOException {
        KeyPair fresh = keys();
        X509Certificate signed = sign(new X500Name("CN=" + subject), fresh, false);
        Files.writeString(certificate, pem("CERTIFICATE", encoded(signed)));
        Files.writeString(key, pem("PRIVATE KEY", fresh.getPrivate().getEncoded()));
    }

    private static byte[] encoded(X509Certificate certificate) {
        try {
            return certificate.getEncoded();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static String pem(String kind, byte[] bytes) {
        String text =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes);
        return "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n";
    }
}
