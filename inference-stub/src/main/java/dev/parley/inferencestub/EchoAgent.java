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
 * once, or would have to keep for long, is dropped and counted: an edge never drops what it was
 * given, and catches up with no more than some packets that once came in a heap.
 */
final class EchoAgent implements Agent {
    private static final String RESPONSE_ID = "echo";

    /** Has the channel that it came on closed instead of being sent back. */
    private static final String CLOSE = "please close";

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /**
     * Most that may wait at the edge when a call begins, with whatever its setup has held up: a
     * packet, and what the next one may be early by.
     */
    private static final long FIRST_WAIT_NANOS = 30_000_000L;

    /** The same from the second second on, when a heap of packets is a network's hiccup. */
    private static final long WAIT_NANOS = 60_000_000L;

    /** What an edge that catches up takes off each packet's wait, as a part of its length. */
    private static final int CAUGHT_UP = 8;

    /** It does not before it has heard for so long that there is something to catch up with. */
    private static final long LEARNING_NANOS = 2 * NANOS_PER_SECOND;

    private final Voice voice;
    private final int rateHz;
    private boolean heard;
    private long firstNanos;
    private long playedNanos;

    /**
     * @param rateHz of the samples that it hears
     */
    EchoAgent(Voice voice, int rateHz) {
        this.voice = voice;
        this.rateHz = rateHz;
    }

    @Override
    public void onAudio(InputAudio audio, long nowNanos) {
        if (!heard) {
            heard = true;
            firstNanos = nowNanos;
            playedNanos = nowNanos;
        }
        long waiting = Math.max(0, playedNanos - nowNanos);
        long age = nowNanos - firstNanos;
        long most = age < NANOS_PER_SECOND ? FIRST_WAIT_NANOS : WAIT_NANOS;
        if (voice.isReady() && waiting <= most) {
            voice.say(audio.getAudio(), RESPONSE_ID);
            long length = audio.getNumSamples() * NANOS_PER_SECOND / rateHz;
            long caughtUp = age < LEARNING_NANOS ? 0 : length / CAUGHT_UP;
            playedNanos = nowNanos + Math.max(0, waiting - caughtUp) + length;
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
