package dev.parley.rtc.dtls;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Date;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The private key and self-signed certificate that we show in DTLS handshakes. Immutable; a process
 * makes one at its start and uses it for every session.
 */
public final class DtlsIdentity {
    private static final X500Name NAME = new X500Name("CN=parley");
    private static final int SERIAL_BITS = 127;

    // Nobody checks the dates of a certificate that is pinned by its fingerprint. RFC 5280 4.1.2.5:
    // 99991231235959Z says that there is no end.
    private static final Date NOT_BEFORE = Date.from(Instant.parse("2020-01-01T00:00:00Z"));
    private static final Date NOT_AFTER = Date.from(Instant.parse("9999-12-31T23:59:59Z"));

    private final PrivateKey privateKey;
    private final byte[] certificate;
    private final Fingerprint fingerprint;

    private DtlsIdentity(PrivateKey privateKey, byte[] certificate) {
        this.privateKey = privateKey;
        this.certificate = certificate;
        this.fingerprint = Fingerprint.of("sha-256", certificate);
    }

    /** A new ECDSA P-256 key and certificate, RFC 8827 6.5. */
    public static DtlsIdentity generate(SecureRandom random) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"), random);
            KeyPair keys = generator.generateKeyPair();
            byte[] certificate =
                    new JcaX509v3CertificateBuilder(
                                    NAME,
                                    new BigInteger(SERIAL_BITS, random).add(BigInteger.ONE),
                                    NOT_BEFORE,
                                    NOT_AFTER,
                                    NAME,
                                    keys.getPublic())
                            .build(
                                    new JcaContentSignerBuilder("SHA256withECDSA")
                                            .setSecureRandom(random)
                                            .build(keys.getPrivate()))
                            .getEncoded();
            return new DtlsIdentity(keys.getPrivate(), certificate);
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new IllegalStateException("This JDK cannot make a P-256 certificate", e);
        }
    }

    /** What goes into {@code a=fingerprint}, by SHA-256. */
    public Fingerprint fingerprint() {
        return fingerprint;
    }

    PrivateKey privateKey() {
        return privateKey;
    }

    /** The certificate's DER bytes. */
    byte[] certificate() {
        return certificate.clone();
    }
}
