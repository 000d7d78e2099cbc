package dev.parley.rtc.dtls;

import java.io.IOException;
import java.util.Hashtable;
import java.util.List;
import org.bouncycastle.tls.AbstractTlsClient;
import org.bouncycastle.tls.AbstractTlsServer;
import org.bouncycastle.tls.CertificateRequest;
import org.bouncycastle.tls.DTLSClientProtocol;
import org.bouncycastle.tls.DTLSServerProtocol;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsAuthentication;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.TlsSRTPUtils;
import org.bouncycastle.tls.TlsServerCertificate;
import org.bouncycastle.tls.UseSRTPData;
import org.jspecify.annotations.Nullable;

/** Peers that speak DTLS, but not as WebRTC wants it. */
@SuppressWarnings({"rawtypes", "unchecked", "JdkObsolete"}) // Bouncy Castle's signatures
final class StrangePeers {
    private static final GuardedCrypto CRYPTO = new GuardedCrypto(HandshakePair.RANDOM);

    private StrangePeers() {}

    /** What a peer does otherwise than we would. */
    record Habits(List<Integer> srtpProfiles, boolean extendedMasterSecret, boolean certificate) {
        void addTo(Hashtable extensions) throws IOException {
            if (!srtpProfiles.isEmpty()) {
                int[] ids = srtpProfiles.stream().mapToInt(Integer::intValue).toArray();
                TlsSRTPUtils.addUseSRTPExtension(extensions, new UseSRTPData(ids, null));
            }
        }
    }

    /** Runs a client until its handshake ends, well or not; answers how. */
    static String runClient(Habits habits, DatagramLink link) {
        try {
            new DTLSClientProtocol().connect(new Client(habits), new PackedTransport(link));
            return "connected";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    static String runServer(Habits habits, DatagramLink link) {
        try {
            new DTLSServerProtocol().accept(new Server(habits), new PackedTransport(link));
            return "connected";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static DtlsNegotiation negotiation(DtlsIdentity identity) {
        return new DtlsNegotiation(CRYPTO, identity, List.of());
    }

    private static final class Client extends AbstractTlsClient {
        private final Habits habits;

        Client(Habits habits) {
            super(CRYPTO);
            this.habits = habits;
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
        public boolean shouldUseExtendedMasterSecret() {
            return habits.extendedMasterSecret();
        }

        @Override
        public Hashtable getClientExtensions() throws IOException {
            Hashtable extensions = super.getClientExtensions();
            habits.addTo(extensions);
            return extensions;
        }

        @Override
        public TlsAuthentication getAuthentication() {
            return new TlsAuthentication() {
                @Override
                public void notifyServerCertificate(TlsServerCertificate certificate) {}

                @Override
                public @Nullable TlsCredentials getClientCredentials(CertificateRequest request)
                        throws IOException {
                    return habits.certificate()
                            ? negotiation(HandshakePair.CLIENT_IDENTITY).credentials(context)
                            : null;
                }
            };
        }
    }

    private static final class Server extends AbstractTlsServer {
        private final Habits habits;

        Server(Habits habits) {
            super(CRYPTO);
            this.habits = habits;
        }

        @Override
        protected ProtocolVersion[] getSupportedVersions() {
            return ProtocolVersion.DTLSv12.only();
        }

        @Override
        protected int[] getSupportedCipherSuites() {
            return DtlsSuites.server();
        }

        @Override
        public boolean shouldUseExtendedMasterSecret() {
            return habits.extendedMasterSecret();
        }

        @Override
        public void processClientExtensions(Hashtable extensions) throws IOException {
            super.processClientExtensions(extensions);
            habits.addTo(serverExtensions);
        }

        @Override
        public TlsCredentials getCredentials() throws IOException {
            return negotiation(HandshakePair.SERVER_IDENTITY).credentials(context);
        }
    }
}
