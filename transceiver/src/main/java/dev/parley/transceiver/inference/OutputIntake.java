package dev.parley.transceiver.inference;

import com.google.protobuf.ByteString;
import dev.parley.proto.inference.v1.ClearAudio;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.OpusPacket;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.AudioDrop;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputTarget;
import dev.parley.transceiver.media.PlayedItem;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.SequencedSet;
import java.util.function.LongSupplier;

/**
 * Takes what inference says in order: checks it, refuses what was cleared, and hands it on. The
 * thread on which the stream delivers brings all of it but what a call's surface has cleared.
 */
final class OutputIntake {
    /**
     * Longest Opus packet that leaves in a datagram of 1,200 bytes, with RTP header and SRTP tag.
     */
    static final int MAX_OPUS_BYTES = 1_200 - 12 - 16;

    /** Cleared responses that are remembered. */
    private static final int MAX_REFUSED = 256;

    /** Items whose position is remembered while others play. */
    private static final int MAX_ITEMS = 64;

    /** Longest name of a response, an item or a mark: they are kept, and sent back in reports. */
    static final int MAX_NAME_LENGTH = 1_024;

    /** Takes what concerns the call's clients. */
    interface Events {
        /** A message that is meant for them; answers whether to read on. */
        boolean fromInference(ConverseResponse message);

        /** Audio of this item has come. */
        void audioOf(PlayedItem item);
    }

    private record ItemKey(int stream, String responseId, String itemId) {}

    private final InferenceFormat format;
    private final OutputTarget target;
    private final Backlog backlog;
    private final PlaybackReports.Awaited awaited;
    private final Events events;
    private final AudioCounters counters;
    private final Breaches breaches;
    private final ReadPace pace;
    private final LongSupplier clock;

    /** Packets that leave within the time that a ClearAudio allows, if we make them at all. */
    private final int lastPackets;

    private final OpusPacket opus = new OpusPacket();
    private final SequencedSet<String> refused = new LinkedHashSet<>();
    private final SequencedMap<ItemKey, PlayedItem> items = new LinkedHashMap<>();
    private PlayedItem last = new PlayedItem("", "");
    private int stream;
    private long pcmBytes;
    private boolean hungUp;

    /**
     * @param packetMillis length of the packets that are made of PCM
     * @param awaited takes the name of what will be reported
     * @param events takes what is for clients
     * @param breaches told what inference does wrong
     * @param pace told what of it comes to nothing
     * @param clock the media loop's
     */
    OutputIntake(
            InferenceFormat format,
            int packetMillis,
            OutputTarget target,
            Backlog backlog,
            PlaybackReports.Awaited awaited,
            Events events,
            AudioCounters counters,
            Breaches breaches,
            ReadPace pace,
            LongSupplier clock) {
        this.format = format;
        this.lastPackets = format.isPcm() ? OutputItem.Clear.LAST_PACKET_MILLIS / packetMillis : 0;
        this.clock = clock;
        this.pace = pace;
        this.target = target;
        this.backlog = backlog;
        this.awaited = awaited;
        this.events = events;
        this.counters = counters;
        this.breaches = breaches;
        items.put(key(last.responseId(), last.itemId()), last);
    }

    /** Takes a message; answers whether to read the next one now. */
    synchronized boolean take(ConverseResponse message) {
        if (hungUp) {
            breaches.tell(
                    Breach.AFTER_SESSION_END,
                    name(message) + " came after session_end and was dropped");
            return dropped(message.getSerializedSize());
        }
        return switch (message.getMessageCase()) {
            case OUTPUT_AUDIO -> audio(message.getOutputAudio());
            case CLEAR_AUDIO -> clear(message.getClearAudio());
            case MARK -> mark(message.getMark().getName());
            case PAUSE_AUDIO -> pass(new OutputItem.Pause(), 0);
            case RESUME_AUDIO -> pass(new OutputItem.Resume(), 0);
            case SESSION_END -> hangUp(message.getSessionEnd().getMessage());
            case SERVER_EVENT,
                    CLOSE_CHANNEL,
                    TRANSCRIPT,
                    ERROR,
                    RESPONSE_STARTED,
                    RESPONSE_DONE,
                    FUNCTION_CALL,
                    OUTPUT_TEXT,
                    RATE_LIMITS ->
                    events.fromInference(message);
            case SESSION_READY -> {
                breaches.tell(
                        Breach.SECOND_SESSION_READY,
                        "session_ready may be sent only once; this one was dropped");
                yield dropped(message.getSerializedSize());
            }
            case RESUME_POINT, HANDOVER, MESSAGE_NOT_SET -> dropped(0);
        };
    }

