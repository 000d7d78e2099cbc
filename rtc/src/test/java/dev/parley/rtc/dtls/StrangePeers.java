package dev.parley.rtc.dtls;

import java.io.IOException;
import java.util.Hashtable;
import java.util.List;
import org.bouncycastle.tls.AbstractTlsClient;
import org.bouncycastle.tls.AbstractTlsServer;
import org.bouncycastle.tls.CertificateRequest;
import org.bouncycastle.tls.DTLSClientProtocol;
import org.bouncycastle.tls.DTLSServerProtocol;
import org.bouncycastle.tls.KeyExchangeAlgorithm;
import org.bouncycastle.tls.ProtocolVersion;
import org.bouncycastle.tls.TlsAuthentication;
import org.bouncycastle.tls.TlsContext;
import org.bouncycastle.tls.TlsCredentials;
import org.bouncycastle.tls.TlsSRTPUtils;
import org.bouncycastle.tls.TlsServerCertificate;
import org.bouncycastle.tls.TlsUtils;
import org.bouncycastle.tls.UseSRTPData;
import org.jspecify.annotations.Nullable;

/** Peers that speak DTLS, but not as WebRTC wants it. */
@SuppressWarnings({"rawtypes", "unchecked", "JdkObsolete"}) // Bouncy Castle's signatures
final class StrangePeers {
    private static final GuardedCrypto CRYPTO = new GuardedCrypto(HandshakePair.RANDOM);

    static final RsaIdentity RSA_IDENTITY = RsaIdentity.generate();

    private StrangePeers() {}

    /** The certificate that a peer shows. */
    enum Shown {
        NOTHING,
        ECDSA,
        RSA
    }

    /** What a peer does otherwise than we would. */
    record Habits(
            List<Integer> srtpProfiles, boolean extendedMasterSecret, Shown shown, int mkiLength) {
        Habits(List<Integer> srtpProfiles, boolean extendedMasterSecret, Shown shown) {
            this(srtpProfiles, extendedMasterSecret, shown, 0);
        }

        void addTo(Hashtable extensions) throws IOException {
            if (!srtpProfiles.isEmpty()) {
                int[] ids = srtpProfiles.stream().mapToInt(Integer::intValue).toArray();
                TlsSRTPUtils.addUseSRTPExtension(
                        extensions, new UseSRTPData(ids, new byte[mkiLength]));
            }
        }
    }

    /** Runs a client until its handshake ends, well or not; answers how. */
    static String runClient(Habits habits, DatagramLink link) {
        try {
            new DTLSClientProtocol()
                    .connect(new Client(habits), new PackedTransport(link, 1_000, () -> {}));
            return "connected";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    static String runServer(Habits habits, DatagramLink link) {
        try {
            var transport = new PackedTransport(link, 1_000, () -> {});
            new DTLSServerProtocol().accept(new Server(habits), transport);
            transport.stopPacking();
            return "connected";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static TlsCredentials ecdsa(DtlsIdentity identity, TlsContext context)
            throws IOException {
        return new DtlsNegotiation(
                        CRYPTO,
                        new HandshakeTimes(1, 1),
                        identity,
                        List.of(),
                        true,
                        FalseStart.NONE)
                .credentials(context);
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
                    return switch (habits.shown()) {
                        case NOTHING -> null;
                        case ECDSA -> ecdsa(HandshakePair.CLIENT_IDENTITY, context);
                        case RSA -> RSA_IDENTITY.credentials(CRYPTO, context);
                    };
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
            return DtlsSuites.client();
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

        // The kind of suite tells the kind of key.
        @Override
        protected boolean selectCipherSuite(int cipherSuite) throws IOException {
            boolean rsa =
                    TlsUtils.getKeyExchangeAlgorithm(cipherSuite) == KeyExchangeAlgorithm.ECDHE_RSA;
            return rsa == (habits.shown() == Shown.RSA) && super.selectCipherSuite(cipherSuite);
        }

        @Override
        public TlsCredentials getCredentials() throws IOException {
            return habits.shown() == Shown.RSA
                    ? RSA_IDENTITY.credentials(CRYPTO, context)
                    : ecdsa(HandshakePair.SERVER_IDENTITY, context);
        }
    }
}
