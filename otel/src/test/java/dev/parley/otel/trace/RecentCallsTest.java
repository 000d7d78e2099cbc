package dev.parley.otel.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentCallsTest {
    private final Random random = new Random(1);
    private final RecentCalls recent = new RecentCalls(3);
    private final Tracing tracing = Tracing.of(Resource.getDefault(), 0, List.of(recent));

    private CallTrace begin() {
        CallTrace call = tracing.mint(random);
        child(call, "first");
        return call;
    }

    private Span child(CallTrace call, String name) {
        return tracing.start(call.call(), name, SpanKind.INTERNAL, 1);
    }

    @Test
    void keepsSpansOfCallsThatAreNotSampledAndThoseUnderWay() {
        CallTrace call = begin();
        child(call, "second").end();

        assertThat(call.isSampled()).isFalse();
        assertThat(recent.spans(call.toString()))
                .extracting(SpanData::getName, SpanData::hasEnded)
                .containsExactly(tuple("first", false), tuple("second", true));
    }

    @Test
    void theCallThatWasTouchedLastLeavesLast() {
        CallTrace first = begin();
        CallTrace second = begin();
        CallTrace third = begin();
        child(first, "again");
        CallTrace fourth = begin();

        assertThat(recent.ids())
                .containsExactly(fourth.toString(), first.toString(), third.toString());
        assertThat(recent.spans(second.toString())).isEmpty();
    }

    @Test
    void aCallOfManySpansStaysBounded() {
        CallTrace call = begin();
        for (int i = 0; i < 2 * RecentCalls.MAX_SPANS; i++) {
            child(call, "more").end();
        }

        assertThat(recent.spans(call.toString())).hasSize(RecentCalls.MAX_SPANS);
    }
}
