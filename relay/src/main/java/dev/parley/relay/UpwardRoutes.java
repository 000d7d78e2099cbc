package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteToken;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.stun.StunReader;
import dev.parley.runtime.udp.DatagramBatch;
import java.nio.ByteBuffer;

/**
 * Finds the transceiver of a client's datagram and puts the client header in front of it. Owned by
 * a worker. Hot path: no allocation, no lock, no exception, no log; the relay never answers.
 */
final class UpwardRoutes {
    private final FlowTable flows;
    private final PublicAddresses publicAddresses;
    private final Destinations destinations;
    private final SeededHash hash;
    private final Legs legs;
    private final ClientHeader header = new ClientHeader();
    private final StunReader stun = new StunReader();
    private final RouteToken token = new RouteToken();
    private volatile RouteTokens tokens;
    private int flow = FlowTable.NONE;
    private int exit = Exits.UPSTREAM;

    UpwardRoutes(
            FlowTable flows,
            PublicAddresses publicAddresses,
            RouteKeys keys,
            Destinations destinations,
            SeededHash hash,
            Legs legs) {
        this.flows = flows;
        this.publicAddresses = publicAddresses;
        this.tokens = new RouteTokens(keys);
        this.destinations = destinations;
        this.hash = hash;
        this.legs = legs;
    }

    /** Opens tokens by these keys from now on. Any thread. */
    void useKeys(RouteKeys keys) {
        tokens = new RouteTokens(keys);
    }

    /**
     * Routes the datagram in slot {@code i}; when it is forwarded, the slot names what to send and
     * where.
     *
     * @param socket index of the public socket it came in by
     */
    Verdict route(DatagramBatch batch, int i, int socket, long nowNanos) {
        ByteBuffer bytes = batch.bytes();
        return switch (PacketKind.classify(bytes, batch.start(i), batch.length(i))) {
            case STUN -> stun(batch, i, usedAddress(batch, i, socket), nowNanos);
            case DTLS, RTP, RTCP ->
                    follow(
                            batch,
                            i,
                            usedAddress(batch, i, socket),
                            Verdict.MEDIA_WITHOUT_FLOW,
                            nowNanos);
            case CLIENT_HEADER -> Verdict.UP_CLIENT_HEADER;
            case UNKNOWN -> Verdict.UP_UNKNOWN_KIND;
        };
    }

    /** Index of the public address that a datagram was sent to. */
    int usedAddress(DatagramBatch batch, int i, int socket) {
        return publicAddresses.used(socket, batch.localHigh(i), batch.localLow(i));
    }

    private int flowOf(DatagramBatch batch, int i, int publicIndex, long nowNanos) {
        return flows.find(
                batch.addressHigh(i), batch.addressLow(i), batch.port(i), publicIndex, nowNanos);
    }

    private Verdict follow(
            DatagramBatch batch, int i, int publicIndex, Verdict otherwise, long nowNanos) {
        int known = flowOf(batch, i, publicIndex, nowNanos);
        return known == FlowTable.NONE
                ? otherwise
                : forward(batch, i, publicIndex, known, Verdict.UP_BY_FLOW, nowNanos);
    }

    // Every Binding request tells its route anew and wins over the flow: after an ICE restart, or
    // for a second session from the same address, the flow is out of date. Other STUN follows it.
    private Verdict stun(DatagramBatch batch, int i, int publicIndex, long nowNanos) {
        ByteBuffer bytes = batch.bytes();
        if (!stun.wrap(bytes, batch.start(i), batch.length(i))) {
            return Verdict.STUN_MALFORMED;
        }
        if (!stun.isBindingRequest()) {
            return follow(batch, i, publicIndex, Verdict.STUN_WITHOUT_FLOW, nowNanos);
        }
        int ufragLength = stun.receiverUfragLength();
        if (ufragLength < 0) {
            return Verdict.STUN_WITHOUT_UFRAG;
        }
        int ufragOffset = stun.usernameOffset();
        // The flow's last ufrag again needs no opening.
        long ufragHash = hash.of(bytes, ufragOffset, ufragLength);
        int known = flowOf(batch, i, publicIndex, nowNanos);
        if (known != FlowTable.NONE && flows.ufragHash(known) == ufragHash) {
            return forward(batch, i, publicIndex, known, Verdict.UP_BY_FLOW, nowNanos);
        }
        Verdict refused = open(bytes, ufragOffset, ufragLength);
        if (refused != Verdict.UP_BY_FLOW) {
            return refused;
        }
        return known == FlowTable.NONE
                ? begin(batch, i, publicIndex, ufragHash, nowNanos)
                : move(batch, i, publicIndex, known, ufragHash, nowNanos);
    }

