package dev.parley.relay;

import dev.parley.relay.store.StoreLane;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.stun.StunWriter;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.IpAddress;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Drives a worker between private loopback sockets before the public port is bound, and rehearses
 * the taking up of flows. Without it the first second of traffic would find native calls unlinked
 * and the loop interpreted, and lose packets while both are made.
 */
final class WarmUp {
    private static final System.Logger LOG = System.getLogger(WarmUp.class.getName());
    private static final int TURNS = 20_000;
    private static final int MOST_PER_TURN = 8;

    /** Time runs fast here, so that every timer has its turn too. */
    private static final long SPEED = 64;

    private static final long LONGEST_WAIT_NANOS = 1_000_000L;
    private static final int MEDIA_BYTES = 172;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int SESSION = 1;

    /** A rehearsal follows so many turns, so that the compiler sees its branches taken as well. */
    private static final int TURNS_PER_REHEARSAL = 1_000;

    /** Each leaves two or three megabytes behind, and nothing here collects garbage later. */
    private static final int REHEARSALS = 4;

    private final RelayConfig config;
    private final UdpPoller poller;
    private final UdpPort vip;
    private final UdpPort client;
    private final UdpPort transceiver;
    private final RelayTurn turn;
    private final DatagramBatch batch;
    private final byte[] check;
    private final byte[] media = new byte[MEDIA_BYTES];
    private final Rehearsal rehearsal;

    private WarmUp(RelayConfig config, SeededHash hash) {
        this.config = config;
        poller = config.openPoller();
        vip = bind();
        client = bind();
        transceiver = bind();
        RelayCounters counters = new RelayCounters();
        RelayWorker worker =
                new WorkerAssembly(config, hash)
                        .assemble(
                                WorkerMemory.of(config, hash),
                                List.of(vip),
                                bind(),
                                null,
                                Legs.none(),
                                StoreLane.closed(),
                                counters,
                                System.nanoTime() * SPEED);
        turn = new RelayTurn(poller, worker, counters, config.busyWait(), SPEED);
        // The turn may wait without limit; nothing must hang should a datagram be lost here.
        poller.wakeEvery(LONGEST_WAIT_NANOS);
        batch = new DatagramBatch(config.batch(), ClientHeader.LENGTH, MEDIA_BYTES * 4);
        check = check();
        // RFC 7983: RTP.
        media[0] = (byte) 0x80;
        rehearsal = new Rehearsal(config, hash, poller, client, bind(), transceiver, media);
    }

    /** Runs until the loop is fast or the time is up. */
    static void run(RelayConfig config, SeededHash hash) {
        if (config.warmUp().isZero()) {
            return;
        }
        // Small, and allowed to reach the loopback sockets whatever the real one may reach.
        WarmUp warmUp = new WarmUp(config.forWarmUp(), hash);
        long patienceNanos = config.warmUp().toNanos();
        // The first loading of classes does not count: on a busy machine it alone can take longer.
        long start = System.nanoTime();
        int turns = 0;
        int taken = 0;
        try {
            taken += warmUp.rehearsal.run();
            while (turns < TURNS && System.nanoTime() - start < patienceNanos) {
                if (turns % TURNS_PER_REHEARSAL == 0 && turns < REHEARSALS * TURNS_PER_REHEARSAL) {
                    taken += warmUp.rehearsal.run();
                }
                warmUp.turn(turns);
                turns++;
            }
        } finally {
            warmUp.rehearsal.close();
            warmUp.poller.close();
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "warmed up in {0} turns, {1} flows taken up, {2} ms",
                turns,
                taken,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
    }

    private UdpPort bind() {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        return poller.bind(any, new UdpOptions(false, BUFFER_BYTES, BUFFER_BYTES));
    }

    private byte[] check() {
        InetSocketAddress address = transceiver.localAddress();
        int keyId = Integer.parseInt(config.routeKeys().keySet().iterator().next());
        String ufrag =
                new RouteTokens(config.keys())
                        .mint(
                                keyId,
                                SESSION,
                                SESSION,
                                config.clusterId(),
                                IpAddress.high(address.getAddress()),
                                IpAddress.low(address.getAddress()),
                                address.getPort());
        DatagramBatch scratch = new DatagramBatch(1, 0, StunWriter.MAX_LENGTH);
        int length =
                new StunWriter()
                        .bindingRequest(scratch.bytes(), 0, 0, 0)
                        .username(ufrag + ":warmup")
                        .fingerprint()
                        .length();
        byte[] bytes = new byte[length];
        scratch.bytes().get(0, bytes);
        return bytes;
    }

    // A few datagrams up and back down again: many turns matter more than many datagrams.
    private void turn(int number) {
        int count = Math.min(batch.capacity(), 1 + number % MOST_PER_TURN);
        InetSocketAddress to = vip.localAddress();
        for (int i = 0; i < count; i++) {
            byte[] bytes = i == 0 ? check : media;
            batch.bytes().put(batch.slotOffset(i), bytes);
            batch.datagram(i, batch.slotOffset(i), bytes.length);
            batch.peer(
                    i,
                    IpAddress.high(to.getAddress()),
                    IpAddress.low(to.getAddress()),
                    to.getPort());
            batch.local(i, 0, 0);
        }
        var _ = client.send(batch, 0, count);
        poller.await(0);
        var _ = turn.run();
        int up = transceiver.receive(batch);
        var _ = transceiver.send(batch, 0, up);
        poller.await(0);
        var _ = turn.run();
        var _ = client.receive(batch);
    }
}
