package dev.parley.transceiver.realtime;

import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ItemTruncated;
import dev.parley.proto.inference.v1.PlaybackCleared;
import dev.parley.transceiver.inference.EventSurface;
import dev.parley.transceiver.inference.EventSurface.Edge;
import dev.parley.transceiver.realtime.Response.End;
import dev.parley.transceiver.realtime.ResponseItem.Kind;
import org.jspecify.annotations.Nullable;

/**
 * What the caller hears of responses, as the edge reports it, and where they are cut off. Owned by
 * {@link Responses}.
 */
final class Playback {
    private final ResponseBook book;
    private final Edge edge;

    Playback(ResponseBook book, Edge edge) {
        this.book = book;
        this.edge = edge;
    }

    void started(String name, String itemName) {
        Response response = book.find(name);
        if (response == null || response.cut) {
            return;
        }
        ResponseItem item = response.find(itemName, Kind.AUDIO);
        if (item != null) {
            item.heardOut = false;
        }
        response.audioWaits = true;
        response.dry = false;
        response.deadlineNanos = EventSurface.NEVER;
        response.beginsToBeHeard();
    }

    void progress(String name, String itemName, long heardMillis) {
        Response response = book.find(name);
        ResponseItem item = response == null ? null : response.find(itemName, Kind.AUDIO);
        if (item != null) {
            item.heardMillis = heardMillis;
        }
    }

    /** Answers the response of which nothing is left to be heard but what may still be made. */
    @Nullable Response stopped(String name, String itemName, long heardMillis) {
        progress(name, itemName, heardMillis);
        Response response = book.find(name);
        if (response == null) {
            return null;
        }
        ResponseItem item = response.find(itemName, Kind.AUDIO);
        if (item != null) {
            item.heardOut = true;
        }
        response.dry = true;
        response.audioWaits =
                response.items.stream().anyMatch(each -> each.hasAudio && !each.heardOut);
        if (response.audioWaits) {
            return null;
        }
        if (response.done) {
            response.heardOut();
            return null;
        }
        return response;
    }

    /**
     * A ClearAudio was carried out, whoever asked for it.
     *
     * @param reason of those that neither client nor caller has stopped
     */
    void cleared(PlaybackCleared cleared, String reason) {
        String name = cleared.getClearedResponseId();
        for (Response response : book.all()) {
            // Of one that has not begun there is nothing to clear, unless itself was meant.
            boolean all = name.isEmpty() && (!response.pending || !response.clearing.isEmpty());
            if (all || name.equals(response.name)) {
                cut(response, cleared, reason);
            }
        }
    }

    private void cut(Response response, PlaybackCleared cleared, String reason) {
        boolean unfinished = !response.done;
        String why = response.clearing.isEmpty() ? reason : response.clearing;
        response.clearing = "";
        if (!unfinished && !response.audioWaits) {
            return;
        }
        if (response.heard) {
            response.heard = false;
            response.tellBuffer("cleared");
        }
        response.audioWaits = false;
        response.dry = true;
        if (unfinished) {
            response.finish(End.cancelled(why));
        }
        response.dropped = true;
        response.cut = true;
        ResponseItem last = response.latestOf(Kind.AUDIO);
        for (ResponseItem item : response.items) {
            // One that ran dry before it was complete is cut where it ran dry.
            boolean whole = item.heardOut && !(unfinished && item == last);
            boolean playing =
                    cleared.getResponseId().equals(response.name)
                            && cleared.getItemId().equals(item.name);
            long heardMillis = playing ? cleared.getAudioEndMs() : item.heardMillis;
            // A client may have said that the caller heard more than there was.
            boolean told = item.cut && item.heardMillis <= heardMillis;
            if (item.hasAudio && !whole && !told) {
                truncate(response, item, heardMillis);
            }
        }
    }

    /** {@code conversation.item.truncate} */
    void truncate(String itemId, long audioEndMillis) throws EventRefusal {
        for (Response response : book.all()) {
            for (ResponseItem item : response.items) {
                if (item.id.equals(itemId) && item.kind == Kind.AUDIO) {
                    truncateAsAsked(response, item, audioEndMillis);
                    return;
                }
            }
        }
        throw new EventRefusal(
                ErrorCode.ITEM_NOT_FOUND,
                "There is no audio item with the id " + itemId + ".",
                "item_id");
    }

    private void truncateAsAsked(Response response, ResponseItem item, long audioEndMillis)
            throws EventRefusal {
        if (!item.cut && audioEndMillis > item.heardMillis && item.heardOut) {
            throw new EventRefusal(
                    ErrorCode.INVALID_VALUE,
                    "audio_end_ms is "
                            + audioEndMillis
                            + ", the item's audio "
                            + item.heardMillis
                            + " ms long.",
                    "audio_end_ms");
        }
        // What was cut off once is not heard for that.
        truncate(
                response,
                item,
                item.cut ? Math.min(audioEndMillis, item.heardMillis) : audioEndMillis);
    }

    private void truncate(Response response, ResponseItem item, long heardMillis) {
        response.truncate(item, heardMillis);
        edge.toInference(
                ConverseRequest.newBuilder()
                        .setItemTruncated(
                                ItemTruncated.newBuilder()
                                        .setItemId(item.name.isEmpty() ? item.id : item.name)
                                        .setResponseId(response.name)
                                        .setAudioEndMs(heardMillis))
                        .build());
    }
}
