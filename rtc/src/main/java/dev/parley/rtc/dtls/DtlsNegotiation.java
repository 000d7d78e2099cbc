package dev.parley.rtc.dtls;

import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpProfile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.Certificate;
import org.bouncycastle.tls.CipherType;
import org.bouncycastle.tls.KeyExchangeAlgorithm;
import org.bouncycastle.tls.SecurityParameters;
import org.bouncycastle.tls.SignatureAndHashAlgorithm;
import org.bouncycastle.tls.SignatureScheme;
import org.bouncycastle.tls.TlsClientContext;
import org.bouncycastle.tls.TlsContext;
import org.bouncycastle.tls.TlsCredentialedSigner;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.TlsUtils;
import org.bouncycastle.tls.UseSRTPData;
import org.bouncycastle.tls.crypto.TlsCertificate;
import org.bouncycastle.tls.crypto.TlsCryptoParameters;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaDefaultTlsCredentialedSigner;
import org.bouncycastle.tls.crypto.impl.jcajce.JcaTlsCrypto;
import org.jspecify.annotations.Nullable;

/**
 * What both roles of one handshake have in common: who the peer must be, how long it may take, what
 * was agreed on, and what went wrong. Belongs to the thread that runs the handshake.
 */
final class DtlsNegotiation {
    /** RFC 5764 4.2. */
    private static final String EXPORTER_LABEL = "EXTRACTOR-dtls_srtp";

    private final JcaTlsCrypto crypto;
    private final HandshakeTimes times;
    private final DtlsIdentity identity;
    private final List<Fingerprint> expected;
    private final boolean srtp;
    private final FalseStart falseStart;
    private @Nullable TlsClientContext client;
    private boolean peerVerified;
    private @Nullable SrtpProfile profile;
    private @Nullable SrtpKeys clientKeys;
    private @Nullable SrtpKeys serverKeys;
    private DtlsOutcome.@Nullable Failed failure;

    DtlsNegotiation(
            JcaTlsCrypto crypto,
            HandshakeTimes times,
            DtlsIdentity identity,
            List<Fingerprint> expected,
            boolean srtp,
            FalseStart falseStart) {
        this.crypto = crypto;
        this.times = times;
        this.identity = identity;
        this.expected = expected;
        this.srtp = srtp;
        this.falseStart = falseStart;
    }

    /** The handshake has begun, and we are the client. */
    void clientBegan(TlsClientContext context) {
        client = context;
    }

    JcaTlsCrypto crypto() {
        return crypto;
    }

    HandshakeTimes times() {
        return times;
    }

    /** Our certificate, ready to sign with. */
    TlsCredentialedSigner credentials(TlsContext context) throws IOException {
        TlsCertificate own = crypto.createCertificate(identity.certificate());
        return new JcaDefaultTlsCredentialedSigner(
                new TlsCryptoParameters(context),
                crypto,
                identity.privateKey(),
                new Certificate(new TlsCertificate[] {own}),
                SignatureAndHashAlgorithm.getInstance(
                        SignatureScheme.getHashAlgorithm(SignatureScheme.ecdsa_secp256r1_sha256),
                        SignatureScheme.getSignatureAlgorithm(
                                SignatureScheme.ecdsa_secp256r1_sha256)));
    }

    // RFC 8827 6.5: the certificate that the offer speaks of, or none.
    void verify(Certificate chain) throws IOException {
        if (chain.isEmpty()) {
            throw fail(
                    DtlsFailure.CERTIFICATE_MISMATCH,
                    AlertDescription.bad_certificate,
                    "The peer showed no certificate");
        }
        byte[] certificate = chain.getCertificateAt(0).getEncoded();
        if (expected.stream().noneMatch(fingerprint -> fingerprint.matches(certificate))) {
            throw fail(
                    DtlsFailure.CERTIFICATE_MISMATCH,
                    AlertDescription.bad_certificate,
                    "The peer's certificate is "
                            + Fingerprint.of("sha-256", certificate)
                            + ", expected was "
                            + expected);
        }
        peerVerified = true;
    }

    /** Whether media is to be keyed. */
    boolean srtp() {
        return srtp;
    }

    /** Offers our profiles, as the client. */
    static UseSRTPData offer() {
        int[] ids = SrtpProfile.PREFERENCE.stream().mapToInt(SrtpProfile::id).toArray();
        return new UseSRTPData(ids, null);
    }

    /** Chooses from what the client offers, our preference first, and answers it. */
    UseSRTPData choose(@Nullable UseSRTPData offered) throws IOException {
        if (offered == null) {
            throw fail(
                    DtlsFailure.NO_SRTP_PROFILE,
                    AlertDescription.handshake_failure,
                    "The client does not offer use_srtp");
        }
        int[] ids = offered.getProtectionProfiles();
        for (SrtpProfile candidate : SrtpProfile.PREFERENCE) {
            if (Arrays.stream(ids).anyMatch(id -> id == candidate.id())) {
                profile = candidate;
                // RFC 5764 4.1.3: an empty MKI refuses the client's.
                return new UseSRTPData(new int[] {candidate.id()}, null);
            }
        }
        throw fail(
                DtlsFailure.NO_SRTP_PROFILE,
                AlertDescription.handshake_failure,
                "The client offers only the SRTP profiles " + Arrays.toString(ids));
    }

