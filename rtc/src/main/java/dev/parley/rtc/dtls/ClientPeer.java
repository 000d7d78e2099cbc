package dev.parley.rtc.dtls;

import java.io.IOException;
import java.util.Hashtable;
import java.util.Vector;
import org.bouncycastle.tls.AbstractTlsClient;
import org.bouncycastle.tls.CertificateRequest;
import org.bouncycastle.tls.CertificateStatusRequest;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsAuthentication;
import org.bouncycastle.tls.TlsClientContext;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.TlsSRTPUtils;
import org.bouncycastle.tls.TlsServerCertificate;
import org.jspecify.annotations.Nullable;

/** The client's side of one handshake, as Bouncy Castle asks for it. */
@SuppressWarnings({"rawtypes", "unchecked", "JdkObsolete"}) // Bouncy Castle's signatures
final class ClientPeer extends AbstractTlsClient {
    private final DtlsNegotiation negotiation;

    ClientPeer(DtlsNegotiation negotiation) {
        super(negotiation.crypto());
        this.negotiation = negotiation;
    }

    @Override
    public void init(TlsClientContext began) {
        super.init(began);
        negotiation.clientBegan(began);
    }

    @Override
    protected ProtocolVersion[] getSupportedVersions() {
        return ProtocolVersion.DTLSv12.only();
    }

    @Override
    protected int[] getSupportedCipherSuites() {
        return DtlsSuites.client();
    }

    @Override
    protected Vector getSupportedGroups(Vector namedGroupRoles) {
        return DtlsSuites.groups();
    }

    @Override
    protected Vector getSupportedSignatureAlgorithms() {
        return DtlsSuites.signatureAlgorithms();
    }

    // No status: the certificate is self-signed. This keeps the hello small.
    @Override
    protected @Nullable CertificateStatusRequest getCertificateStatusRequest() {
        return null;
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
    public Hashtable getClientExtensions() throws IOException {
        Hashtable extensions = super.getClientExtensions();
        if (negotiation.srtp()) {
            TlsSRTPUtils.addUseSRTPExtension(extensions, DtlsNegotiation.offer());
        }
        return extensions;
    }

    @Override
    public void processServerExtensions(Hashtable extensions) throws IOException {
        super.processServerExtensions(extensions);
        if (negotiation.srtp()) {
            negotiation.accept(TlsSRTPUtils.getUseSRTPExtension(extensions));
        }
    }

    @Override
    public TlsAuthentication getAuthentication() {
        return new TlsAuthentication() {
            @Override
            public void notifyServerCertificate(TlsServerCertificate certificate)
                    throws IOException {
                negotiation.verify(certificate.getCertificate());
            }

            @Override
            public TlsCredentials getClientCredentials(CertificateRequest request)
                    throws IOException {
                return negotiation.credentials(context);
            }
        };
    }

    @Override
    public void notifyHandshakeComplete() throws IOException {
        super.notifyHandshakeComplete();
        negotiation.exportKeys(context);
    }
}
