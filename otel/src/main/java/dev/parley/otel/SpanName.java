package dev.parley.otel;

/**
 * Every span that is named by us. Spans of HTTP requests are named by method and route, those of
 * gRPC calls by service and method, as OpenTelemetry's conventions have it. docs/telemetry.md is
 * made of this.
 */
public enum SpanName {
    CALL(
            "parley.call",
            "transceiver",
            "A call, from its creation to its end; the quality summary."),
    SETUP(
            "parley.setup",
            "transceiver",
            "From the call's creation until SRTP keys are there, so that media can flow."),
    ICE("parley.ice", "transceiver", "From the answer until the first authenticated ICE check."),
    DTLS("parley.dtls", "transceiver", "From the first check until SRTP keys are there."),
    FIRST_AUDIO_UP(
            "parley.first_audio_up",
            "transceiver",
            "From the keys until the caller's first audio is on its way to inference."),
    FIRST_AUDIO_DOWN(
            "parley.first_audio_down",
            "transceiver",
            "From the keys until the agent's first audio is on its way to the caller."),
    RESPONSE(
            "parley.response",
            "transceiver",
            "An item of the agent's output being played to the caller."),
    FLOW("parley.relay.flow", "relay", "A flow was made or re-pointed by a client's check.");

    private final String text;
    private final String service;
    private final String meaning;

    SpanName(String text, String service, String meaning) {
        this.text = text;
        this.service = service;
        this.meaning = meaning;
    }

    /** As exported. */
    public String text() {
        return text;
    }

    String service() {
        return service;
    }

    String meaning() {
        return meaning;
    }
}
