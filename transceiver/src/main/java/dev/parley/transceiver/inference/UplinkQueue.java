package dev.parley.transceiver.inference;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.InputAudio;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What one call has for inference, events before audio, on its way to the stream that carries it at
 * the time. It outlives streams: what none has taken waits for the next one, and what a {@link
 * #confirm} may still ask for is kept. Bounded: audio loses its oldest, events say when more should
 * wait elsewhere. Owned by the call; any thread may enter.
 */
final class UplinkQueue {
    /** Input audio that may wait: 2 s in packets of 20 ms. */
    static final int MAX_AUDIO = 100;

    /** Events that may wait; beyond it nothing more is read from a backend that does not read. */
    static final int MAX_EVENTS = 256;

    /** Longest token of a backend. */
    static final int MAX_TOKEN_BYTES = 1 << 16;

    /** Events and their bytes that may wait before {@link #hasRoom} says no. */
    private static final int ROOMY_EVENTS = MAX_EVENTS / 2;

    private static final int ROOMY_EVENT_BYTES = 256 * 1024;

    /** Events, and their bytes, that were sent and are kept in case that they are lost. */
    private static final int MAX_KEPT_EVENTS = 256;

    private static final int MAX_KEPT_BYTES = 256 * 1024;

    /**
     * How far a call's messages have come on all its streams.
     *
     * @param token the backend's, for whoever goes on
     * @param nextSequence of the next InputAudio to be sent
     * @param offsetMillis where the InputAudio before that begins
     * @param lastEvent number of the last event sent
     */
    record Position(ByteString token, long nextSequence, long offsetMillis, long lastEvent) {}

    private final ArrayDeque<ConverseRequest> events = new ArrayDeque<>();
    private final ArrayDeque<ConverseRequest> audio = new ArrayDeque<>();
    private final ArrayDeque<ConverseRequest> kept = new ArrayDeque<>();
    private long eventBytes;
    private long keptBytes;
    private long numbered;
    private long sentEvent;
    private long nextSequence;
    private long offsetMillis;
    private boolean resumable;
    private ByteString token = ByteString.EMPTY;
    private boolean closed;

    /** Adds input audio; answers false when the oldest that waited fell out for it. */
    synchronized boolean addAudio(ConverseRequest message) {
        if (closed) {
            return true;
        }
        boolean full = audio.size() == MAX_AUDIO;
        if (full) {
            audio.remove();
        }
        audio.add(message);
        return !full;
    }

    /** Adds anything else; never dropped while the call lives. */
    synchronized void addEvent(ConverseRequest message) {
        if (!closed) {
            ConverseRequest event = message.toBuilder().setEventNumber(++numbered).build();
            events.add(event);
            eventBytes += event.getSerializedSize();
        }
    }

    /** Whether events that can wait elsewhere should be added now. */
    synchronized boolean hasRoom() {
        return events.size() < ROOMY_EVENTS && eventBytes < ROOMY_EVENT_BYTES;
    }

    /** Events that wait. */
    synchronized int waitingEvents() {
        return events.size();
    }

    /** Bytes of {@link #waitingEvents}. */
    synchronized long waitingEventBytes() {
        return eventBytes;
    }

    /** Whether so many events wait that no more should be caused. */
    synchronized boolean isFull() {
        return events.size() >= MAX_EVENTS;
    }

    /** The next message for the stream that carries the call, or null. */
    synchronized @Nullable ConverseRequest poll() {
        ConverseRequest event = events.poll();
        if (event == null) {
            return pollAudio();
        }
        eventBytes -= event.getSerializedSize();
        sentEvent = Math.max(sentEvent, event.getEventNumber());
        if (resumable) {
            keep(event);
        }
        return event;
    }

    private @Nullable ConverseRequest pollAudio() {
        ConverseRequest message = audio.poll();
        if (message != null) {
            InputAudio sent = message.getInputAudio();
            nextSequence = sent.getSequenceNumber() + 1;
            offsetMillis = sent.getAudioOffsetMs();
        }
        return message;
    }

    private void keep(ConverseRequest event) {
        kept.add(event);
        keptBytes += event.getSerializedSize();
        while (kept.size() > MAX_KEPT_EVENTS || keptBytes > MAX_KEPT_BYTES) {
            keptBytes -= kept.remove().getSerializedSize();
        }
    }

    /** Takes a token that covers the events up to a number; false when it is too long. */
    synchronized boolean confirm(ByteString covering, long eventNumber) {
        if (covering.size() > MAX_TOKEN_BYTES) {
            return false;
        }
        resumable = true;
        token = covering;
        while (!kept.isEmpty() && kept.element().getEventNumber() <= eventNumber) {
            keptBytes -= kept.remove().getSerializedSize();
        }
        return true;
    }

    /** Where the call stands as its next stream begins. */
    synchronized Position position() {
        return new Position(token, nextSequence, offsetMillis, sentEvent);
    }

    /** A stream takes over: what no token covers is to be sent again, before all else. */
    synchronized void sendAgain() {
        while (!kept.isEmpty()) {
            ConverseRequest event = kept.removeLast();
            keptBytes -= event.getSerializedSize();
            events.addFirst(event);
            eventBytes += event.getSerializedSize();
        }
    }

    /** The call is over: what input audio waits is dropped, and nothing more is taken. */
    synchronized void close() {
        closed = true;
        audio.clear();
    }

    /** Nobody is left to take what waits. */
    synchronized void clear() {
        close();
        events.clear();
        kept.clear();
        eventBytes = 0;
        keptBytes = 0;
    }
}