    /** Opens the token; answers why it leads nowhere, or UP_BY_FLOW when it leads on. */
    private Verdict open(ByteBuffer bytes, int offset, int length) {
        return switch (tokens.open(bytes, offset, length, token)) {
            case OPENED -> admit();
            case BAD_LENGTH -> Verdict.TOKEN_BAD_LENGTH;
            case BAD_ALPHABET -> Verdict.TOKEN_BAD_ALPHABET;
            case BAD_VERSION -> Verdict.TOKEN_BAD_VERSION;
            case UNKNOWN_KEY -> Verdict.TOKEN_UNKNOWN_KEY;
            case FORGED -> Verdict.TOKEN_FORGED;
        };
    }

    private Verdict admit() {
        return destinations.check(token.clusterId(), token.addressHigh(), token.addressLow());
    }

    /** The flow that the last check has made or moved, until flows change. */
    int flow() {
        return flow;
    }

    /** By which of {@link Exits} the datagram that was routed last goes out. */
    int exit() {
        return exit;
    }

    private Verdict begin(
            DatagramBatch batch, int i, int publicIndex, long ufragHash, long nowNanos) {
        flow =
                flows.insert(
                        batch.addressHigh(i),
                        batch.addressLow(i),
                        batch.port(i),
                        publicIndex,
                        token.sessionIdHigh(),
                        token.sessionIdLow(),
                        nowNanos);
        if (flow < 0) {
            return forwardByToken(
                    batch,
                    i,
                    publicIndex,
                    flow == FlowTable.SESSION_FULL
                            ? Verdict.UP_UNCACHED_SESSION_FULL
                            : Verdict.UP_UNCACHED_TABLE_FULL,
                    nowNanos);
        }
        point(ufragHash);
        return forward(batch, i, publicIndex, flow, Verdict.UP_NEW_FLOW, nowNanos);
    }

    private Verdict move(
            DatagramBatch batch, int i, int publicIndex, int known, long ufragHash, long nowNanos) {
        flow = known;
        boolean shown = flows.ufragHash(known) != FlowTable.NO_UFRAG;
        if (!flows.assign(flow, token.sessionIdHigh(), token.sessionIdLow())) {
            return forwardByToken(
                    batch, i, publicIndex, Verdict.UP_UNCACHED_SESSION_FULL, nowNanos);
        }
        point(ufragHash);
        Verdict verdict = shown ? Verdict.UP_MOVED_FLOW : Verdict.UP_SHOWN_FLOW;
        return forward(batch, i, publicIndex, flow, verdict, nowNanos);
    }

    private void point(long ufragHash) {
        flows.point(
                flow,
                token.addressHigh(),
                token.addressLow(),
                token.port(),
                destinations.legTo(token.clusterId()),
                ufragHash);
    }

    private Verdict forward(
            DatagramBatch batch, int i, int publicIndex, int by, Verdict verdict, long nowNanos) {
        // What only the store has told must not live on because somebody sends.
        if (!flows.isProvisional(by)) {
            flows.touch(by, nowNanos);
        }
        long leg = flows.leg(by);
        if (leg != FlowTable.NO_LEG) {
            // The client that came in elsewhere is here now.
            if (!FlowTable.leadsAway(leg)) {
                flows.enterHere(by);
                leg = FlowTable.NO_LEG;
            }
        }
        return send(
                batch,
                i,
                publicIndex,
                leg,
                flows.transceiverHigh(by),
                flows.transceiverLow(by),
                flows.transceiverPort(by),
                verdict,
                nowNanos);
    }

    private Verdict forwardByToken(
            DatagramBatch batch, int i, int publicIndex, Verdict verdict, long nowNanos) {
        return send(
                batch,
                i,
                publicIndex,
                destinations.legTo(token.clusterId()),
                token.addressHigh(),
                token.addressLow(),
                token.port(),
                verdict,
                nowNanos);
    }

