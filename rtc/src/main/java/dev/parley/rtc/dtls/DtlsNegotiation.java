package dev.parley.rtc.dtls;

import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpProfile;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.Certificate;
import org.bouncycastle.tls.SignatureAndHashAlgorithm;
import org.bouncycastle.tls.SignatureScheme;
import org.bouncycastle.tls.TlsContext;
import org.bouncycastle.tls.TlsCredentialedSigner;
import org.bouncycastle.tls.TlsFatalAlert;
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
    private @Nullable SrtpProfile profile;
    private @Nullable SrtpKeys clientKeys;
    private @Nullable SrtpKeys serverKeys;
    private DtlsOutcome.@Nullable Failed failure;

    DtlsNegotiation(
            JcaTlsCrypto crypto,
            HandshakeTimes times,
            DtlsIdentity identity,
            List<Fingerprint> expected,
            boolean srtp) {
        this.crypto = crypto;
        this.times = times;
        this.identity = identity;
        this.expected = expected;
        this.srtp = srtp;
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

    // RFC 5764 4.2: client key, server key, client salt, server salt
    void exportKeys(TlsContext context) {
        if (!srtp) {
            return;
        }
        SrtpProfile agreed = profile;
        if (agreed == null) {
            throw new IllegalStateException("Handshakes without a profile do not complete");
        }
        int salt = agreed.saltLength();
        byte[] material =
                context.exportKeyingMaterial(
                        EXPORTER_LABEL, null, 2 * (SrtpProfile.KEY_LENGTH + salt));
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
        SrtpKeys client = clientKeys;
        SrtpKeys server = serverKeys;
        if (srtp && (client == null || server == null)) {
            throw new IllegalStateException("Handshakes without keys do not complete");
        }
        return switch (role) {
            case CLIENT -> new DtlsOutcome.Connected(session, client, server);
            case SERVER -> new DtlsOutcome.Connected(session, server, client);
        };
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
