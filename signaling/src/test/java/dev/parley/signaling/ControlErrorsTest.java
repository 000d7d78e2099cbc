package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.ErrorTrailers;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ControlErrorsTest {
    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {
                "INVALID_ARGUMENT",
                "NOT_FOUND",
                "RESOURCE_EXHAUSTED",
                "UNAVAILABLE",
                "DEADLINE_EXCEEDED"
            })
    void whatClientsCanCauseIsNothingToLookAt(Status.Code code) {
        assertThat(ControlErrors.isUnexpected(code.toStatus().asRuntimeException())).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {"INTERNAL", "UNIMPLEMENTED", "UNKNOWN", "DATA_LOSS"})
    void whatOnlyABugCausesIs(Status.Code code) {
        assertThat(ControlErrors.isUnexpected(code.toStatus().asRuntimeException())).isTrue();
    }

    @Test
    void tellsNobodyWhetherACallEverWas() {
        Metadata trailers = new Metadata();
        trailers.put(ErrorTrailers.CODE, "session_not_found");
        StatusRuntimeException over = Status.NOT_FOUND.asRuntimeException(trailers);

        assertThat(ControlErrors.toRefusal(over, ErrorCode.CALL_NOT_FOUND).shownCode())
                .isEqualTo("call_not_found");
    }
}
