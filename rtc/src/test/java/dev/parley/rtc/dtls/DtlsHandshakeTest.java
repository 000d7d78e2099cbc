package dev.parley.rtc.dtls;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.rtc.srtp.SrtpProfile;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DtlsHandshakeTest {
    @ParameterizedTest
    @EnumSource(DtlsRole.class)
    void withoutMediaNeitherSideNeedsToKnowUseSrtp(DtlsRole withoutSrtp) throws Exception {
        var pair =
                new HandshakePair(SimulatedLink.Faults.NONE, 1)
                        .keying(withoutSrtp == DtlsRole.SERVER, withoutSrtp == DtlsRole.CLIENT);
        pair.run(5_000);

        // Who wants keys gets none from who does not, and says so.
        DtlsOutcome keyed =
                withoutSrtp == DtlsRole.CLIENT ? pair.serverOutcome : pair.clientOutcome;
        assertThat(HandshakePair.failed(keyed).reason()).isEqualTo(DtlsFailure.NO_SRTP_PROFILE);

        pair = new HandshakePair(SimulatedLink.Faults.NONE, 2).keying(false, false).run(5_000);
        assertThat(pair.client().sendKeys()).isNull();
        assertThat(pair.server().receiveKeys()).isNull();
        assertThatThrownBy(pair.client()::sender).isInstanceOf(IllegalStateException.class);
    }

    private static final int TIMEOUT_MILLIS = 20_000;

    private final HandshakePair pair = new HandshakePair(SimulatedLink.Faults.NONE, 1);

    @Test
    void givesBothSidesTheSameKeys() throws Exception {
        pair.run(TIMEOUT_MILLIS);

        assertThat(requireNonNull(pair.client().sendKeys()).profile())
                .isEqualTo(SrtpProfile.AEAD_AES_128_GCM);
        pair.assertKeysFit();
    }

    @Test
    void sendsOneDatagramPerFlight() throws Exception {
        pair.resendMillis = TIMEOUT_MILLIS;
        pair.run(TIMEOUT_MILLIS);

        assertThat(pair.clientLink.sentCount()).isEqualTo(2);
        assertThat(pair.serverLink.sentCount()).isEqualTo(2);
        assertThat(pair.clientLink.longestSent()).isLessThanOrEqualTo(DatagramLink.MTU);
        assertThat(pair.serverLink.longestSent()).isLessThanOrEqualTo(DatagramLink.MTU);
    }

    @Test
    void acceptsAnyOfSeveralFingerprints() throws Exception {
        byte[] certificate = HandshakePair.SERVER_IDENTITY.certificate();
        Fingerprint stranger = HandshakePair.CLIENT_IDENTITY.fingerprint();
        for (String hash : List.of("sha-256", "sha-384", "sha-512")) {
            var fresh = new HandshakePair(SimulatedLink.Faults.NONE, 1);
            fresh.run(
                    TIMEOUT_MILLIS,
                    List.of(stranger, Fingerprint.of(hash, certificate)),
                    List.of(HandshakePair.CLIENT_IDENTITY.fingerprint()));
            fresh.assertKeysFit();
        }
    }

    @Test
    void clientRefusesAServerThatIsNotTheOneOfTheOffer() throws Exception {
        Fingerprint wrong = HandshakePair.CLIENT_IDENTITY.fingerprint();
        pair.run(
                TIMEOUT_MILLIS,
                List.of(wrong),
                List.of(HandshakePair.CLIENT_IDENTITY.fingerprint()));

        DtlsOutcome.Failed failed = HandshakePair.failed(pair.clientOutcome);
        assertThat(failed.reason()).isEqualTo(DtlsFailure.CERTIFICATE_MISMATCH);
        assertThat(failed.message())
                .contains(
                        "certificate is " + HandshakePair.SERVER_IDENTITY.fingerprint(),
                        "expected was [" + wrong);
        assertThat(HandshakePair.failed(pair.serverOutcome))
                .isEqualTo(
                        new DtlsOutcome.Failed(
                                DtlsFailure.REFUSED_BY_PEER,
                                "The peer sent the alert bad_certificate(42)"));
    }

    @Test
    void serverRefusesAClientThatIsNotTheOneOfTheOffer() throws Exception {
        pair.run(
                TIMEOUT_MILLIS,
                List.of(HandshakePair.SERVER_IDENTITY.fingerprint()),
                List.of(HandshakePair.SERVER_IDENTITY.fingerprint()));

        assertThat(HandshakePair.failed(pair.serverOutcome).reason())
                .isEqualTo(DtlsFailure.CERTIFICATE_MISMATCH);
        assertThat(HandshakePair.failed(pair.clientOutcome).reason())
                .isEqualTo(DtlsFailure.REFUSED_BY_PEER);
    }

    @Test
    void trustsNoOutdatedHash() throws Exception {
        var sha1 = new Fingerprint("sha-1", "00:11");
        pair.run(
                TIMEOUT_MILLIS,
                List.of(sha1),
                List.of(HandshakePair.CLIENT_IDENTITY.fingerprint()));

        assertThat(HandshakePair.failed(pair.clientOutcome).reason())
                .isEqualTo(DtlsFailure.CERTIFICATE_MISMATCH);
    }

    @Test
    void givesUpWhenNobodyAnswers() {
        DtlsOutcome outcome =
                new DtlsHandshake(HandshakePair.RANDOM, 100, 10)
                        .run(
                                DtlsRole.CLIENT,
                                HandshakePair.CLIENT_IDENTITY,
                                List.of(),
                                pair.clientLink);

        assertThat(HandshakePair.failed(outcome).reason()).isEqualTo(DtlsFailure.TIMEOUT);
        // 10, 20, 40 ms: the hello was sent again
        assertThat(pair.clientLink.sentCount()).isGreaterThanOrEqualTo(3);
    }

    @Test
    void serverGivesUpOnAPeerThatStopsAfterItsHello() throws Exception {
        var hello = new AtomicBoolean();
        pair.clientLink.filterSent(datagram -> hello.compareAndSet(false, true) ? datagram : null);
        pair.run(150);

        assertThat(HandshakePair.failed(pair.serverOutcome).reason())
                .isEqualTo(DtlsFailure.TIMEOUT);
    }

    @Test
    void endsWhenTheOwnerClosesTheLink() throws Exception {
        var outcome =
                HandshakePair.start(
                        () ->
                                new DtlsHandshake(HandshakePair.RANDOM, TIMEOUT_MILLIS, 10)
                                        .run(
                                                DtlsRole.SERVER,
                                                HandshakePair.SERVER_IDENTITY,
                                                List.of(),
                                                pair.serverLink));
        pair.serverLink.closeLink();

        assertThat(HandshakePair.failed(outcome.join()).reason()).isEqualTo(DtlsFailure.CANCELLED);
    }
}
