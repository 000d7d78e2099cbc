package dev.parley.rtc.dtls;

import java.io.IOException;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.util.PublicKeyFactory;
import org.bouncycastle.tls.SignatureAlgorithm;
import org.bouncycastle.tls.crypto.TlsVerifier;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsCrypto;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsECDSAVerifier;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaTlsCertificate;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaTlsCrypto;

/**
 * A certificate whose ECDSA signatures Bouncy Castle checks by its own arithmetic. The JDK takes
 * care that the time tells nothing of the numbers, which are public here, and takes over three
 * times as long. Belongs to the thread that runs the handshake.
 */
final class PeerCertificate extends JcaTlsCertificate {
    private final BcTlsCrypto checking;

    /**
     * @param checking what checks signatures
     */
    PeerCertificate(JcaTlsCrypto crypto, BcTlsCrypto checking, byte[] encoded) throws IOException {
        super(crypto, encoded);
        this.checking = checking;
    }

    @Override
    public TlsVerifier createVerifier(short signatureAlgorithm) throws IOException {
        if (signatureAlgorithm == SignatureAlgorithm.ecdsa
                && PublicKeyFactory.createKey(getPublicKey().getEncoded())
                        instanceof ECPublicKeyParameters key) {
            validateKeyUsageBit(KU_DIGITAL_SIGNATURE);
            return new BcTlsECDSAVerifier(checking, key);
        }
        return super.createVerifier(signatureAlgorithm);
    }
}
