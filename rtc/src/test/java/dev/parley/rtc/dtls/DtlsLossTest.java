package dev.parley.rtc.dtls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.dtls.SimulatedLink.Faults;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client against our server on a bad path. */
class DtlsLossTest {
    private static final int TIMEOUT_MILLIS = 50_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void connectsThroughLossDuplicationAndReordering(long seed) throws Exception {
        var pair = new HandshakePair(new Faults(0.3, 0.2, 0.2, 0), seed).run(TIMEOUT_MILLIS);

        pair.assertKeysFit();
    }

    // Nothing protects the first flights: what is damaged may end a handshake, but never with a
    // surprise.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void endsCleanlyWhenDatagramsAreDamaged(long seed) throws Exception {
        var pair = new HandshakePair(new Faults(0.1, 0.1, 0.1, 0.3), seed).run(2_000);

        if (pair.clientOutcome instanceof DtlsOutcome.Connected
                && pair.serverOutcome instanceof DtlsOutcome.Connected) {
            pair.assertKeysFit();
        }
        assertThat(pair.clientOutcome).isNotEqualTo(HandshakePair.NOT_RUN);
        assertThat(pair.serverOutcome).isNotEqualTo(HandshakePair.NOT_RUN);
    }
}
