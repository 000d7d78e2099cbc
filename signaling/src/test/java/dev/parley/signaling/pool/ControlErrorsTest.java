package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.proto.control.ErrorTrailers;
import dev.parley.signaling.http.ErrorCode;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

        assertThat(ControlErrors.toRefusal(over, ErrorCode.CALL_NOT_FOUND).code())
                .isEqualTo(ErrorCode.CALL_NOT_FOUND);
    }

    @ParameterizedTest
    @CsvSource({
        "UNAVAILABLE, draining, DRAINING",
        "UNAVAILABLE, a_new_code, SERVICE_UNAVAILABLE",
        "UNAVAILABLE, invalid_offer, SERVICE_UNAVAILABLE",
        "UNAVAILABLE, 'no token', SERVICE_UNAVAILABLE",
        "RESOURCE_EXHAUSTED, model_overloaded, MODEL_OVERLOADED",
        "INVALID_ARGUMENT, invalid_session, INVALID_SESSION",
        "FAILED_PRECONDITION, ice_session_changed, ICE_SESSION_CHANGED",
    })
    void tellsOnlyCodesOfTheDocumentedSet(Status.Code status, String code, ErrorCode told) {
        Metadata trailers = new Metadata();
        trailers.put(ErrorTrailers.CODE, code);
        StatusRuntimeException error = status.toStatus().asRuntimeException(trailers);

        assertThat(ControlErrors.toRefusal(error, ErrorCode.MODEL_NOT_FOUND).code())
                .isEqualTo(told);
    }
}
