package dev.parley.otel;

/** Every event of our spans. docs/telemetry.md is made of this. */
public enum EventName {
    PATH_SELECTED(
            "parley.path.selected",
            SpanName.CALL,
            "The client has nominated a path, the first one or, when its network has changed, another."),
    ICE_RESTART("parley.ice.restart", SpanName.CALL, "The client has restarted ICE."),
    INFERENCE_LOST(
            "parley.inference.lost",
            SpanName.CALL,
            "The stream to inference broke, and another one is looked for."),
    INFERENCE_RESUMED(
            "parley.inference.resumed",
            SpanName.CALL,
            "Another stream to inference goes on, after a loss or because a replica wanted to stop."),
    SPEECH_STARTED(
            "parley.speech.started",
            SpanName.CALL,
            "The caller began to speak, where inference asked for speech detection."),
    SPEECH_STOPPED("parley.speech.stopped", SpanName.CALL, "The caller fell silent, likewise."),
    ANSWERED(
            "parley.turn.answered",
            SpanName.CALL,
            "The agent began to answer after the caller had fallen silent, likewise."),
    BARGE_IN(
            "parley.barge_in",
            SpanName.RESPONSE,
            "The agent was interrupted: what it had left to say was cut."),
    FIRST_RTP(
            "parley.first_rtp",
            SpanName.FIRST_AUDIO_UP,
            "The first authenticated RTP packet came in.");

    private final String text;
    private final SpanName span;
    private final String meaning;

    EventName(String text, SpanName span, String meaning) {
        this.text = text;
        this.span = span;
        this.meaning = meaning;
    }

    /** As exported. */
    public String text() {
        return text;
    }

    SpanName span() {
        return span;
    }

    String meaning() {
        return meaning;
    }
}
