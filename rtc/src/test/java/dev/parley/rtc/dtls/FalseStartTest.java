package dev.parley.rtc.dtls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.srtp.SrtpKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Keys one round trip before the end, RFC 7918. */
class FalseStartTest {
    private static final int TIMEOUT_MILLIS = 20_000;

    /** What a client has when it hears of its keys. */
    private record Keyed(SrtpKeys send, SrtpKeys receive, int flights) {}

    private final HandshakePair pair = new HandshakePair(SimulatedLink.Faults.NONE, 1);
    private final List<Keyed> heard = new ArrayList<>();

    private void listen() {
        pair.clientEarly =
                (send, receive) -> heard.add(new Keyed(send, receive, pair.clientLink.sentCount()));
    }

    @Test
    void hearsOfItsKeysBehindItsLastFlightAndBeforeTheServersFinished() throws Exception {
        var keyed = new CompletableFuture<Void>();
        listen();
        FalseStart noting = pair.clientEarly;
        pair.clientEarly =
                (send, receive) -> {
                    noting.keyed(send, receive);
                    keyed.complete(null);
                };
        var flights = new AtomicInteger();
        pair.serverLink.filterSent(
                datagram -> {
                    if (flights.incrementAndGet() > 1) {
                        // Its Finished is on the way as long as the client has no keys.
                        keyed.orTimeout(10, TimeUnit.SECONDS).join();
                    }
                    return datagram;
                });
        pair.resendMillis = TIMEOUT_MILLIS;

        pair.run(TIMEOUT_MILLIS);

        assertThat(heard).hasSize(1);
        assertThat(heard.getFirst().flights()).isEqualTo(2);
        assertThat(heard.getFirst().send()).isSameAs(pair.client().sendKeys());
        assertThat(heard.getFirst().receive()).isSameAs(pair.client().receiveKeys());
        // The server's come from Bouncy Castle's exporter.
        pair.assertKeysFit();
    }

    @Test
    void hearsOnceHoweverOftenFlightsAreRepeated() throws Exception {
        listen();
        var flights = new AtomicInteger();
        pair.serverLink.filterSent(datagram -> flights.incrementAndGet() == 2 ? null : datagram);

        pair.run(TIMEOUT_MILLIS);

        assertThat(pair.clientLink.sentCount()).isGreaterThan(2);
        assertThat(heard).hasSize(1);
        pair.assertKeysFit();
    }

    @Test
    void aServerHearsNothingBeforeTheEnd() throws Exception {
        pair.serverEarly = (send, receive) -> heard.add(new Keyed(send, receive, 0));

        pair.run(TIMEOUT_MILLIS);

        pair.assertKeysFit();
        assertThat(heard).isEmpty();
    }

    @Test
    void hearsNothingWhereItIsOff() throws Exception {
        listen();
        pair.mayStartFalsely = false;

        pair.run(TIMEOUT_MILLIS);

        pair.assertKeysFit();
        assertThat(heard).isEmpty();
    }

    @Test
    void hearsNothingOfAnAssociationWithoutMedia() throws Exception {
        listen();

        pair.keying(false, false).run(TIMEOUT_MILLIS);

        assertThat(pair.client().sendKeys()).isNull();
        assertThat(heard).isEmpty();
    }

    @Test
    void hearsNothingOfAServerThatIsNotTheOneOfTheOffer() throws Exception {
        listen();

        pair.run(
                TIMEOUT_MILLIS,
                List.of(HandshakePair.CLIENT_IDENTITY.fingerprint()),
                List.of(HandshakePair.CLIENT_IDENTITY.fingerprint()));

        assertThat(HandshakePair.failed(pair.clientOutcome).reason())
                .isEqualTo(DtlsFailure.CERTIFICATE_MISMATCH);
        assertThat(heard).isEmpty();
    }

    @Test
    void keysOfATamperedHelloAreNobodysKeys() throws Exception {
        listen();
        pair.clientLink.filterSent(FalseStartTest::withoutTheFirstSuite);

        pair.run(2_000);

        // It could not know when it heard of its keys; nobody else has them, and no call comes of
        // it.
        assertThat(heard).hasSize(1);
        assertThat(pair.clientOutcome).isInstanceOf(DtlsOutcome.Failed.class);
        assertThat(pair.serverOutcome).isInstanceOf(DtlsOutcome.Failed.class);
    }

    /** Makes the suite that a hello names first one that nobody knows. */
    private static byte[] withoutTheFirstSuite(byte[] datagram) {
        boolean hello = datagram[0] == HandshakeMessages.CONTENT_TYPE && datagram[13] == 1;
        if (hello) {
            // Record and message header, version, random, no session id, no cookie, length.
            int suitesAt = 25 + 2 + 32 + 1 + 1 + 2;
            datagram[suitesAt] = 0x7A;
        }
        return datagram;
    }
}
