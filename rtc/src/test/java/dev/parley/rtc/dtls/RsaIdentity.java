package dev.parley.rtc.dtls;

import java.io.IOException;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.time.Instant;
import java.util.Date;
import java.util.HexFormat;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.tls.Certificate;
import org.bouncycastle.tls.HashAlgorithm;
import org.bouncycastle.tls.SignatureAlgorithm;
import org.bouncycastle.tls.SignatureAndHashAlgorithm;
import org.bouncycastle.tls.TlsContext;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.crypto.TlsCertificate;
import org.bouncycastle.tls.crypto.TlsCryptoParameters;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaDefaultTlsCredentialedSigner;

/** The RSA key and certificate of a peer that is no browser. */
record RsaIdentity(PrivateKey privateKey, Fingerprint fingerprint, String certificateHex) {
    private static final X500Name NAME = new X500Name("CN=peer");

    static RsaIdentity generate() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048, HandshakePair.RANDOM);
            KeyPair keys = generator.generateKeyPair();
            byte[] certificate =
                    new JcaX509v3CertificateBuilder(
                                    NAME,
                                    BigInteger.ONE,
                                    Date.from(Instant.EPOCH),
                                    Date.from(Instant.parse("2100-01-01T00:00:00Z")),
                                    NAME,
                                    keys.getPublic())
                            .build(
                                    new JcaContentSignerBuilder("SHA256withRSA")
                                            .build(keys.getPrivate()))
                            .getEncoded();
            return new RsaIdentity(
                    keys.getPrivate(),
                    Fingerprint.of("sha-256", certificate),
                    HexFormat.of().formatHex(certificate));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    TlsCredentials credentials(GuardedCrypto crypto, TlsContext context) throws IOException {
        TlsCertificate own = crypto.createCertificate(HexFormat.of().parseHex(certificateHex));
        return new JcaDefaultTlsCredentialedSigner(
                new TlsCryptoParameters(context),
                crypto,
                privateKey,
                new Certificate(new TlsCertificate[] {own}),
                SignatureAndHashAlgorithm.getInstance(
                        HashAlgorithm.sha256, SignatureAlgorithm.rsa));
    }
}
