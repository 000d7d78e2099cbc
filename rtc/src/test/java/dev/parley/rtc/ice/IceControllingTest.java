package dev.parley.rtc.ice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.ice.IceControlling.Nomination;
import dev.parley.rtc.ice.IceControlling.State;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IceControllingTest {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000 * MILLISECOND;
    private static final IceCredentials LOCAL =
            new IceCredentials("clientUfrag", "clientPasswordClientPassword");
    private static final IceCredentials REMOTE =
            new IceCredentials("serverUfrag", "serverPasswordServerPassword");

    private static final byte[] USERNAME =
            "serverUfrag:clientUfrag".getBytes(StandardCharsets.US_ASCII);

    private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private final ByteBuffer in = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private final StunReader request = new StunReader();
    private final StunReader answer = new StunReader();
    private final StunWriter writer = new StunWriter();
    private final StunIntegrity key = StunIntegrity.shortTerm(REMOTE.password());

    @Test
    @DisplayName("RFC 8489 6.2.1: RTO 500 ms, doubled each time, 7 requests, then 16 RTO")
    void retransmitsAndGivesUp() {
        IceControlling ice = controlling(Nomination.REGULAR);
        List<Long> sentMillis = new ArrayList<>();
        long id = 0;
        for (long now = 0; ice.state() == State.CHECKING; now = ice.deadlineNanos(now)) {
            if (ice.poll(now, out, 0) > 0) {
                sentMillis.add(now / MILLISECOND);
                id = sentMillis.size() == 1 ? out.getLong(12) : id;
                assertThat(out.getLong(12)).as("one transaction").isEqualTo(id);
            }
        }

        assertThat(sentMillis).containsExactly(0L, 500L, 1_500L, 3_500L, 7_500L, 15_500L, 31_500L);
        assertThat(ice.state()).isEqualTo(State.FAILED);
        assertThat(ice.poll(100 * SECOND, out, 0)).isZero();
    }

    @Test
    void writesWhatACheckNeeds() {
        IceControlling ice = controlling(Nomination.AGGRESSIVE);

        assertThat(request.wrap(out, 0, ice.poll(0, out, 0))).isTrue();

        assertThat(request.isBindingRequest()).isTrue();
        assertThat(request.usernameEquals(USERNAME)).isTrue();
        assertThat(request.hasIceControlling()).isTrue();
        assertThat(request.hasUseCandidate()).isTrue();
        assertThat(request.priority()).isEqualTo(1_862_270_975L);
        assertThat(key.verifies(request)).isTrue();
        assertThat(request.hasValidFingerprint()).isTrue();
    }

    @Test
    void nominatesOnlyAPairThatAnswered() {
        IceControlling ice = controlling(Nomination.REGULAR);
        poll(ice, 0);
        assertThat(request.hasUseCandidate()).isFalse();

        assertThat(succeed(ice, 20 * MILLISECOND)).isTrue();
        assertThat(ice.state()).isEqualTo(State.CONNECTED);
        assertThat(ice.isNominated()).isFalse();
        assertThat(ice.roundTripNanos()).isEqualTo(20 * MILLISECOND);

        poll(ice, 20 * MILLISECOND);
        assertThat(request.hasUseCandidate()).isTrue();
        succeed(ice, 40 * MILLISECOND);
        assertThat(ice.isNominated()).isTrue();
        assertThat(ice.mappedLow()).isEqualTo(0xFFFF_0102_0304L);
        assertThat(ice.mappedPort()).isEqualTo(5);
    }

    @Test
    void measuresNoRoundTripOverARetransmission() {
        IceControlling ice = controlling(Nomination.AGGRESSIVE);
        poll(ice, 0);
        poll(ice, 500 * MILLISECOND);

        succeed(ice, 520 * MILLISECOND);

        assertThat(ice.state()).isEqualTo(State.CONNECTED);
        assertThat(ice.roundTripNanos()).isZero();
    }

    @Test
    @DisplayName(
            "RFC 7675 5.1: consent checks every 4 to 6 s, each a new transaction; 30 s to live")
    void keepsConsentFreshUntilNobodyAnswers() {
        IceControlling ice = controlling(Nomination.AGGRESSIVE);
        poll(ice, 0);
        succeed(ice, 0);
        long now = 0;
        long lastId = request.transactionIdLow();
        for (int i = 0; i < 50; i++) {
            long due = ice.deadlineNanos(now);
            assertThat(due - now).isBetween(4 * SECOND, 6 * SECOND);
            assertThat(ice.poll(due - 1, out, 0)).isZero();
            now = due;
            poll(ice, now);
            assertThat(request.transactionIdLow()).isNotEqualTo(lastId);
            lastId = request.transactionIdLow();
            succeed(ice, now);
        }

        long silentSince = now;
        while (ice.state() == State.CONNECTED) {
            now = ice.deadlineNanos(now);
            ice.poll(now, out, 0);
        }
        assertThat(now - silentSince).isBetween(30 * SECOND, 36 * SECOND);
    }

    @Test
    void takesAnAnswerOnceAndOnlyAGenuineOne() {
        IceControlling ice = controlling(Nomination.REGULAR);
        poll(ice, 0);
        int length = writer.bindingSuccess(in, 0, request).xorMappedAddress(0, 1, 2).length();
        assertThat(handle(ice, length)).as("no integrity").isFalse();

        length =
                writer.bindingSuccess(in, 0, request)
                        .integrity(StunIntegrity.shortTerm(LOCAL.password()))
                        .fingerprint()
                        .length();
        assertThat(handle(ice, length)).as("wrong key").isFalse();

        int idHigh = request.transactionIdHigh();
        long idLow = request.transactionIdLow();
        assertThat(handle(ice, answerTo(idHigh ^ 1, idLow))).as("another transaction").isFalse();
        assertThat(handle(ice, answerTo(idHigh, idLow ^ 1))).as("another transaction").isFalse();
        assertThat(ice.state()).isEqualTo(State.CHECKING);

        assertThat(succeed(ice, 0)).isTrue();
        assertThat(succeed(ice, 0)).as("a duplicate").isFalse();
    }

    @Test
    void endsWithTheErrorThatThePeerAnswers() {
        IceControlling ice = controlling(Nomination.REGULAR);
        poll(ice, 0);
        int length = writer.bindingError(in, 0, request, 487).integrity(key).fingerprint().length();

        assertThat(handle(ice, length)).isTrue();
        assertThat(ice.state()).isEqualTo(State.FAILED);
        assertThat(ice.errorCode()).isEqualTo(487);
    }

    private static IceControlling controlling(Nomination nomination) {
        return new IceControlling(LOCAL, REMOTE, nomination, new SplittableRandom(7), 0);
    }

    private void poll(IceControlling ice, long nowNanos) {
        assertThat(request.wrap(out, 0, ice.poll(nowNanos, out, 0))).isTrue();
    }

    private boolean succeed(IceControlling ice, long nowNanos) {
        int length =
                writer.bindingSuccess(in, 0, request)
                        .xorMappedAddress(0, 0xFFFF_0102_0304L, 5)
                        .integrity(key)
                        .fingerprint()
                        .length();
        assertThat(answer.wrap(in, 0, length)).isTrue();
        return ice.handle(answer, nowNanos);
    }

    private int answerTo(int idHigh, long idLow) {
        ByteBuffer bytes = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        StunReader other = new StunReader();
        other.wrap(bytes, 0, writer.bindingRequest(bytes, 0, idHigh, idLow).length());
        return writer.bindingSuccess(in, 0, other).integrity(key).fingerprint().length();
    }

    private boolean handle(IceControlling ice, int length) {
        assertThat(answer.wrap(in, 0, length)).isTrue();
        return ice.handle(answer, 0);
    }
}
