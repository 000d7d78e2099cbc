package dev.parley.rtc.dtls;

import java.io.IOException;
import java.security.SecureRandom;
import org.bouncycastle.jcajce.util.DefaultJcaJceHelper;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.CertificateType;
import org.bouncycastle.tls.NamedGroup;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.crypto.TlsCertificate;
import org.bouncycastle.tls.crypto.TlsCipher;
import org.bouncycastle.tls.crypto.TlsCryptoParameters;
import org.bouncycastle.tls.crypto.TlsDecodeResult;
import org.bouncycastle.tls.crypto.TlsECConfig;
import org.bouncycastle.tls.crypto.TlsECDomain;
import org.bouncycastle.tls.crypto.TlsEncodeResult;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsCrypto;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaTlsCrypto;

/**
 * Bouncy Castle's cryptography over the JDK's own providers, whose AES is an intrinsic and which
 * sign in constant time, with {@link HandshakeMessages} watching over what is decrypted. Only what
 * Bouncy Castle does much faster itself is left to it: {@link X25519Exchange} and {@link
 * PeerCertificate}, two thirds of what a handshake took. One for the process; any thread.
 */
final class GuardedCrypto extends JcaTlsCrypto {
    private final SecureRandom random;
    private final BcTlsCrypto checking;

    GuardedCrypto(SecureRandom random) {
        super(new DefaultJcaJceHelper(), random, random);
        this.random = random;
        this.checking = new BcTlsCrypto(random);
    }

    @Override
    public TlsECDomain createECDomain(TlsECConfig config) {
        return config.getNamedGroup() == NamedGroup.x25519
                ? () -> new X25519Exchange(this, random)
                : super.createECDomain(config);
    }

    @Override
    public TlsCertificate createCertificate(short type, byte[] encoded) throws IOException {
        return type == CertificateType.X509
                ? new PeerCertificate(this, checking, encoded)
                : super.createCertificate(type, encoded);
    }

    @Override
    public TlsCipher createCipher(
            TlsCryptoParameters parameters, int encryptionAlgorithm, int macAlgorithm)
            throws IOException {
        return new GuardedCipher(super.createCipher(parameters, encryptionAlgorithm, macAlgorithm));
    }

    /** Passes everything on, and sees to it that records which make no sense are dropped. */
    record GuardedCipher(TlsCipher cipher) implements TlsCipher {
        @Override
        public TlsDecodeResult decodeCiphertext(
                long seqNo,
                short recordType,
                ProtocolVersion recordVersion,
                byte[] ciphertext,
                int offset,
                int len)
                throws IOException {
            TlsDecodeResult decoded;
            try {
                decoded =
                        cipher.decodeCiphertext(
                                seqNo, recordType, recordVersion, ciphertext, offset, len);
            } catch (TlsFatalAlert e) {
                // A record too short for its tag would end the association: any stranger can send
                // one.
                throw invalidRecord();
            }
            if (decoded.contentType == HandshakeMessages.CONTENT_TYPE
                    && HandshakeMessages.anyTooLong(decoded.buf, decoded.off, decoded.len)) {
                throw invalidRecord();
            }
            return decoded;
        }

        // RFC 6347 4.1.2.7: "invalid records SHOULD be silently discarded". Bouncy Castle does so
        // on this alert alone; it is not sent.
        private static TlsFatalAlert invalidRecord() {
            return new TlsFatalAlert(AlertDescription.bad_record_mac);
        }

        @Override
        public TlsEncodeResult encodePlaintext(
                long seqNo,
                short contentType,
                ProtocolVersion recordVersion,
                int headerAllocation,
                byte[] plaintext,
                int offset,
                int len)
                throws IOException {
            return cipher.encodePlaintext(
                    seqNo, contentType, recordVersion, headerAllocation, plaintext, offset, len);
        }

        @Override
        public int getCiphertextDecodeLimit(int plaintextLimit) {
            return cipher.getCiphertextDecodeLimit(plaintextLimit);
        }

        @Override
        public int getCiphertextEncodeLimit(int plaintextLimit) {
            return cipher.getCiphertextEncodeLimit(plaintextLimit);
        }

        @Override
        public int getPlaintextDecodeLimit(int ciphertextLimit) {
            return cipher.getPlaintextDecodeLimit(ciphertextLimit);
        }

        @Override
        public int getPlaintextEncodeLimit(int ciphertextLimit) {
            return cipher.getPlaintextEncodeLimit(ciphertextLimit);
        }

        @Override
        public void rekeyDecoder() throws IOException {
            cipher.rekeyDecoder();
        }

        @Override
        public void rekeyEncoder() throws IOException {
            cipher.rekeyEncoder();
        }

        @Override
        public boolean usesOpaqueRecordTypeDecode() {
            return cipher.usesOpaqueRecordTypeDecode();
        }

        @Override
        public boolean usesOpaqueRecordTypeEncode() {
            return cipher.usesOpaqueRecordTypeEncode();
        }
    }
}
