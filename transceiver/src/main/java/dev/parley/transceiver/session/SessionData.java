package dev.parley.transceiver.session;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.parley.proto.inference.v1.ChannelClosed;
import dev.parley.proto.inference.v1.ChannelOpened;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.rtc.datachannel.ChannelDrop;
import dev.parley.rtc.datachannel.ChannelEvent;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.rtc.datachannel.DataChannels;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sctp.SctpDrop;
import dev.parley.rtc.sctp.SctpEvent;
import dev.parley.rtc.sdp.SdpData;
import dev.parley.transceiver.inference.InferenceCall;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The data channels of one session: from DTLS to inference and back. Owned by the session and its
 * loop.
 *
 * <p>Neither direction loses a message or grows without bound. When inference does not read, events
 * stay in the association, whose receive window closes; when the client does not, the association's
 * send buffer fills, then the queue behind it, and the stream is read no further.
 */
final class SessionData {
    /** Sends one DTLS record. */
    interface Sender {
        boolean send(byte[] bytes, int offset, int length);
    }

    private static final int MAX_CHANNELS = 256;
    private static final int MAX_LABEL_BYTES = 64 * 1024;

    /** How soon to look again whether inference has read. */
    private static final long RETRY_NANOS = 10_000_000L;

    private final InferenceCall inference;
    private final LoopCounters counters;
    private final Sender sender;
    private final Association association;
    private final DataChannels channels;
    private final @Nullable Snap snap;
    private final byte[] packet = new byte[SctpConfig.DEFAULT_PACKET_BYTES];
    private final long[] sctpCounted = new long[SctpDrop.values().length];
    private final long[] channelsCounted = new long[ChannelDrop.values().length];
    private @Nullable ConverseResponse held;
    private long messages;
    private boolean everOpen;
    private boolean inferenceIsSlow;
    private String ending = "";

    /**
     * @param snap null when SCTP shakes hands
     * @param random a secure one
     * @param sender called within the methods of this
     */
    SessionData(
            SdpData terms,
            @Nullable Snap snap,
            DtlsRole role,
            InferenceCall inference,
            LoopCounters counters,
            RandomGenerator random,
            Sender sender) {
        this.snap = snap;
        this.inference = inference;
        this.counters = counters;
        this.sender = sender;
        this.association =
                new Association(SctpConfig.DEFAULT, SdpData.LOCAL_PORT, terms.sctpPort(), random);
        this.channels =
                new DataChannels(
                        association,
                        new DataChannels.Limits(
                                MAX_CHANNELS, MAX_LABEL_BYTES, terms.maxMessageBytes()),
                        role == DtlsRole.CLIENT);
        channels.takeUnannounced();
    }

    /** DTLS is there. */
    void start(long nowNanos) {
        Snap agreed = snap;
        if (agreed == null) {
            association.connect(nowNanos);
        } else {
            association.establish(agreed.own(), agreed.clients(), nowNanos);
        }
        work(nowNanos);
    }

    /** Takes one DTLS record. */
    void receive(byte[] data, long nowNanos) {
        association.handle(data, 0, data.length, nowNanos);
        work(nowNanos);
    }

    /** Inference has something to send. */
    void takeServerEvents(long nowNanos) {
        work(nowNanos);
    }

    /** When {@link #onTimer} has something to do next, at most {@code latest}. */
    long deadlineNanos(long latest, long nowNanos) {
        long deadline = association.deadlineNanos(nowNanos);
        if (inferenceIsSlow) {
            deadline = Timers.earlier(deadline, nowNanos + RETRY_NANOS);
        }
        return Timers.earlier(deadline, latest);
    }

    void onTimer(long nowNanos) {
        association.onTimer(nowNanos);
        work(nowNanos);
    }

    /** Whether the client has all that inference has sent it. */
    boolean isFlushed() {
        return held == null && association.bufferedBytes() == 0;
    }

    /** Messages that have passed, both ways. */
    long messages() {
        return messages;
    }

    /** How the channels stand. */
    DataSnapshot snapshot() {
        return DataSnapshot.of(
                association,
                ending,
                channels.all().size(),
                messages,
                held != null,
                inference.waitingEvents());
    }

    /** Counts what is left to count. */
    void end() {
        countDrops();
    }

    private void work(long nowNanos) {
        takeEvents(nowNanos);
        send(nowNanos);
        int length = association.poll(packet, 0, nowNanos);
        while (length > 0) {
            // What DTLS does not send is lost as on the network, and sent again.
            var _ = sender.send(packet, 0, length);
            length = association.poll(packet, 0, nowNanos);
        }
        countDrops();
    }

