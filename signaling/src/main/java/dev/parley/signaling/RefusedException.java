package dev.parley.signaling;

import java.util.Optional;

/**
 * Ends the handling of a request with an error for its client. Carries no stack trace: refusing is
 * ordinary work and must stay cheap under abuse.
 */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final ErrorCode code;
    private final String shownCode;
    private final String param;

    private RefusedException(ErrorCode code, String shownCode, String message, String param) {
        super(message, null, false, false);
        this.code = code;
        this.shownCode = shownCode;
        this.param = param;
    }

    RefusedException(ErrorCode code, String message) {
        this(code, code.text(), message, "");
    }

    /** Names the parameter at fault: {@code sdp}, {@code model}. */
    RefusedException(ErrorCode code, String message, String param) {
        this(code, code.text(), message, param);
    }

    /** The same refusal, telling clients a more exact code than the one it is counted under. */
    RefusedException withShownCode(String shown) {
        return new RefusedException(code, shown, message(), param);
    }

    ErrorCode code() {
        return code;
    }

    String shownCode() {
        return shownCode;
    }

    String message() {
        return String.valueOf(getMessage());
    }

    Optional<String> param() {
        return param.isEmpty() ? Optional.empty() : Optional.of(param);
    }
}