    private Verdict send(
            DatagramBatch batch,
            int i,
            int publicIndex,
            long leg,
            long high,
            long low,
            int port,
            Verdict verdict,
            long nowNanos) {
        if (leg == FlowTable.NO_LEG) {
            prepend(batch, i, publicIndex);
            batch.peer(i, high, low, port);
            exit = Exits.UPSTREAM;
            return verdict;
        }
        long client =
                hash.of(
                        batch.addressHigh(i),
                        batch.addressLow(i),
                        (long) batch.port(i) << 16 | publicIndex);
        prepend(batch, i, publicIndex);
        batch.peer(i, high, low, port);
        exit = Exits.LEG;
        Verdict sealed =
                legs.up(batch, i, kindOf(verdict), FlowTable.clusterOf(leg), client, nowNanos);
        return sealed == Verdict.UP_BY_LEG && verdict != Verdict.UP_BY_FLOW ? verdict : sealed;
    }

    // What is not remembered here must not be at the other end of the leg: the limit is for both.
    private static LegKind kindOf(Verdict verdict) {
        return switch (verdict) {
            case UP_UNCACHED_SESSION_FULL, UP_UNCACHED_TABLE_FULL -> LegKind.UP_UNCACHED;
            default -> LegKind.UP;
        };
    }

    /**
     * Routes a client's datagram that another cluster's relay has sent here, its client header in
     * front: to the transceiver that the relay names, which is one of ours, and nowhere else. The
     * way back is remembered.
     *
     * @param relay the sender by {@link Legs#sender}
     */
    Verdict carried(DatagramBatch batch, int i, LegPacket packet, int relay, long nowNanos) {
        long high = packet.transceiverHigh();
        long low = packet.transceiverLow();
        int port = packet.transceiverPort();
        if (!destinations.isOurs(high, low)) {
            return Verdict.LEG_OUTSIDE_RANGES;
        }
        if (!header.wrap(batch.bytes(), batch.start(i), batch.length(i))) {
            return Verdict.LEG_BAD_HEADER;
        }
        batch.peer(i, high, low, port);
        exit = Exits.UPSTREAM;
        if (packet.kind() == LegKind.UP_UNCACHED) {
            return Verdict.LEG_UP_UNCACHED;
        }
        int publicIndex =
                publicAddresses.usedElsewhere(
                        header.proxyHigh(), header.proxyLow(), header.proxyPort());
        if (publicIndex == PublicAddresses.NONE) {
            return Verdict.LEG_TOO_MANY_ADDRESSES;
        }
        return remember(publicIndex, high, low, port, FlowTable.through(relay), nowNanos);
    }

    private Verdict remember(
            int publicIndex, long high, long low, int port, long leg, long nowNanos) {
        long clientHigh = header.clientHigh();
        long clientLow = header.clientLow();
        int clientPort = header.clientPort();
        int known = flows.find(clientHigh, clientLow, clientPort, publicIndex, nowNanos);
        if (known == FlowTable.NONE) {
            known = flows.insert(clientHigh, clientLow, clientPort, publicIndex, 0, 0, nowNanos);
            if (known < 0) {
                return Verdict.LEG_UP_UNCACHED;
            }
            flows.point(known, high, low, port, leg, 0);
        } else if (!flows.leadsTo(known, high, low, port, leg)) {
            flows.point(known, high, low, port, leg, 0);
        }
        flows.touch(known, nowNanos);
        return Verdict.LEG_UP;
    }

    // The slot's headroom takes the header, so the payload stays where it was received.
    private void prepend(DatagramBatch batch, int i, int publicIndex) {
        int start = batch.start(i) - ClientHeader.LENGTH;
        ClientHeader.write(
                batch.bytes(),
                start,
                batch.addressHigh(i),
                batch.addressLow(i),
                batch.port(i),
                publicAddresses.high(publicIndex),
                publicAddresses.low(publicIndex),
                publicAddresses.port(publicIndex));
        batch.datagram(i, start, batch.length(i) + ClientHeader.LENGTH);
        batch.local(i, 0, 0);
    }
}
