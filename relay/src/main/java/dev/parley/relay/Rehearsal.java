package dev.parley.relay;

import dev.parley.relay.store.FlowStore;
import dev.parley.relay.store.StoreLane;
import dev.parley.relay.store.StoreSettings;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.LoopThreads;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * Opens private relays between private sockets and has them take flows up, one that the store tells
 * and one that a transceiver tells. A relay that follows a killed one does this with its very first
 * packets, which must not wait for classes to load. Owned by the warm-up.
 */
final class Rehearsal implements AutoCloseable {
    /** Looks for a datagram, each of which waits at most as long as the poller's timer takes. */
    private static final int LOOKS = 20;

    private final RelayConfig config;
    private final SeededHash hash;
    private final UdpPoller poller;
    private final UdpPort known;
    private final UdpPort unknown;
    private final UdpPort transceiver;
    private final FlowStore store;
    private final StoreLane otherRelay;
    private final ThreadFactory threads;
    private final DatagramBatch batch;
    private final byte[] media;

    /**
     * A rehearsal.
     *
     * @param config of a relay with one worker at any ports of loopback
     * @param poller whose timer wakes often
     * @param known socket of the client that the store knows
     * @param unknown socket of the client that the transceiver alone knows
     */
    Rehearsal(
            RelayConfig config,
            SeededHash hash,
            UdpPoller poller,
            UdpPort known,
            UdpPort unknown,
            UdpPort transceiver,
            byte[] media) {
        this.config = config;
        this.hash = hash;
        this.poller = poller;
        this.known = known;
        this.unknown = unknown;
        this.transceiver = transceiver;
        this.media = media;
        store = FlowStore.inMemory(new StoreSettings(config.storeTimeToLive()));
        otherRelay = store.open(() -> {});
        threads = LoopThreads.factory("relay-rehearsal-", config.udp());
        batch = new DatagramBatch(config.batch(), ClientHeader.LENGTH, media.length * 2);
    }

    /** Runs once; answers how many of the two flows were taken up. */
    int run() {
        List<RelayLoop> loops = new RelayOpening(config, hash, store).open(null);
        RelayLoop loop = loops.getFirst();
        try {
            InetSocketAddress publicAddress = loop.publicPorts().getFirst().localAddress();
            clear(transceiver);
            clear(unknown);
            tell(publicAddress);
            loop.start(threads);
            int taken = carry(known, publicAddress, 0, transceiver);
            describe(unknown.localAddress(), publicAddress);
            InetSocketAddress upstream = loop.upstreamPort().localAddress();
            return taken + carry(transceiver, upstream, ClientHeader.LENGTH, unknown);
        } finally {
            loops.forEach(RelayLoop::close);
        }
    }

    // What came too late the last time.
    private void clear(UdpPort port) {
        int received = port.receive(batch);
        while (received > 0) {
            received = port.receive(batch);
        }
    }

    // Another relay has seen the client's token, and the store knows before this one asks.
    private void tell(InetSocketAddress publicAddress) {
        InetSocketAddress leadsTo = transceiver.localAddress();
        if (begin(StoreLane.Kind.WRITE, publicAddress)) {
            otherRelay
                    .transceiver(high(leadsTo), low(leadsTo), leadsTo.getPort(), config.clusterId())
                    .session(1, 1)
                    .commit();
        }
        if (begin(StoreLane.Kind.READ, publicAddress)) {
            otherRelay.commit();
        }
        for (int look = 0; look < LOOKS && otherRelay.pollAnswer(0) == null; look++) {
            poller.await(Long.MAX_VALUE);
        }
    }

    private boolean begin(StoreLane.Kind kind, InetSocketAddress publicAddress) {
        InetSocketAddress client = known.localAddress();
        if (!otherRelay.begin(kind, 0)) {
            return false;
        }
        otherRelay
                .client(high(client), low(client), client.getPort())
                .publicAddress(high(publicAddress), low(publicAddress), publicAddress.getPort());
        return true;
    }

    private void describe(InetSocketAddress client, InetSocketAddress publicAddress) {
        ClientHeader.write(
                batch.bytes(),
                batch.slotOffset(0),
                high(client),
                low(client),
                client.getPort(),
                high(publicAddress),
                low(publicAddress),
                publicAddress.getPort());
    }

    private void send(UdpPort from, InetSocketAddress to, int headerBytes) {
        batch.bytes().put(batch.slotOffset(0) + headerBytes, media);
        batch.datagram(0, batch.slotOffset(0), headerBytes + media.length);
        batch.peer(0, high(to), low(to), to.getPort());
        batch.local(0, 0, 0);
        var _ = from.send(batch, 0, 1);
    }

    // The first time a datagram may be held for too long, as classes are loaded only now.
    private int carry(UdpPort from, InetSocketAddress to, int headerBytes, UdpPort port) {
        for (int look = 0; look < LOOKS; look++) {
            send(from, to, headerBytes);
            poller.await(Long.MAX_VALUE);
            if (port.receive(batch) > 0) {
                return 1;
            }
            // What was forwarded more than once lies here, and would end every wait at once.
            clear(from);
        }
        return 0;
    }

    private static long high(InetSocketAddress address) {
        return IpAddress.high(address.getAddress());
    }

    private static long low(InetSocketAddress address) {
        return IpAddress.low(address.getAddress());
    }

    @Override
    public void close() {
        store.close();
    }
}
