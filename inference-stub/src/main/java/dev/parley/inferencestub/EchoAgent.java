package dev.parley.inferencestub;

import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.CloseChannel;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.InputAudio;
import dev.parley.proto.inference.v1.ServerEvent;

/**
 * Sends back each message of a data channel, and each piece of audio as it came: with Opus both
 * ways, the same bytes. An echo that comes late is worth nothing, so what the edge cannot take at
 * once is dropped and counted.
 */
final class EchoAgent implements Agent {
    private static final String RESPONSE_ID = "echo";

    /** Has the channel that it came on closed instead of being sent back. */
    private static final String CLOSE = "please close";

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

    @Override
    public void onEvent(ConverseRequest event) {
        if (!event.hasClientEvent()) {
            return;
        }
        ClientEvent heard = event.getClientEvent();
        if (heard.getText().equals(CLOSE)) {
            voice.send(
                    ConverseResponse.newBuilder()
                            .setCloseChannel(
                                    CloseChannel.newBuilder().setChannel(heard.getChannel()))
                            .build());
        } else {
            ServerEvent.Builder said = ServerEvent.newBuilder().setChannel(heard.getChannel());
            if (heard.hasBinary()) {
                said.setBinary(heard.getBinary());
            } else {
                said.setText(heard.getText());
            }
            voice.send(ConverseResponse.newBuilder().setServerEvent(said).build());
        }
    }
}
