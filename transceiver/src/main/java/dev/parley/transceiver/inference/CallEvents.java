package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.OutputAudio;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.transceiver.media.PlayedItem;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Where the events of one call's clients and those of inference meet. Events for clients go to the
 * data channel, by way of {@link ServerEvents}, and to every {@link EventClient}; events of any of
 * them go to inference. With an {@link EventSurface} between them all of it takes the way over that
 * one's thread. Owned by the call; any thread may enter.
 */
final class CallEvents implements OutputIntake.Events {
    /** The label of the channel on which a surface speaks, if the client has one of that name. */
    static final String SURFACE_CHANNEL = "oai-events";

    private final InferenceLink link;
    private final ServerEvents forChannel = new ServerEvents();
    private final List<EventClient> clients = new CopyOnWriteArrayList<>();

    /** Those of them that a surface has not greeted yet. */
    private final Set<EventClient> joining = ConcurrentHashMap.newKeySet();

    private @Nullable Runnable onOutput;
    private @Nullable EventThread surface;
    private boolean ended;

    /** The client at the data channel, for a surface. */
    private final ChannelClient channel = new ChannelClient();

    // Whether inference may go on depends on its audio and on its events: both have to say so.
    private final AtomicInteger votes = new AtomicInteger();
    private final AtomicBoolean voteOwed = new AtomicBoolean();
    private @Nullable PlayedItem lastNamed;

    CallEvents(InferenceLink link) {
        this.link = link;
    }

    /**
     * The data channel's side is there; before inference speaks.
     *
     * @param onOutput told when there is something for data channels
     * @param between what stands between clients and inference, null for nothing
     */
    void connect(Runnable onOutput, @Nullable EventThread between) {
        this.onOutput = onOutput;
        this.surface = between;
        if (between != null) {
            between.attached(channel);
            between.start();
        }
    }

    // --- what comes from inference

    /** Takes what is for clients; answers whether to read on. */
    @Override
    public boolean fromInference(ConverseResponse message) {
        EventThread between = surface;
        if (between == null) {
            return !isEvent(message) || toClients(message);
        }
        between.fromInference(message);
        return true;
    }

    private static boolean isEvent(ConverseResponse message) {
        return message.hasServerEvent() || message.hasCloseChannel();
    }

    private boolean toClients(ConverseResponse message) {
        if (message.hasServerEvent()) {
            for (EventClient client : clients) {
                if (!joining.contains(client)) {
                    client.event(message.getServerEvent());
                }
            }
        }
        return toChannel(message);
    }

    private boolean toChannel(ConverseResponse message) {
        boolean more = forChannel.add(message);
        if (onOutput != null) {
            onOutput.run();
        }
        return more;
    }

    /** Lets a surface know that audio of this item has come. */
    @Override
    public void audioOf(PlayedItem item) {
        EventThread between = surface;
        if (between != null && lastNamed != item) {
            lastNamed = item;
            between.fromInference(
                    ConverseResponse.newBuilder()
                            .setOutputAudio(
                                    OutputAudio.newBuilder()
                                            .setResponseId(item.responseId())
                                            .setItemId(item.itemId()))
                            .build());
        }
    }

    /**
     * A message of inference has been taken, with this answer to whether its audio lets more in.
     */
    void taken(boolean audioHasRoom) {
        if (audioHasRoom) {
            vote();
        }
        if (surface != null) {
            voteOwed.set(true);
            payVote();
        }
    }

    /** Reads on when all that can hold inference back has said so. */
    void vote() {
        int needed = surface == null ? 1 : 2;
        if (votes.incrementAndGet() == needed) {
            votes.set(0);
            link.requestNext();
        }
    }

    /** There may be room again. */
    void payVote() {
        if (voteOwed.get() && surfaceHasRoom() && voteOwed.compareAndSet(true, false)) {
            vote();
        }
    }

    private boolean surfaceHasRoom() {
        EventThread between = surface;
        return between == null || (between.hasRoom() && forChannel.hasRoom());
    }

    // --- what the edge reports

    /** Sends inference what the edge has to tell; never dropped. */
    void fromEdge(ConverseRequest message) {
        EventThread between = surface;
        if (between == null) {
            link.sendEvent(message);
        } else {
            between.fromEdge(message);
        }
    }

    // --- what comes from clients

    /** Sends inference what came of a data channel; never dropped. */
    void fromChannel(ConverseRequest event) {
        if (event.hasClientEvent()) {
            clients.forEach(client -> client.said(event.getClientEvent()));
        }
        EventThread between = surface;
        if (between == null || !channel.takes(event, between)) {
            fromEdge(event);
        }
    }

