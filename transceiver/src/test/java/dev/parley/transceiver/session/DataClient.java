package dev.parley.transceiver.session;

import dev.parley.rtc.datachannel.ChannelEvent;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.rtc.datachannel.DataChannels;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.Reliability;
import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sctp.SctpInit;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A client's side of the data channels, over a peer's DTLS. */
final class DataClient {
    private final Rig rig;
    final Peer peer;
    final List<ChannelEvent> events = new ArrayList<>();
    final Association association = new Association(SctpConfig.DEFAULT, 5000, 5000, new Random(1));
    final DataChannels channels;
    private long consentNanos;

    /** Connects the peer, and its association. */
    DataClient(Rig rig, Peer peer) {
        this(rig, peer, null);
    }

    /**
     * The same with an association that SDP has set up.
     *
     * @param own its INIT as it was offered; null to shake hands
     */
    DataClient(Rig rig, Peer peer, @Nullable SctpInit own) {
        this.rig = rig;
        this.peer = peer;
        consentNanos = rig.now();
        rig.connect(peer);
        channels =
                new DataChannels(
                        association,
                        new DataChannels.Limits(10, 10_000, 262_144),
                        peer.role() == DtlsRole.CLIENT);
        if (own == null) {
            association.connect(rig.now());
        } else {
            String answered = Objects.requireNonNull(peer.answeredInit(), "no INIT in the answer");
            association.establish(own, Objects.requireNonNull(SctpInit.find(answered)), rig.now());
        }
    }

    void step() {
        long now = rig.now();
        if (now - consentNanos > 1_000_000_000L) {
            consentNanos = now;
            peer.consent(now);
        }
        for (byte[] in = peer.data().poll(); in != null; in = peer.data().poll()) {
            association.handle(in, 0, in.length, now);
        }
        association.onTimer(now);
        for (ChannelEvent e = channels.pollEvent(now); e != null; ) {
            events.add(e);
            e = channels.pollEvent(now);
        }
        byte[] packet = new byte[1_200];
        for (int n = association.poll(packet, 0, now); n > 0; ) {
            peer.sendData(Arrays.copyOf(packet, n));
            n = association.poll(packet, 0, now);
        }
    }

    void until(BooleanSupplier done) {
        rig.advanceUntil(
                () -> {
                    step();
                    return done.getAsBoolean();
                });
    }

    DataChannel open(String label) {
        DataChannel channel =
                Objects.requireNonNull(
                        channels.open(label, "", true, Reliability.RELIABLE, rig.now()));
        until(() -> channel.state() == DataChannel.State.OPEN);
        return channel;
    }

    void send(DataChannel channel, boolean binary, byte[] payload) {
        until(
                () ->
                        channels.send(channel, binary, payload, rig.now())
                                == DataChannels.Sent.ACCEPTED);
    }

    List<ChannelEvent.Message> messages() {
        return events.stream()
                .filter(ChannelEvent.Message.class::isInstance)
                .map(ChannelEvent.Message.class::cast)
                .toList();
    }
}
