package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.PacketKind;
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
    private final RouteTokens tokens;
    private final AddressRanges transceivers;
    private final SeededHash hash;
    private final int clusterId;
    private final StunReader stun = new StunReader();
    private final RouteToken token = new RouteToken();
    private int flow = FlowTable.NONE;

    UpwardRoutes(
            FlowTable flows,
            PublicAddresses publicAddresses,
            RouteTokens tokens,
            AddressRanges transceivers,
            SeededHash hash,
            int clusterId) {
        this.flows = flows;
        this.publicAddresses = publicAddresses;
        this.tokens = tokens;
        this.transceivers = transceivers;
        this.hash = hash;
        this.clusterId = clusterId;
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
        if (token.clusterId() != clusterId) {
            return Verdict.TOKEN_OTHER_CLUSTER;
        }
        return transceivers.contains(token.addressHigh(), token.addressLow())
                ? Verdict.UP_BY_FLOW
                : Verdict.TOKEN_OUTSIDE_RANGES;
    }

    /** The flow that the last check has made or moved, until flows change. */
    int flow() {
        return flow;
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
                            : Verdict.UP_UNCACHED_TABLE_FULL);
        }
        flows.point(flow, token.addressHigh(), token.addressLow(), token.port(), ufragHash);
        return forward(batch, i, publicIndex, flow, Verdict.UP_NEW_FLOW, nowNanos);
    }

    private Verdict move(
            DatagramBatch batch, int i, int publicIndex, int known, long ufragHash, long nowNanos) {
        flow = known;
        if (!flows.assign(flow, token.sessionIdHigh(), token.sessionIdLow())) {
            return forwardByToken(batch, i, publicIndex, Verdict.UP_UNCACHED_SESSION_FULL);
        }
        flows.point(flow, token.addressHigh(), token.addressLow(), token.port(), ufragHash);
        return forward(batch, i, publicIndex, flow, Verdict.UP_MOVED_FLOW, nowNanos);
    }

    private Verdict forward(
            DatagramBatch batch, int i, int publicIndex, int by, Verdict verdict, long nowNanos) {
        // What only the store has told must not live on because somebody sends.
        if (!flows.isProvisional(by)) {
            flows.touch(by, nowNanos);
        }
        prepend(batch, i, publicIndex);
        batch.peer(
                i, flows.transceiverHigh(by), flows.transceiverLow(by), flows.transceiverPort(by));
        return verdict;
    }

    private Verdict forwardByToken(DatagramBatch batch, int i, int publicIndex, Verdict verdict) {
        prepend(batch, i, publicIndex);
        batch.peer(i, token.addressHigh(), token.addressLow(), token.port());
        return verdict;
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
