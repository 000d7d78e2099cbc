package dev.parley.otel.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CallTraceTest {
    @Test
    void samplesAsManyCallsAsTheRatioSays() {
        Random random = new Random(1);

        assertThat(sampled(random, 0)).isZero();
        assertThat(sampled(random, 0.01)).isBetween(60L, 140L);
        assertThat(sampled(random, 1)).isEqualTo(10_000);
    }

    private static long sampled(Random random, double ratio) {
        return Stream.generate(() -> CallTrace.mint(random, ratio))
                .limit(10_000)
                .filter(CallTrace::isSampled)
                .count();
    }

    @Test
    void everyFormOfAnIdTellsTheSame() {
        CallTrace call = CallTrace.mint(new Random(2), 1);

        assertThat(CallTrace.of(call.bytes())).isEqualTo(call);
        assertThat(CallTrace.parse(call.toString())).isEqualTo(call);
        assertThat(CallTrace.isSampled(call.toString())).isTrue();
        assertThat(CallTrace.isSampled(new CallTrace(call.high() ^ 1, call.low()).toString()))
                .isFalse();
    }

    @Test
    void theSpansOfACallFollowFromItsId() {
        CallTrace call = CallTrace.parse("0102030405060709" + "a1a2a3a4a5a6a7a8");

        assertThat(call.root().getTraceId()).isEqualTo(call.toString());
        assertThat(call.root().getSpanId()).isEqualTo("a1a2a3a4a5a6a7a8");
        assertThat(call.call().getSpanId()).isEqualTo("0102030405060709");
        assertThat(call.call().isSampled()).isTrue();
        assertThat(CallTrace.parse("0102030405060708a1a2a3a4a5a6a7a8").call().isSampled())
                .isFalse();
    }

    @Test
    void refusesWhatIsNoId() {
        assertThatThrownBy(() -> CallTrace.of(new byte[15]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> CallTrace.parse("no id"))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