    /** Nothing waits because of it, so nothing but its pace keeps the next one from being read. */
    private boolean dropped(int bytes) {
        pace.wasted(bytes);
        return true;
    }

    /**
     * Another stream goes on. What was said before is played on, but names mean something new now,
     * and nobody is left who could end a pause.
     */
    synchronized void streamChanged() {
        if (hungUp) {
            return;
        }
        stream++;
        pcmBytes = 0;
        refused.clear();
        last = new PlayedItem("", "");
        put(last);
        backlog.addAnyway(Backlog.MIN_ITEM_SAMPLES, 0);
        target.item(new OutputItem.Resume());
    }

    /** Ends the call after what was said so far; only the first time counts. */
    synchronized boolean hangUp(String message) {
        if (!hungUp) {
            hungUp = true;
            target.item(new OutputItem.Hangup(message));
        }
        return true;
    }

    synchronized boolean hungUp() {
        return hungUp;
    }

    /** Which message it is, in the contract's words. */
    static String name(ConverseResponse message) {
        return message.getMessageCase().name().toLowerCase(Locale.ROOT);
    }

    private boolean mark(String name) {
        if (isTooLong("mark.name", name)) {
            return dropped(name.length());
        }
        awaited.marks().add(name);
        return pass(new OutputItem.Mark(name, false), Backlog.chargeName(name));
    }

    private boolean pass(OutputItem item, int bytes) {
        // Charged before it can leave.
        boolean more = backlog.add(Backlog.MIN_ITEM_SAMPLES, bytes);
        target.item(item);
        return more;
    }

    private boolean clear(ClearAudio message) {
        String responseId = message.getResponseId();
        if (isTooLong("clear_audio.response_id", responseId)) {
            return dropped(responseId.length());
        }
        // What it clears makes room for as much again.
        pace.wasted(0);
        return pass(
                cleared(responseId, lastPackets > 0 ? fadeMillis(message) : 0),
                Backlog.chargeName(responseId));
    }

    /** Stops a response at once without inference's having asked for it; any thread. */
    synchronized void clear(String responseId) {
        if (!hungUp) {
            backlog.addAnyway(Backlog.MIN_ITEM_SAMPLES, Backlog.chargeName(responseId));
            target.item(cleared(responseId, 0));
        }
    }

    /** Drops what still comes of a response, and leaves what is queued; any thread. */
    synchronized void refuse(String responseId) {
        if (!responseId.isEmpty()) {
            refused.add(responseId);
            if (refused.size() > MAX_REFUSED) {
                refused.removeFirst();
            }
        }
    }

    private OutputItem.Clear cleared(String responseId, int fadeMillis) {
        cut(responseId, fadeMillis > 0);
        refuse(responseId);
        awaited.clears().add(responseId);
        return new OutputItem.Clear(responseId, 0, fadeMillis, List.of());
    }

    private static int fadeMillis(ClearAudio message) {
        long asked = Integer.toUnsignedLong(message.getFadeMs());
        return (int) Math.min(asked, OutputItem.Clear.LAST_PACKET_MILLIS);
    }

