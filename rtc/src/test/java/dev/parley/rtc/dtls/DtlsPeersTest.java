package dev.parley.rtc.dtls;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.dtls.StrangePeers.Habits;
import dev.parley.rtc.dtls.StrangePeers.Shown;
import dev.parley.rtc.srtp.SrtpProfile;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What our two sides say to peers that do not speak DTLS quite as we do. */
class DtlsPeersTest {
    private static final List<Integer> SHA1_80 = List.of(0x0001);
    private static final List<Integer> ONLY_UNKNOWN = List.of(0x0002, 0x0008);
    private static final int TIMEOUT_MILLIS = 20_000;

    private final SimulatedLink[] ends = SimulatedLink.pair(SimulatedLink.Faults.NONE, 1);
    private final DtlsHandshake handshake =
            new DtlsHandshake(HandshakePair.RANDOM, TIMEOUT_MILLIS, 100);
    private String peerSays = "";

    @Test
    void serverTakesTheOneProfileThatAClientHas() throws Exception {
        DtlsOutcome outcome = serve(new Habits(SHA1_80, true, Shown.ECDSA));

        assertThat(requireNonNull(HandshakePair.connected(outcome).sendKeys()).profile())
                .isEqualTo(SrtpProfile.AES128_CM_SHA1_80);
        assertThat(peerSays).isEqualTo("connected");
    }

    @Test
    void serverTakesAClientWithAnRsaKey() throws Exception {
        var peer =
                HandshakePair.start(
                        () ->
                                StrangePeers.runClient(
                                        new Habits(SHA1_80, true, Shown.RSA), ends[0]));
        DtlsOutcome outcome = run(DtlsRole.SERVER, StrangePeers.RSA_IDENTITY.fingerprint());

        HandshakePair.connected(outcome);
        assertThat(peer.get(20, TimeUnit.SECONDS)).isEqualTo("connected");
    }

    @Test
    void clientTakesAServerWithAnRsaKey() throws Exception {
        var peer =
                HandshakePair.start(
                        () ->
                                StrangePeers.runServer(
                                        new Habits(SHA1_80, true, Shown.RSA), ends[0]));
        DtlsOutcome outcome = run(DtlsRole.CLIENT, StrangePeers.RSA_IDENTITY.fingerprint());

        HandshakePair.connected(outcome);
        assertThat(peer.get(20, TimeUnit.SECONDS)).isEqualTo("connected");
    }

    @Test
    void serverRefusesAClientWithoutSrtp() throws Exception {
        DtlsOutcome outcome = serve(new Habits(List.of(), true, Shown.ECDSA));

        assertThat(outcome)
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.NO_SRTP_PROFILE, "The client does not offer use_srtp"));
        assertThat(peerSays).contains("handshake_failure");
    }

    @Test
    void serverRefusesAClientWithoutAProfileOfOurs() throws Exception {
        DtlsOutcome outcome = serve(new Habits(ONLY_UNKNOWN, true, Shown.ECDSA));

        assertThat(outcome)
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.NO_SRTP_PROFILE,
                                "The client offers only the SRTP profiles [2, 8]"));
    }

    @Test
    void serverRefusesAClientWithoutExtendedMasterSecret() throws Exception {
        DtlsOutcome outcome = serve(new Habits(SHA1_80, false, Shown.ECDSA));

        assertThat(outcome)
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.PROTOCOL,
                                "The client does not offer extended_master_secret"));
        assertThat(peerSays).contains("handshake_failure");
    }

    @Test
    void serverRefusesAClientWithoutACertificate() throws Exception {
        DtlsOutcome outcome = serve(new Habits(SHA1_80, true, Shown.NOTHING));

        assertThat(outcome)
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.CERTIFICATE_MISMATCH,
                                "The peer showed no certificate"));
        assertThat(peerSays).contains("bad_certificate");
    }

    @Test
    void clientRefusesAServerWithoutSrtp() throws Exception {
        DtlsOutcome outcome = connect(new Habits(List.of(), true, Shown.ECDSA));

        assertThat(outcome)
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.NO_SRTP_PROFILE,
                                "The server does not answer use_srtp"));
        assertThat(peerSays).contains("handshake_failure");
    }

    @Test
    void clientRefusesAProfileThatItDidNotOffer() throws Exception {
        DtlsOutcome outcome = connect(new Habits(List.of(0x0002), true, Shown.ECDSA));

        assertThat(HandshakePair.failed(outcome).reason()).isEqualTo(DtlsFailure.NO_SRTP_PROFILE);
        assertThat(peerSays).contains("illegal_parameter");
    }

    @Test
    void clientRefusesTwoProfilesAtOnce() throws Exception {
        DtlsOutcome outcome = connect(new Habits(List.of(0x0001, 0x0007), true, Shown.ECDSA));

        assertThat(HandshakePair.failed(outcome).reason()).isEqualTo(DtlsFailure.NO_SRTP_PROFILE);
    }

    @Test
    void clientRefusesAMasterKeyIdentifierThatItDidNotOffer() throws Exception {
        DtlsOutcome outcome = connect(new Habits(SHA1_80, true, Shown.ECDSA, 4));

        assertThat(HandshakePair.failed(outcome).reason()).isEqualTo(DtlsFailure.NO_SRTP_PROFILE);
    }

    @Test
    void serverDeclinesAMasterKeyIdentifier() throws Exception {
        HandshakePair.connected(serve(new Habits(SHA1_80, true, Shown.ECDSA, 4)));
    }

    @Test
    void clientRefusesAServerWithoutExtendedMasterSecret() throws Exception {
        DtlsOutcome outcome = connect(new Habits(SHA1_80, false, Shown.ECDSA));

        assertThat(HandshakePair.failed(outcome).reason()).isEqualTo(DtlsFailure.PROTOCOL);
        assertThat(peerSays).contains("handshake_failure");
    }

    private DtlsOutcome serve(Habits client) throws Exception {
        var peer = HandshakePair.start(() -> StrangePeers.runClient(client, ends[0]));
        DtlsOutcome outcome = run(DtlsRole.SERVER, HandshakePair.CLIENT_IDENTITY.fingerprint());
        peerSays = peer.get(20, TimeUnit.SECONDS);
        return outcome;
    }

    private DtlsOutcome connect(Habits server) throws Exception {
        var peer = HandshakePair.start(() -> StrangePeers.runServer(server, ends[0]));
        DtlsOutcome outcome = run(DtlsRole.CLIENT, HandshakePair.SERVER_IDENTITY.fingerprint());
        peerSays = peer.get(20, TimeUnit.SECONDS);
        return outcome;
    }

    private DtlsOutcome run(DtlsRole role, Fingerprint expected) throws Exception {
        DtlsIdentity own =
                role == DtlsRole.CLIENT
                        ? HandshakePair.CLIENT_IDENTITY
                        : HandshakePair.SERVER_IDENTITY;
        return HandshakePair.start(() -> handshake.run(role, own, List.of(expected), ends[1]))
                .get(20, TimeUnit.SECONDS);
    }
}
