package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadCallTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final SpeechFrames SPEECH = SpeechFrames.builtIn();

    private final FakeLoadHost host = new FakeLoadHost();
    private final StunIntegrity key = StunIntegrity.shortTerm(FakeLoadHost.SERVER_PASSWORD);

    @Test
    void waitsForTheServersHandshakeWithoutATimerThatIsAlwaysDue() {
        LoadCall call = call(false);
        call.onTimer(0);
        answerCheck(call, 10 * MILLI);
        assertThat(host.tally().ice.getTotalCount()).isOne();

        long now = 10 * MILLI;
        int turns = 0;
        for (; now < 29 * SECOND; now = call.deadlineNanos(now)) {
            call.onTimer(now);
            answerCheck(call, now);
            turns++;
            assertThat(call.deadlineNanos(now)).isGreaterThan(now);
        }

        assertThat(turns).isLessThan(30);
        call.onTimer(30 * SECOND);
        assertThat(host.tally().errors).containsOnly(Map.entry("dtls_timeout", 1L));
        assertThat(call.endedBadly()).isTrue();
    }

    @Test
    void countsNothingOfTheWarmUp() {
        LoadCall warmUp = call(true);
        warmUp.leave(SECOND);
        assertThat(host.tally().failed).isZero();
        assertThat(host.tally().errors).isEmpty();
        assertThat(host.tally().post.getTotalCount()).isZero();

        call(false).leave(SECOND);
        assertThat(host.tally().failed).isOne();
    }

    @Test
    void isOverWhenTheGeneratorHasNoSocketForIt() {
        call(false).withoutSocket(SECOND);
        assertThat(host.tally().failed).isOne();
        assertThat(host.tally().errors).containsOnly(Map.entry(LoadCall.NO_SOCKET, 1L));
    }

    private LoadCall call(boolean warmUp) {
        return host.call(1, LoadOptions.of(Map.of()), SPEECH, warmUp);
    }

    /** As the server's ICE does, should the call have sent a check. */
    private void answerCheck(LoadCall call, long nowNanos) {
        List<byte[]> sent = host.take();
        if (sent.isEmpty()) {
            return;
        }
        byte[] check = sent.getLast();
        StunReader request = new StunReader();
        assertThat(request.wrap(ByteBuffer.wrap(check), 0, check.length)).isTrue();
        ByteBuffer answer = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        int length =
                new StunWriter()
                        .bindingSuccess(answer, 0, request)
                        .xorMappedAddress(0, 0xFFFF_7F00_0001L, 5)
                        .integrity(key)
                        .fingerprint()
                        .length();
        call.receive(answer, 0, length, nowNanos);
    }
}
