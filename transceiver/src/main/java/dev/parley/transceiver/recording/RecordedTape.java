package dev.parley.transceiver.recording;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.media.InputPacket;
import dev.parley.transceiver.recording.TapeEntry.Speaker;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The tape of a call that is recorded: hands all of it to {@link Recordings}' own thread. */
final class RecordedTape implements CallTape {
    private final Recordings recordings;
    private final String name;
    private final long begunNanos;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** Entries that found no room since the last one that did. */
    private final AtomicLong leftOut = new AtomicLong();

    /** The files; of the thread that writes them. */
    private @Nullable TapeWriter writer;

    /** Nothing more is written; of the same thread. */
    private boolean closed;

    RecordedTape(Recordings recordings, String name, long begunNanos) {
        this.recordings = recordings;
        this.name = name;
        this.begunNanos = begunNanos;
    }

    String name() {
        return name;
    }

    long begunNanos() {
        return begunNanos;
    }

    @Nullable TapeWriter writer() {
        return writer;
    }

    void writer(TapeWriter opened) {
        writer = opened;
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
        writer = null;
    }

    void leaveOut() {
        leftOut.incrementAndGet();
    }

    long takeLeftOut() {
        return leftOut.getAndSet(0);
    }

    @Override
    public boolean runs() {
        return true;
    }

    @Override
    public void codec(ClientCodec codec) {
        recordings.offer(new TapeEntry.Codec(this, recordings.nanos(), codec));
    }

    @Override
    public void input(InputPacket packet) {
        byte[] copy = new byte[packet.length()];
        packet.bytes().get(packet.offset(), copy);
        recordings.offer(
                new TapeEntry.Packet(
                        this,
                        recordings.nanos(),
                        true,
                        copy,
                        packet.offsetSamples(),
                        packet.samples(),
                        packet.lostSamples(),
                        packet.audioLevel(),
                        packet.voice()));
    }

    @Override
    public void key(char key, int durationMillis) {
        recordings.offer(new TapeEntry.Key(this, recordings.nanos(), key, durationMillis));
    }

    @Override
    public void output(byte[] payload, long atSamples, int samples) {
        recordings.offer(
                new TapeEntry.Packet(
                        this,
                        recordings.nanos(),
                        false,
                        payload,
                        atSamples,
                        samples,
                        0,
                        InputPacket.UNKNOWN,
                        InputPacket.UNKNOWN));
    }

    @Override
    public void fromClient(ConverseRequest event) {
        said(Speaker.CLIENT, event);
    }

    @Override
    public void toInference(ConverseRequest message) {
        // The caller's packets are kept; what was made of them follows from those.
        if (!message.hasInputAudio()) {
            said(Speaker.EDGE, message);
        }
    }

    @Override
    public void fromInference(ConverseResponse message) {
        if (message.hasOutputAudio()) {
            // That it came, and what for; what became of it is kept as packets.
            said(Speaker.INFERENCE, withoutAudio(message));
        } else {
            said(Speaker.INFERENCE, message);
        }
    }

    private static ConverseResponse withoutAudio(ConverseResponse message) {
        return message.toBuilder()
                .setOutputAudio(message.getOutputAudio().toBuilder().setAudio(ByteString.EMPTY))
                .build();
    }

    private void said(Speaker by, Message message) {
        recordings.offer(new TapeEntry.Said(this, recordings.nanos(), by, message));
    }

    @Override
    public void note(String text) {
        recordings.offer(new TapeEntry.Note(this, recordings.nanos(), text));
    }

    @Override
    public void end() {
        if (ended.compareAndSet(false, true)) {
            recordings.offer(new TapeEntry.End(this, recordings.nanos()));
        }
    }
}
