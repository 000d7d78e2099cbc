package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of one call's clients and those of inference meet. Events for clients go to the
 * data channel, by way of {@link ServerEvents}, and to every {@link EventClient}; events of any of
 * them go to inference. Owned by the call; any thread may enter.
 */
final class CallEvents {
    private final InferenceStream stream;
    private final ServerEvents forChannel = new ServerEvents();
    private final List<EventClient> clients = new CopyOnWriteArrayList<>();
    private @Nullable Runnable onServerEvent;
    private boolean ended;

    CallEvents(InferenceStream stream) {
        this.stream = stream;
    }

    /**
     * The data channel's side is there; before inference speaks.
     *
     * @param onServerEvent told when there is something for data channels
     */
    void connect(Runnable onServerEvent) {
        this.onServerEvent = onServerEvent;
    }

    // --- what comes from inference

    /** Takes what is for clients; answers whether to read on. */
    boolean fromInference(ConverseResponse message) {
        if (message.hasServerEvent()) {
            for (EventClient client : clients) {
                client.event(message.getServerEvent());
            }
        }
        boolean more = forChannel.add(message);
        if (onServerEvent != null) {
            onServerEvent.run();
        }
        return more;
    }

    // --- what comes from clients

    /** Sends inference what came of a data channel; never dropped. */
    void fromChannel(ConverseRequest event) {
        stream.sendEvent(event);
    }

    /** Whether more of {@link #fromChannel} and {@link #offer} can be taken now. */
    boolean hasRoom() {
        return stream.hasEventRoom();
    }

    /** Takes an event of a client beside the data channel; false when there is no room for it. */
    boolean offer(EventClient from, String text) {
        if (!clients.contains(from) || !hasRoom()) {
            return false;
        }
        stream.sendEvent(
                ConverseRequest.newBuilder()
                        .setClientEvent(ClientEvent.newBuilder().setText(text))
                        .build());
        return true;
    }

    // --- the data channel's queue

    @Nullable ConverseResponse poll() {
        return forChannel.poll();
    }

    void left(ConverseResponse event) {
        if (forChannel.left(event)) {
            stream.requestNext();
        }
    }

    void channelOpened() {
        forChannel.channelOpened();
    }

    void noChannels() {
        forChannel.noChannels();
    }

    long takeDropped() {
        return forChannel.takeDropped();
    }

    // --- clients beside it

    /** Joins a client, which hears of all events from now on. */
    void attach(EventClient client) {
        synchronized (clients) {
            if (!ended) {
                clients.add(client);
                return;
            }
        }
        client.ended();
    }

    /** Parts with a client, which hears nothing more. */
    void detach(EventClient client) {
        var _ = clients.remove(client);
    }

    /** The call is over. */
    void end() {
        List<EventClient> left;
        synchronized (clients) {
            ended = true;
            left = List.copyOf(clients);
            clients.clear();
        }
        left.forEach(EventClient::ended);
    }
}