    /** Takes what the server chose from our offer. */
    void accept(@Nullable UseSRTPData answered) throws IOException {
        if (answered == null) {
            throw fail(
                    DtlsFailure.NO_SRTP_PROFILE,
                    AlertDescription.handshake_failure,
                    "The server does not answer use_srtp");
        }
        int[] ids = answered.getProtectionProfiles();
        for (SrtpProfile candidate : SrtpProfile.PREFERENCE) {
            // RFC 5764 4.1.1: exactly one, of those we offered.
            if (ids.length == 1 && ids[0] == candidate.id() && answered.getMki().length == 0) {
                profile = candidate;
                return;
            }
        }
        throw fail(
                DtlsFailure.NO_SRTP_PROFILE,
                AlertDescription.illegal_parameter,
                "The server chose SRTP profiles that were not offered: " + Arrays.toString(ids));
    }

    /** A flight of ours has left; tells of the keys when it was a client's last. */
    void flightLeft() {
        SrtpProfile agreed = profile;
        TlsClientContext running = client;
        if (running == null || agreed == null || clientKeys != null || !peerVerified) {
            return;
        }
        SecurityParameters parameters = running.getSecurityParametersHandshake();
        if (mayStartFalsely(parameters)) {
            takeKeys(agreed, prf(parameters, materialLength(agreed)));
            falseStart.keyed(required(clientKeys), required(serverKeys));
        }
    }

    // The master secret is made between our key exchange and our Finished, behind which the flight
    // ends. RFC 7918 4: a key exchange with forward secrecy, whose signature was checked before our
    // own was made, and a cipher that no downgrade makes weak.
    private static boolean mayStartFalsely(@Nullable SecurityParameters parameters) {
        return parameters != null
                && parameters.getMasterSecret() != null
                && parameters.isExtendedMasterSecret()
                && isForwardSecret(parameters.getKeyExchangeAlgorithm())
                && TlsUtils.getCipherType(parameters.getCipherSuite()) == CipherType.aead;
    }

    private static boolean isForwardSecret(int keyExchange) {
        return keyExchange == KeyExchangeAlgorithm.ECDHE_ECDSA
                || keyExchange == KeyExchangeAlgorithm.ECDHE_RSA;
    }

    // RFC 5705 4: PRF(master_secret, label, client_random + server_random)[length], which Bouncy
    // Castle's own exporter refuses before the end.
    private static byte[] prf(SecurityParameters parameters, int length) {
        byte[] seed = concatenate(parameters.getClientRandom(), parameters.getServerRandom());
        return parameters
                .getMasterSecret()
                .deriveUsingPRF(parameters.getPRFAlgorithm(), EXPORTER_LABEL, seed, length)
                .extract();
    }

    private static byte[] concatenate(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    void exportKeys(TlsContext context) {
        if (!srtp || clientKeys != null) {
            return;
        }
        SrtpProfile agreed = profile;
        if (agreed == null) {
            throw new IllegalStateException("Handshakes without a profile do not complete");
        }
        takeKeys(
                agreed, context.exportKeyingMaterial(EXPORTER_LABEL, null, materialLength(agreed)));
    }

    private static int materialLength(SrtpProfile agreed) {
        return 2 * (SrtpProfile.KEY_LENGTH + agreed.saltLength());
    }

    // RFC 5764 4.2: client key, server key, client salt, server salt
    private void takeKeys(SrtpProfile agreed, byte[] material) {
        int salt = agreed.saltLength();
        int saltsAt = 2 * SrtpProfile.KEY_LENGTH;
        clientKeys =
                new SrtpKeys(
                        agreed,
                        Arrays.copyOfRange(material, 0, SrtpProfile.KEY_LENGTH),
                        Arrays.copyOfRange(material, saltsAt, saltsAt + salt));
        serverKeys =
                new SrtpKeys(
                        agreed,
                        Arrays.copyOfRange(material, SrtpProfile.KEY_LENGTH, saltsAt),
                        Arrays.copyOfRange(material, saltsAt + salt, saltsAt + 2 * salt));
    }

    DtlsOutcome connected(DtlsRole role, DtlsSession session) {
        SrtpKeys ofClient = srtp ? required(clientKeys) : null;
        SrtpKeys ofServer = srtp ? required(serverKeys) : null;
        return switch (role) {
            case CLIENT -> new DtlsOutcome.Connected(session, ofClient, ofServer);
            case SERVER -> new DtlsOutcome.Connected(session, ofServer, ofClient);
        };
    }

    private static SrtpKeys required(@Nullable SrtpKeys keys) {
        if (keys == null) {
            throw new IllegalStateException("Handshakes without keys do not complete");
        }
        return keys;
    }

    /** Notes why the handshake fails, and answers the alert to throw. */
    TlsFatalAlert fail(DtlsFailure reason, short alert, String message) {
        failure = new DtlsOutcome.Failed(reason, message);
        return new TlsFatalAlert(alert, message);
    }

    /** What {@link #fail} noted, if it was we who ended the handshake on purpose. */
    DtlsOutcome.@Nullable Failed findFailure() {
        return failure;
    }
}
