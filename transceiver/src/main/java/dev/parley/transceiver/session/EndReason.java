package dev.parley.transceiver.session;

import java.util.Locale;

/** Why a call ended: what inference is told, what is logged and what is counted. */
public enum EndReason {
    /** The client closed DTLS or hung up through signaling. */
    CLIENT_HANGUP,
    /** No ICE check arrived within the consent timeout (RFC 7675). */
    CONSENT_EXPIRED,
    /** The client never completed ICE or DTLS. */
    SETUP_TIMEOUT,
    /** The DTLS handshake failed. */
    DTLS_FAILED,
    /** The inference service ended the call. */
    AGENT_HANGUP,
    /** The inference service failed. */
    INFERENCE_FAILED,
    /** This process stops. */
    SHUTDOWN,
    /** The longest allowed duration was reached. */
    MAX_DURATION,
    /** Signaling gave up waiting for the answer, so that the client never got it. */
    ABANDONED,
    /** Neither the client nor the inference service sent anything for too long. */
    IDLE_TIMEOUT,
    /** A fault of ours. */
    INTERNAL_ERROR;

    /** Label of metrics and logs. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The wire form. */
    public dev.parley.proto.inference.v1.EndReason wire() {
        return switch (this) {
            case CLIENT_HANGUP -> dev.parley.proto.inference.v1.EndReason.END_REASON_CLIENT_HANGUP;
            case CONSENT_EXPIRED ->
                    dev.parley.proto.inference.v1.EndReason.END_REASON_CONSENT_EXPIRED;
            case SETUP_TIMEOUT -> dev.parley.proto.inference.v1.EndReason.END_REASON_SETUP_TIMEOUT;
            case DTLS_FAILED -> dev.parley.proto.inference.v1.EndReason.END_REASON_DTLS_FAILED;
            case AGENT_HANGUP -> dev.parley.proto.inference.v1.EndReason.END_REASON_AGENT_HANGUP;
            case INFERENCE_FAILED ->
                    dev.parley.proto.inference.v1.EndReason.END_REASON_INFERENCE_FAILED;
            case SHUTDOWN -> dev.parley.proto.inference.v1.EndReason.END_REASON_SHUTDOWN;
            case MAX_DURATION -> dev.parley.proto.inference.v1.EndReason.END_REASON_MAX_DURATION;
            case IDLE_TIMEOUT -> dev.parley.proto.inference.v1.EndReason.END_REASON_IDLE_TIMEOUT;
            case ABANDONED -> dev.parley.proto.inference.v1.EndReason.END_REASON_ABANDONED;
            case INTERNAL_ERROR ->
                    dev.parley.proto.inference.v1.EndReason.END_REASON_INTERNAL_ERROR;
        };
    }
}
