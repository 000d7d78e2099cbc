package dev.parley.rtc.dtls;

import java.io.IOException;
import java.security.SecureRandom;
import org.bouncycastle.math.ec.rfc7748.X25519;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.crypto.TlsAgreement;
import org.bouncycastle.tls.crypto.TlsCrypto;
import org.bouncycastle.tls.crypto.TlsSecret;

/**
 * One ephemeral key exchange over X25519, RFC 8422 5.11, in Bouncy Castle's own arithmetic: it
 * takes a third of the time of the JDK's. Belongs to the thread that runs the handshake.
 */
final class X25519Exchange implements TlsAgreement {
    private final TlsCrypto crypto;
    private final SecureRandom random;
    private final byte[] ownPrivate = new byte[X25519.SCALAR_SIZE];
    private final byte[] peerPublic = new byte[X25519.POINT_SIZE];

    X25519Exchange(TlsCrypto crypto, SecureRandom random) {
        this.crypto = crypto;
        this.random = random;
    }

    @Override
    public byte[] generateEphemeral() {
        byte[] ownPublic = new byte[X25519.POINT_SIZE];
        X25519.generatePrivateKey(random, ownPrivate);
        X25519.generatePublicKey(ownPrivate, 0, ownPublic, 0);
        return ownPublic;
    }

    @Override
    public void receivePeerValue(byte[] value) throws IOException {
        if (value.length != peerPublic.length) {
            throw new TlsFatalAlert(AlertDescription.illegal_parameter);
        }
        System.arraycopy(value, 0, peerPublic, 0, value.length);
    }

    @Override
    public TlsSecret calculateSecret() throws IOException {
        byte[] secret = new byte[X25519.POINT_SIZE];
        // RFC 8422 5.11: "MUST check whether the computed Diffie-Hellman shared secret is the
        // all-zero value and abort if so".
        if (!X25519.calculateAgreement(ownPrivate, 0, peerPublic, 0, secret, 0)) {
            throw new TlsFatalAlert(AlertDescription.handshake_failure);
        }
        return crypto.createSecret(secret);
    }
}