    // --- up

    private void takeEvents(long nowNanos) {
        boolean going = true;
        while (going) {
            inferenceIsSlow = !inference.hasEventRoom();
            ChannelEvent event = inferenceIsSlow ? null : channels.pollEvent(nowNanos);
            going = event != null;
            if (event != null) {
                take(event);
            }
        }
    }

    private void take(ChannelEvent event) {
        switch (event) {
            case ChannelEvent.Opened(DataChannel channel, _) -> {
                everOpen = true;
                inference.channelOpened();
                inference.sendEvent(
                        ConverseRequest.newBuilder()
                                .setChannelOpened(
                                        ChannelOpened.newBuilder()
                                                .setChannel(channel.label())
                                                .setProtocol(channel.protocol()))
                                .build());
            }
            case ChannelEvent.Message message -> {
                messages++;
                inference.sendEvent(clientEvent(message));
            }
            case ChannelEvent.Closed(DataChannel channel, _) ->
                    inference.sendEvent(
                            ConverseRequest.newBuilder()
                                    .setChannelClosed(
                                            ChannelClosed.newBuilder().setChannel(channel.label()))
                                    .build());
            case ChannelEvent.Ended(SctpEvent.CloseReason reason, String detail) -> {
                ending = reason.name().toLowerCase(Locale.ROOT) + ": " + detail;
                inference.noChannels();
            }
            case ChannelEvent.Connected _ -> {}
        }
    }

    private static ConverseRequest clientEvent(ChannelEvent.Message message) {
        ClientEvent.Builder event = ClientEvent.newBuilder().setChannel(message.channel().label());
        ByteString payload = UnsafeByteOperations.unsafeWrap(message.payload());
        if (message.binary()) {
            event.setBinary(payload);
        } else if (payload.isValidUtf8()) {
            event.setTextBytes(payload);
        } else {
            // What is no UTF-8 becomes replacement characters, as in browsers.
            event.setText(new String(message.payload(), StandardCharsets.UTF_8));
        }
        return ConverseRequest.newBuilder().setClientEvent(event).build();
    }

    // --- down

    private void send(long nowNanos) {
        while (everOpen) {
            ConverseResponse next = held == null ? inference.pollEvent() : held;
            held = next;
            if (next == null || !send(next, nowNanos)) {
                return;
            }
            held = null;
            inference.eventLeft(next);
        }
    }

    /** Answers false when it has to wait. */
    private boolean send(ConverseResponse message, long nowNanos) {
        boolean closing = message.hasCloseChannel();
        DataChannel channel =
                find(
                        closing
                                ? message.getCloseChannel().getChannel()
                                : message.getServerEvent().getChannel());
        if (channel == null) {
            counters.drops.increment(Drop.EVENT_NO_CHANNEL);
            return true;
        }
        if (closing) {
            channels.close(channel);
            return true;
        }
        ServerEvent event = message.getServerEvent();
        boolean binary = event.hasBinary();
        byte[] payload = (binary ? event.getBinary() : event.getTextBytes()).toByteArray();
        return switch (channels.send(channel, binary, payload, nowNanos)) {
            case ACCEPTED -> {
                messages++;
                yield true;
            }
            case BUFFER_FULL -> false;
            case TOO_LONG -> {
                counters.drops.increment(Drop.EVENT_TOO_LONG);
                yield true;
            }
            case CLOSED -> {
                counters.drops.increment(Drop.EVENT_NO_CHANNEL);
                yield true;
            }
        };
    }

    private @Nullable DataChannel find(String label) {
        for (DataChannel channel : channels.all()) {
            boolean named = label.isEmpty() || channel.label().equals(label);
            if (named && channel.state() != DataChannel.State.CLOSING) {
                return channel;
            }
        }
        return null;
    }

    // --- counters

    private void countDrops() {
        counters.drops.add(Drop.EVENT_NO_CHANNEL, inference.takeDroppedEvents());
        for (SctpDrop reason : SctpDrop.values()) {
            long count = association.counters().drops(reason);
            counters.sctp.add(reason, count - sctpCounted[reason.ordinal()]);
            sctpCounted[reason.ordinal()] = count;
        }
        for (ChannelDrop reason : ChannelDrop.values()) {
            long count = channels.drops(reason);
            counters.channels.add(reason, count - channelsCounted[reason.ordinal()]);
            channelsCounted[reason.ordinal()] = count;
        }
    }
}
