package dev.parley.rtc.dtls;

import java.util.List;
import java.util.Vector;
import java.util.stream.IntStream;
import org.bouncycastle.tls.CipherSuite;
import org.bouncycastle.tls.NamedGroup;
import org.bouncycastle.tls.SignatureAndHashAlgorithm;
import org.bouncycastle.tls.SignatureScheme;

/** What we offer and accept in a handshake, RFC 8827 6.5, most wanted first. */
@SuppressWarnings({"rawtypes", "unchecked", "JdkObsolete"}) // Bouncy Castle's signatures
final class DtlsSuites {
    /** Groups for the ephemeral key exchange. */
    static final List<Integer> GROUPS =
            List.of(NamedGroup.x25519, NamedGroup.secp256r1, NamedGroup.secp384r1);

    private static final int[] ECDSA = {
        CipherSuite.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        CipherSuite.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        CipherSuite.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
    };

    private static final int[] RSA = {
        CipherSuite.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        CipherSuite.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        CipherSuite.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    };

    // Peers sign with the key of their certificate: ECDSA in browsers, RSA in some clients. RSA-PSS
    // is left out: Bouncy Castle looks for it under a name that the JDK's providers do not have.
    private static final int[] SIGNATURE_SCHEMES = {
        SignatureScheme.ecdsa_secp256r1_sha256,
        SignatureScheme.ecdsa_secp384r1_sha384,
        SignatureScheme.ecdsa_secp521r1_sha512,
        SignatureScheme.rsa_pkcs1_sha256,
        SignatureScheme.rsa_pkcs1_sha384,
        SignatureScheme.rsa_pkcs1_sha512,
    };

    private DtlsSuites() {}

    /** The server's certificate may be of either kind. */
    static int[] client() {
        return IntStream.concat(IntStream.of(ECDSA), IntStream.of(RSA)).toArray();
    }

    /** Our own certificate has an ECDSA key. */
    static int[] server() {
        return ECDSA.clone();
    }

    static Vector groups() {
        return new Vector(GROUPS);
    }

    static Vector signatureAlgorithms() {
        var algorithms = new Vector();
        for (int scheme : SIGNATURE_SCHEMES) {
            algorithms.add(
                    SignatureAndHashAlgorithm.getInstance(
                            SignatureScheme.getHashAlgorithm(scheme),
                            SignatureScheme.getSignatureAlgorithm(scheme)));
        }
        return algorithms;
    }
}