    /** Whether more of {@link #fromChannel} and {@link #offer} can be taken now. */
    boolean hasRoom() {
        return link.hasEventRoom() && surfaceHasRoom();
    }

    /** Takes an event of a client beside the data channel; false when there is no room for it. */
    boolean offer(EventClient from, ClientEvent event) {
        if (!clients.contains(from) || !hasRoom()) {
            return false;
        }
        EventThread between = surface;
        if (between != null) {
            between.said(from, text(event));
            return true;
        }
        link.sendEvent(
                ConverseRequest.newBuilder()
                        .setClientEvent(event.toBuilder().clearChannel())
                        .build());
        return true;
    }

    private static String text(ClientEvent event) {
        return event.hasText() ? event.getText() : event.getBinary().toStringUtf8();
    }

    // --- what a surface says

    /** Tells every client; on the surface's thread. */
    void tellAll(String event) {
        var _ = toClients(server(event));
    }

    /** Tells one client; on the surface's thread. The first that it hears is meant for it alone. */
    void tell(EventClient client, String event) {
        joining.remove(client);
        client.event(server(event).getServerEvent());
    }

    private ConverseResponse server(String event) {
        return ConverseResponse.newBuilder()
                .setServerEvent(ServerEvent.newBuilder().setChannel(channel.label).setText(event))
                .build();
    }

    /** Passes on what inference says to a data channel; on the surface's thread. */
    void pass(ConverseResponse message) {
        var _ = toClients(message);
    }

    /**
     * The data channel on which a surface speaks: that of the right name, or the first one until
     * there is one. The loop's thread reports channels, the surface's sends.
     */
    private final class ChannelClient implements EventClient {
        /** Empty for the first one that will be there. */
        private volatile String label = "";

        private boolean open;

        /** Whether the event is of this channel and was handed to the surface. */
        boolean takes(ConverseRequest event, EventThread between) {
            if (event.hasChannelOpened()) {
                opened(event.getChannelOpened().getChannel(), between);
            } else if (event.hasChannelClosed()) {
                open &= !event.getChannelClosed().getChannel().equals(label);
            } else if (event.hasClientEvent()
                    && event.getClientEvent().getChannel().equals(label)) {
                between.said(this, text(event.getClientEvent()));
                return true;
            }
            return false;
        }

        private void opened(String opened, EventThread between) {
            if (open && (!opened.equals(SURFACE_CHANNEL) || label.equals(SURFACE_CHANNEL))) {
                return;
            }
            boolean first = label.isEmpty();
            open = true;
            label = opened;
            if (!first) {
                between.attached(this);
            }
        }

        @Override
        public void event(ServerEvent event) {
            var _ = toChannel(ConverseResponse.newBuilder().setServerEvent(event).build());
        }

        @Override
        public void ended() {}
    }

    // --- the data channel's queue

    @Nullable ConverseResponse poll() {
        return forChannel.poll();
    }

    void left(ConverseResponse event) {
        boolean readOn = forChannel.left(event);
        if (surface != null) {
            payVote();
        } else if (readOn) {
            vote();
        }
    }

    void channelOpened() {
        forChannel.channelOpened();
    }

    void noChannels() {
        forChannel.noChannels();
        payVote();
    }

    EventBacklog waiting() {
        return link.waiting(forChannel.waitingBytes(), forChannel.isWithheld());
    }

    long takeDropped() {
        return forChannel.takeDropped();
    }

    // --- clients beside it

    /** Joins a client, which hears of all events from now on. */
    void attach(EventClient client) {
        synchronized (clients) {
            if (!ended) {
                EventThread between = surface;
                if (between != null) {
                    joining.add(client);
                    between.attached(client);
                }
                clients.add(client);
                return;
            }
        }
        client.ended();
    }

    /** Parts with a client, which hears nothing more. */
    void detach(EventClient client) {
        var _ = clients.remove(client);
        joining.remove(client);
    }

    /** The call is over; the stream is ended behind all that was said. */
    void end(Runnable endStream) {
        EventThread between = surface;
        if (between == null) {
            endStream.run();
            part();
        } else {
            between.close(
                    () -> {
                        endStream.run();
                        part();
                    });
        }
    }

    private void part() {
        List<EventClient> left;
        synchronized (clients) {
            ended = true;
            left = List.copyOf(clients);
            clients.clear();
        }
        left.forEach(EventClient::ended);
    }
}
