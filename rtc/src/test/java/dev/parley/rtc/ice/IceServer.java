package dev.parley.rtc.ice;

import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimNetwork;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One address in the simulated network with any number of lite sessions behind it. */
final class IceServer implements SimNetwork.Receiver {
    static final long CONSENT_NANOS = 30_000_000_000L;

    private static final long SOON_NANOS = 60_000_000_000L;

    final SimAddress address = SimAddress.of(1, 3478);
    final Map<IceVerdict, Integer> verdicts = new EnumMap<>(IceVerdict.class);
    int malformed;

    /** Stands for a media packet: anything that authenticates itself. */
    static final byte[] MEDIA = new byte[110];

    private static final long MEDIA_INTERVAL_NANOS = 20_000_000L;

    private final SimNetwork network;
    private final List<IceLite> sessions = new ArrayList<>();
    private final StunReader reader = new StunReader();
    private final ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
    private final IcePath path = new IcePath();

    IceServer(SimNetwork network) {
        this.network = network;
        network.attach(address, this);
    }

    IceLite open(IceCredentials local, IceCredentials remote) {
        IceLite session = new IceLite(local, remote, CONSENT_NANOS, network.random());
        sessions.add(session);
        return session;
    }

    @Override
    public void receive(SimAddress from, byte[] datagram) {
        path.client(from.high(), from.low(), from.port());
        path.proxy(address.high(), address.low(), address.port());
        if (Arrays.equals(datagram, MEDIA)) {
            sessions.forEach(session -> session.heard(path, datagram.length, network.nowNanos()));
            return;
        }
        if (!reader.wrap(ByteBuffer.wrap(datagram), 0, datagram.length)) {
            malformed++;
            return;
        }
        IceVerdict verdict = IceVerdict.WRONG_USERNAME;
        for (IceLite session : sessions) {
            verdict = session.handle(reader, path, network.nowNanos(), out, 0);
            if (session.answerLength() > 0) {
                network.send(address, from, Arrays.copyOf(out.array(), session.answerLength()));
            }
            if (verdict != IceVerdict.WRONG_USERNAME) {
                break;
            }
        }
        verdicts.merge(verdict, 1, Integer::sum);
        sessions.forEach(this::check);
    }

    /** Sends a session's own check when it is due. */
    private void check(IceLite session) {
        long nowNanos = network.nowNanos();
        int length = session.pollCheck(nowNanos, out, 0);
        IcePath to = session.findSelected();
        if (length > 0 && to != null) {
            network.send(address, client(to), Arrays.copyOf(out.array(), length));
        }
        long dueNanos = session.checkDeadlineNanos(nowNanos);
        if (dueNanos - nowNanos <= SOON_NANOS) {
            network.at(dueNanos, () -> check(session));
        }
    }

    /** Sends media of all sessions from now on. */
    void speak() {
        for (IceLite session : sessions) {
            IcePath to = session.claimPath(MEDIA.length, network.nowNanos());
            if (to != null) {
                network.send(address, client(to), MEDIA);
            }
        }
        network.at(network.nowNanos() + MEDIA_INTERVAL_NANOS, this::speak);
    }

    /** A session's handshake is done, along the path that is selected. */
    void shakeHands(IceLite session) {
        session.claimHandshakePath(MEDIA.length, network.nowNanos());
        session.handshakeDone(network.nowNanos());
    }

    /** The path to a client. */
    IcePath pathTo(SimAddress client) {
        return new IcePath()
                .client(client.high(), client.low(), client.port())
                .proxy(address.high(), address.low(), address.port());
    }

    int count(IceVerdict verdict) {
        return verdicts.getOrDefault(verdict, 0);
    }

    static SimAddress client(IcePath path) {
        return new SimAddress(path.clientHigh(), path.clientLow(), path.clientPort());
    }
}
