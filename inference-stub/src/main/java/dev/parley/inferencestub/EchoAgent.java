package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.InputAudio;

/**
 * Sends back each piece of audio as it came: with Opus both ways, the same bytes. An echo that
 * comes late is worth nothing, so what the edge cannot take at once is dropped and counted.
 */
final class EchoAgent implements Agent {
    private static final String RESPONSE_ID = "echo";

    private final Voice voice;

    EchoAgent(Voice voice) {
        this.voice = voice;
    }

    @Override
    public void onAudio(InputAudio audio, long nowNanos) {
        if (voice.isReady()) {
            voice.say(audio.getAudio(), RESPONSE_ID);
        } else {
            voice.countDropped();
        }
    }
}
