package dev.parley.rtc.dtls;

import java.io.IOException;
import java.util.Arrays;
import java.util.Hashtable;
import org.bouncycastle.tls.AbstractTlsServer;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.Certificate;
import org.bouncycastle.tls.CertificateRequest;
import org.bouncycastle.tls.ClientCertificateType;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.TlsExtensionsUtils;
import org.bouncycastle.tls.TlsSRTPUtils;

/** The server's side of one handshake, as Bouncy Castle asks for it. */
@SuppressWarnings({"rawtypes", "JdkObsolete"}) // Bouncy Castle's signatures
final class ServerPeer extends AbstractTlsServer {
    private static final int NONE = -1;

    private final DtlsNegotiation negotiation;

    ServerPeer(DtlsNegotiation negotiation) {
        super(negotiation.crypto());
        this.negotiation = negotiation;
    }

    @Override
    protected ProtocolVersion[] getSupportedVersions() {
        return ProtocolVersion.DTLSv12.only();
    }

    @Override
    protected int[] getSupportedCipherSuites() {
        return DtlsSuites.server();
    }

    // Our order, not the client's: Bouncy Castle's base class would take any group that is large
    // enough.
    @Override
    protected int selectECDH(int minimumCurveBits) {
        int[] offered = context.getSecurityParametersHandshake().getClientSupportedGroups();
        if (offered == null) {
            return selectECDHDefault(minimumCurveBits);
        }
        return DtlsSuites.GROUPS.stream()
                .filter(group -> Arrays.stream(offered).anyMatch(id -> id == group))
                .findFirst()
                .orElse(NONE);
    }

    @Override
    public int[] getSupportedGroups() {
        return DtlsSuites.GROUPS.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    protected boolean allowCertificateStatus() {
        return false;
    }

    @Override
    public boolean requiresExtendedMasterSecret() {
        return true;
    }

    @Override
    public int getHandshakeTimeoutMillis() {
        return negotiation.times().timeoutMillis();
    }

    @Override
    public int getHandshakeResendTimeMillis() {
        return negotiation.times().resendMillis();
    }

    @Override
    public void processClientExtensions(Hashtable extensions) throws IOException {
        super.processClientExtensions(extensions);
        if (!TlsExtensionsUtils.hasExtendedMasterSecretExtension(extensions)) {
            // RFC 7627 5.4: keys must not be exported without it.
            throw negotiation.fail(
                    DtlsFailure.PROTOCOL,
                    AlertDescription.handshake_failure,
                    "The client does not offer extended_master_secret");
        }
        if (negotiation.srtp()) {
            TlsSRTPUtils.addUseSRTPExtension(
                    serverExtensions,
                    negotiation.choose(TlsSRTPUtils.getUseSRTPExtension(extensions)));
        }
    }

    @Override
    public TlsCredentials getCredentials() throws IOException {
        return negotiation.credentials(context);
    }

    @Override
    public CertificateRequest getCertificateRequest() {
        short[] types = {ClientCertificateType.ecdsa_sign, ClientCertificateType.rsa_sign};
        return new CertificateRequest(types, DtlsSuites.signatureAlgorithms(), null);
    }

    @Override
    public void notifyClientCertificate(Certificate certificate) throws IOException {
        negotiation.verify(certificate);
    }

    @Override
    public void notifyHandshakeComplete() throws IOException {
        super.notifyHandshakeComplete();
        negotiation.exportKeys(context);
    }
}
