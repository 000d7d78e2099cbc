package dev.parley.rtc.sctp;

import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimNetwork;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/** An association in the simulated network: carries its packets and calls it in time. */
final class SctpHost {
    static final int PORT = 5000;

    final Association association;
    final List<SctpEvent> events = new ArrayList<>();
    private final SimNetwork network;
    private final SimAddress address;
    private final SimAddress peer;
    private final byte[] scratch = new byte[2_000];
    private Consumer<SctpEvent> onEvent = events::add;
    private boolean reading = true;
    private int longestPacket;
    private long wakeAt;
    private boolean awaited;

    SctpHost(
            SctpConfig config,
            SimNetwork network,
            SimAddress address,
            SimAddress peer,
            RandomGenerator random) {
        this.network = network;
        this.address = address;
        this.peer = peer;
        this.association = new Association(config, PORT, PORT, random);
        network.attach(
                address,
                (from, datagram) -> {
                    association.handle(datagram, 0, datagram.length, network.nowNanos());
                    settle();
                });
    }

    void onEvent(Consumer<SctpEvent> listener) {
        onEvent = listener;
    }

    /** Stops or goes on taking events. */
    void reading(boolean on) {
        reading = on;
        settle();
    }

    void connect() {
        association.connect(network.nowNanos());
        settle();
    }

    void establish(SctpInit own, SctpInit peers) {
        association.establish(own, peers, network.nowNanos());
        settle();
    }

    SendResult send(int streamId, byte[] payload) {
        return send(streamId, payload, true, Reliability.RELIABLE);
    }

    SendResult send(int streamId, byte[] payload, boolean ordered, Reliability reliability) {
        SendResult result =
                association.send(streamId, 51, payload, ordered, reliability, network.nowNanos());
        settle();
        return result;
    }

    void reset(int streamId) {
        association.resetStream(streamId, false);
        settle();
    }

    void shutdown() {
        association.shutdown(network.nowNanos());
        settle();
    }

    void abort() {
        association.abort("enough");
        settle();
    }

    int longestPacket() {
        return longestPacket;
    }

    /** Takes events, sends packets, and sees to being called again. */
    void settle() {
        long now = network.nowNanos();
        SctpEvent event = reading ? association.pollEvent() : null;
        while (event != null) {
            onEvent.accept(event);
            event = reading ? association.pollEvent() : null;
        }
        int length = association.poll(scratch, 0, now);
        while (length > 0) {
            longestPacket = Math.max(longestPacket, length);
            network.send(address, peer, Arrays.copyOf(scratch, length));
            length = association.poll(scratch, 0, now);
        }
        schedule(now);
    }

    private void schedule(long now) {
        long deadline = association.deadlineNanos(now);
        if (awaited && wakeAt - deadline <= 0) {
            return;
        }
        awaited = true;
        wakeAt = deadline;
        network.at(
                deadline,
                () -> {
                    if (awaited && wakeAt == deadline) {
                        awaited = false;
                        association.onTimer(network.nowNanos());
                        settle();
                    }
                });
    }

    List<SctpEvent.Message> messages() {
        return events.stream()
                .filter(SctpEvent.Message.class::isInstance)
                .map(SctpEvent.Message.class::cast)
                .toList();
    }

    <T extends SctpEvent> List<T> events(Class<T> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
