package dev.parley.rtc.datachannel;

import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimNetwork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** Data channels in the simulated network: carries their packets and calls them in time. */
final class ChannelHost {
    final DataChannels channels;
    final List<ChannelEvent> events = new ArrayList<>();
    private final SimNetwork network;
    private final SimAddress address;
    private final SimAddress peer;
    private final byte[] scratch = new byte[2_000];
    private Consumer<ChannelEvent> onEvent = events::add;
    private long wakeAt;
    private boolean awaited;

    ChannelHost(
            DataChannels.Limits limits,
            boolean dtlsClient,
            SimNetwork network,
            SimAddress address,
            SimAddress peer) {
        this.network = network;
        this.address = address;
        this.peer = peer;
        Association association =
                new Association(SctpConfig.DEFAULT, 5000, 5000, network.random().split());
        this.channels = new DataChannels(association, limits, dtlsClient);
        network.attach(
                address,
                (from, datagram) -> {
                    association.handle(datagram, 0, datagram.length, network.nowNanos());
                    settle();
                });
    }

    void onEvent(Consumer<ChannelEvent> listener) {
        onEvent = listener;
    }

    long now() {
        return network.nowNanos();
    }

    void settle() {
        long now = network.nowNanos();
        Association association = channels.association();
        for (ChannelEvent e = channels.pollEvent(now); e != null; e = channels.pollEvent(now)) {
            onEvent.accept(e);
        }
        for (int n = association.poll(scratch, 0, now); n > 0; ) {
            network.send(address, peer, Arrays.copyOf(scratch, n));
            n = association.poll(scratch, 0, now);
        }
        long deadline = association.deadlineNanos(now);
        if (!awaited || wakeAt - deadline > 0) {
            awaited = true;
            wakeAt = deadline;
            network.at(deadline, () -> wake(deadline));
        }
    }

    private void wake(long deadline) {
        if (awaited && wakeAt == deadline) {
            awaited = false;
            channels.association().onTimer(network.nowNanos());
            settle();
        }
    }

    <T extends ChannelEvent> List<T> events(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
