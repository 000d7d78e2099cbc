package dev.parley.rtc.dtls;

import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import org.jspecify.annotations.Nullable;

/** How a handshake ended. */
public sealed interface DtlsOutcome {
    /**
     * The peer is who its offer says, and both sides have keys.
     *
     * @param session for application data and for closing; must be read from as long as it lives
     * @param sendKeys what our SRTP packets are protected with; null when there are to be none
     * @param receiveKeys what the peer's SRTP packets are protected with; null likewise
     */
    record Connected(
            DtlsSession session, @Nullable SrtpKeys sendKeys, @Nullable SrtpKeys receiveKeys)
            implements DtlsOutcome {
        /**
         * Protects our packets.
         *
         * @throws IllegalStateException when the association keys no media
         */
        public SrtpSender sender() {
            return new SrtpSender(required(sendKeys));
        }

        /**
         * Reads the peer's packets.
         *
         * @throws IllegalStateException when the association keys no media
         */
        public SrtpReceiver receiver() {
            return new SrtpReceiver(required(receiveKeys));
        }

        private static SrtpKeys required(@Nullable SrtpKeys keys) {
            if (keys == null) {
                throw new IllegalStateException("This association keys no media");
            }
            return keys;
        }
    }

    /**
     * There is no association; the peer was told by an alert where that was possible.
     *
     * @param message for logs: what was expected and what came
     */
    record Failed(DtlsFailure reason, String message) implements DtlsOutcome {}
}
