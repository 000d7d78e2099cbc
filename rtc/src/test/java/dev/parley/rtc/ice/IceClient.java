package dev.parley.rtc.ice;

import dev.parley.rtc.ice.IceControlling.Nomination;
import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimNat;
import dev.parley.rtc.sim.SimNetwork;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** A client with one pair in the simulated network, behind a NAT. */
final class IceClient implements SimNetwork.Receiver {
    final IceControlling ice;

    private static final long MEDIA_INTERVAL_NANOS = 500_000_000L;

    private final SimNetwork network;
    private final SimNat nat;
    private final SimAddress address;
    private final SimAddress server;
    private final StunReader reader = new StunReader();
    private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private boolean running = true;

    IceClient(
            SimNetwork network,
            SimNat nat,
            SimAddress address,
            SimAddress server,
            IceCredentials local,
            IceCredentials remote,
            Nomination nomination) {
        this.network = network;
        this.nat = nat;
        this.address = address;
        this.server = server;
        this.ice =
                new IceControlling(local, remote, nomination, network.random(), network.nowNanos());
        nat.attach(address, this);
        poll();
    }

    /** Sends no more. */
    void vanish() {
        running = false;
    }

    /** Sends media from now on. */
    void speak() {
        if (running) {
            nat.send(address, server, IceServer.MEDIA);
            network.at(network.nowNanos() + MEDIA_INTERVAL_NANOS, this::speak);
        }
    }

    SimAddress publicAddress() {
        return nat.publicAddress(address);
    }

    private void poll() {
        if (!running) {
            return;
        }
        int length = ice.poll(network.nowNanos(), out, 0);
        if (length > 0) {
            nat.send(address, server, Arrays.copyOf(out.array(), length));
        }
        if (ice.state() != IceControlling.State.FAILED) {
            network.at(ice.deadlineNanos(network.nowNanos()), this::wake);
        }
    }

    /** Timers of deadlines that have moved since wake too early and do nothing. */
    private void wake() {
        if (ice.deadlineNanos(network.nowNanos()) - network.nowNanos() <= 0) {
            poll();
        }
    }

    @Override
    public void receive(SimAddress from, byte[] datagram) {
        if (!from.equals(server) || !reader.wrap(ByteBuffer.wrap(datagram), 0, datagram.length)) {
            return;
        }
        if (ice.handle(reader, network.nowNanos())) {
            network.at(ice.deadlineNanos(network.nowNanos()), this::wake);
            return;
        }
        int length = ice.answer(reader, from.high(), from.low(), from.port(), out, 0);
        if (running && length > 0) {
            nat.send(address, server, Arrays.copyOf(out.array(), length));
        }
    }
}