    /**
     * What waits on its way to the caller stops here and now, whatever lies before the Clear. For a
     * fade the codec thread cuts; should it not come to it in time, this does it.
     */
    private void cut(String responseId, boolean fade) {
        long until = clock.getAsLong() + OutputItem.Clear.LAST_PACKET_MILLIS * 1_000_000L;
        for (Map.Entry<ItemKey, PlayedItem> each : items.entrySet()) {
            PlayedItem item = each.getValue();
            if (responseId.isEmpty() || responseId.equals(item.responseId())) {
                item.cutAfter(fade ? lastPackets : 0, until);
                each.setValue(item.afterCut());
            }
        }
        last = items.getOrDefault(key(last.responseId(), last.itemId()), last);
    }

    private boolean audio(OutputAudio message) {
        if (isTooLong("output_audio.response_id", message.getResponseId())
                || isTooLong("output_audio.item_id", message.getItemId())) {
            return dropped(message.getSerializedSize());
        }
        ByteString audio = message.getAudio();
        if (refused.contains(message.getResponseId())) {
            counters.increment(AudioDrop.OUTPUT_CLEARED);
            // The rest of what was interrupted comes as fast as it was made, and is to be over
            // soon.
            pace.cleared(audio.size());
            return true;
        }
        int samples = samples(audio);
        if (samples < 0) {
            refuseAudio(audio.size());
            return dropped(audio.size());
        }
        // Charged before it can leave.
        boolean more = backlog.add(Backlog.charge(samples), Backlog.chargeBytes(audio.size()));
        PlayedItem item = item(message.getResponseId(), message.getItemId());
        item.said(clock.getAsLong());
        events.audioOf(item);
        target.audio(item, audio, samples);
        return more;
    }

    private boolean isTooLong(String field, String name) {
        if (name.length() <= MAX_NAME_LENGTH) {
            return false;
        }
        counters.increment(AudioDrop.OUTPUT_INVALID);
        breaches.tell(
                Breach.NAME_TOO_LONG,
                field
                        + " has "
                        + name.length()
                        + " characters; "
                        + MAX_NAME_LENGTH
                        + " are the most");
        return true;
    }

    private void refuseAudio(int bytes) {
        counters.increment(AudioDrop.OUTPUT_INVALID);
        if (bytes == 0) {
            breaches.tell(Breach.EMPTY_AUDIO, "output_audio.audio is empty");
        } else {
            breaches.tell(
                    Breach.NOT_OPUS,
                    "output_audio.audio of "
                            + bytes
                            + " bytes is not one Opus packet of at most "
                            + MAX_OPUS_BYTES
                            + " bytes, as output_format OPUS wants");
        }
    }

    /** Length at 48 kHz, negative when it is no audio. */
    private int samples(ByteString audio) {
        if (!format.isPcm()) {
            return audio.size() <= MAX_OPUS_BYTES
                            && opus.wrap(audio.asReadOnlyByteBuffer().slice(), 0, audio.size())
                    ? opus.durationSamples()
                    : -1;
        }
        if (audio.isEmpty()) {
            return -1;
        }
        // A sample may be split between messages; over all of them none is lost.
        long samplesBefore = pcmBytes / format.bytesPerSample();
        pcmBytes += audio.size();
        long samples = pcmBytes / format.bytesPerSample() - samplesBefore;
        return (int) samples * (InputClock.RATE_HZ / format.sampleRateHz());
    }

    private PlayedItem item(String responseId, String itemId) {
        if (last.responseId().equals(responseId) && last.itemId().equals(itemId)) {
            return last;
        }
        ItemKey key = key(responseId, itemId);
        PlayedItem item = items.get(key);
        if (item == null) {
            item = new PlayedItem(responseId, itemId);
            put(item);
        }
        last = item;
        return item;
    }

    private void put(PlayedItem item) {
        items.put(key(item.responseId(), item.itemId()), item);
        if (items.size() > MAX_ITEMS) {
            items.pollFirstEntry();
        }
    }

    private ItemKey key(String responseId, String itemId) {
        return new ItemKey(stream, responseId, itemId);
    }
}
