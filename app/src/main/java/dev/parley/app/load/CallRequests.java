package dev.parley.app.load;

import java.io.IOException;

/** How calls are placed, changed and ended; any thread, and it may block. */
public interface CallRequests {
    /**
     * An accepted call.
     *
     * @param sdp the answer
     * @param handle names the call in later requests
     */
    record Accepted(String sdp, String handle) {}

    /** A request that was not granted. */
    final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        private final String reason;
        private final long retryMillis;

        /**
         * @param reason one of few, for counting
         * @param retryMillis when it may be tried again; negative when there is no use
         */
        public RefusedException(String reason, String message, long retryMillis) {
            super(message);
            this.reason = reason;
            this.retryMillis = retryMillis;
        }

        public String reason() {
            return reason;
        }

        public long retryMillis() {
            return retryMillis;
        }
    }

    /** Places a call. */
    Accepted place(String offer) throws IOException, InterruptedException;

    /** Restarts a call's ICE; answers the new answer. */
    String restart(String handle, String offer) throws IOException, InterruptedException;

    /** Ends a call. */
    void hangUp(String handle) throws IOException, InterruptedException;
}
