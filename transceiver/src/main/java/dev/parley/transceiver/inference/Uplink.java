package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.Resume;
import dev.parley.proto.inference.v1.ResumePoint;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.AudioDrop;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What one call says to inference, whichever stream carries it: how each stream begins, and what
 * waits for the one that goes on. Owned by the call's {@link InferenceLink}; any thread may enter.
 */
final class Uplink {
    private final SessionStart start;
    private final AudioCounters counters;
    private final LinkCounters links;
    private final UplinkQueue queue = new UplinkQueue();
    private final AtomicLong audioDropped = new AtomicLong();

    // What the client sends and wants by now.
    private volatile CallMedia media;

    /**
     * @param start of the call's first stream
     */
    Uplink(SessionStart start, AudioCounters counters, LinkCounters links) {
        this.start = start;
        this.media = start.getMedia();
        this.counters = counters;
        this.links = links;
    }

    /** Takes what waits to the stream that carries the call. */
    UplinkQueue queue() {
        return queue;
    }

    /**
     * Counts a message of input audio that fell out because too many wait.
     *
     * @param lost whether there is no stream that could have taken it
     */
    void dropped(boolean lost) {
        audioDropped.incrementAndGet();
        counters.increment(lost ? AudioDrop.INPUT_INFERENCE_LOST : AudioDrop.INPUT_INFERENCE_SLOW);
    }

    /** Input audio messages that were dropped because no backend took them in time. */
    long audioDropped() {
        return audioDropped.get();
    }

    /** What streams that follow are told of the client's media. */
    void media(CallMedia now) {
        media = now;
    }

    /** The backend knows all up to here; tells it when its token is too long to be kept. */
    void confirm(ResumePoint point, Breaches breaches) {
        if (!queue.confirm(point.getToken(), point.getEventNumber())) {
            links.increment(LinkEvent.TOKEN_TOO_LONG);
            breaches.tell(
                    Breach.TOKEN_TOO_LONG,
                    "a token has "
                            + point.getToken().size()
                            + " bytes; "
                            + UplinkQueue.MAX_TOKEN_BYTES
                            + " are the most");
        }
    }

    /**
     * The first message of a stream that takes the call over.
     *
     * @param streamsBefore streams that carried it
     * @param reason why the last one does no more
     * @param heard what the caller has heard
     */
    SessionStart resume(int streamsBefore, String reason, Resume.Builder heard) {
        UplinkQueue.Position sent = queue.position();
        return start.toBuilder()
                .setMedia(media)
                .setResume(
                        heard.setToken(sent.token())
                                .setStreamsBefore(streamsBefore)
                                .setReason(reason)
                                .setNextSequenceNumber(sent.nextSequence())
                                .setAudioOffsetMs(sent.offsetMillis())
                                .setLastEventNumber(sent.lastEvent()))
                .build();
    }
}
