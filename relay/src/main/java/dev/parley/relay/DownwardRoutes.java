package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.LegKind;
import dev.parley.rtc.route.LegPacket;
import dev.parley.runtime.udp.DatagramBatch;

/**
 * Finds the client of a transceiver's datagram and takes the client header off, or passes it to the
 * other cluster's relay that the client comes in by. Owned by a worker. Hot path: no allocation, no
 * lock, no exception, no log.
 */
final class DownwardRoutes {
    private final FlowTable flows;
    private final PublicAddresses publicAddresses;
    private final Destinations destinations;
    private final Legs legs;
    private final SeededHash hash;
    private final RecoveryBudget recovery;
    private final ClientHeader header = new ClientHeader();
    private int publicIndex;
    private boolean vouched;
    private int exit;

    DownwardRoutes(
            FlowTable flows,
            PublicAddresses publicAddresses,
            Destinations destinations,
            Legs legs,
            SeededHash hash,
            RecoveryBudget recovery) {
        this.flows = flows;
        this.publicAddresses = publicAddresses;
        this.destinations = destinations;
        this.legs = legs;
        this.hash = hash;
        this.recovery = recovery;
    }

    /**
     * Routes a transceiver's datagram in slot {@code i}; when it is forwarded, the slot names what
     * to send and where, and {@link #exit} by which socket.
     */
    Verdict route(DatagramBatch batch, int i, long nowNanos) {
        if (!destinations.isOurs(batch.addressHigh(i), batch.addressLow(i))) {
            return Verdict.DOWN_OUTSIDE_RANGES;
        }
        vouched = false;
        return route(batch, i, FlowTable.NO_LEG, Verdict.DOWN_BY_FLOW, nowNanos);
    }

    /**
     * The same for one that a relay of the transceiver's cluster has sent here: out of a public
     * socket, and nowhere else.
     */
    Verdict carried(DatagramBatch batch, int i, LegPacket packet, long nowNanos) {
        batch.peer(i, packet.transceiverHigh(), packet.transceiverLow(), packet.transceiverPort());
        // That relay takes the flow up, and has seen to it that it may; our flow can be another
        // worker's, or another relay's with the same address.
        vouched = packet.kind() == LegKind.DOWN_BY_MAP;
        long leg = FlowTable.towards(packet.fromCluster());
        return route(batch, i, leg, Verdict.LEG_DOWN, nowNanos);
    }

    // The slot's peer is the transceiver, the leg what lies between it and us.
    private Verdict route(DatagramBatch batch, int i, long leg, Verdict byFlow, long nowNanos) {
        if (!header.wrap(batch.bytes(), batch.start(i), batch.length(i))) {
            return Verdict.DOWN_BAD_HEADER;
        }
        if (header.payloadLength() == 0) {
            return Verdict.DOWN_EMPTY;
        }
        long proxyHigh = header.proxyHigh();
        long proxyLow = header.proxyLow();
        int proxyPort = header.proxyPort();
        publicIndex = publicAddresses.known(proxyHigh, proxyLow, proxyPort);
        if (publicIndex == PublicAddresses.NONE) {
            publicIndex =
                    legs.isServedElsewhere(proxyHigh, proxyLow, proxyPort)
                            ? publicAddresses.usedElsewhere(proxyHigh, proxyLow, proxyPort)
                            : publicAddresses.learn(proxyHigh, proxyLow, proxyPort);
        }
        if (publicIndex == PublicAddresses.NONE) {
            return Verdict.DOWN_UNKNOWN_PUBLIC_ADDRESS;
        }
        int flow =
                flows.find(
                        header.clientHigh(),
                        header.clientLow(),
                        header.clientPort(),
                        publicIndex,
                        nowNanos);
        if (flow == FlowTable.NONE) {
            return recover(batch, i, leg, nowNanos);
        }
        if (flows.isProvisional(flow)) {
            return confirm(batch, i, flow, leg, byFlow, nowNanos);
        }
        if (!leadsTo(batch, i, flow, leg)) {
            return Verdict.DOWN_OTHER_TRANSCEIVER;
        }
        flows.touch(flow, nowNanos);
        return forward(batch, i, leg, flows.leg(flow), byFlow, nowNanos);
    }

    private boolean leadsTo(DatagramBatch batch, int i, int flow, long leg) {
        return flows.transceiverLow(flow) == batch.addressLow(i)
                && flows.transceiverHigh(flow) == batch.addressHigh(i)
                && flows.transceiverPort(flow) == batch.port(i)
                && (flows.leg(flow) == leg || isSameCluster(flows.leg(flow), leg));
    }

    // A flow that comes in by another cluster's relay has its transceiver here, as one that crosses
    // no border.
    private static boolean isSameCluster(long ofFlow, long leg) {
        return leg == FlowTable.NO_LEG && !FlowTable.leadsAway(ofFlow);
    }

    // The store alone has told this flow. Its transceiver's word makes it certain; another's is
    // believed instead as far as it would be if there were no flow.
    private Verdict confirm(
            DatagramBatch batch, int i, int flow, long leg, Verdict byFlow, long nowNanos) {
        Verdict verdict = byFlow;
        if (!leadsTo(batch, i, flow, leg)) {
            if (recovery.isOver(nowNanos)) {
                return Verdict.DOWN_OTHER_TRANSCEIVER;
            }
            if (!recovery.take(nowNanos)) {
                return Verdict.DOWN_RECOVERY_LIMITED;
            }
            flows.disown(flow);
            flows.point(flow, batch.addressHigh(i), batch.addressLow(i), batch.port(i), leg, 0);
            verdict = Verdict.DOWN_RECOVERED;
        }
        flows.confirm(flow);
        flows.touch(flow, nowNanos);
        return forward(batch, i, leg, FlowTable.NO_LEG, verdict, nowNanos);
    }

    // A restarted relay has lost its flows; the header of what a transceiver sends down names them.
    private Verdict recover(DatagramBatch batch, int i, long leg, long nowNanos) {
        boolean elsewhere = publicAddresses.isForeign(publicIndex);
        if (elsewhere && leg != FlowTable.NO_LEG) {
            return Verdict.LEG_LOOP;
        }
        if (recovery.isOver(nowNanos) && !vouched) {
            return Verdict.DOWN_WITHOUT_FLOW;
        }
        if (!recovery.take(nowNanos)) {
            return Verdict.DOWN_RECOVERY_LIMITED;
        }
        int flow =
                flows.insert(
                        header.clientHigh(),
                        header.clientLow(),
                        header.clientPort(),
                        publicIndex,
                        0,
                        0,
                        nowNanos);
        if (flow < 0) {
            return Verdict.DOWN_TABLE_FULL;
        }
        // A client that comes in elsewhere: its next packet tells by which relay.
        long onward = elsewhere ? FlowTable.through(Legs.BY_MAP) : leg;
        flows.point(flow, batch.addressHigh(i), batch.addressLow(i), batch.port(i), onward, 0);
        return forward(batch, i, leg, onward, Verdict.DOWN_RECOVERED, nowNanos);
    }

    private Verdict forward(
            DatagramBatch batch, int i, long leg, long onward, Verdict verdict, long nowNanos) {
        if (onward == FlowTable.NO_LEG || FlowTable.leadsAway(onward)) {
            return out(batch, i, verdict);
        }
        if (leg != FlowTable.NO_LEG) {
            return Verdict.LEG_LOOP;
        }
        exit = Exits.LEG;
        Verdict sealed = legs.down(batch, i, FlowTable.relayOf(onward), nowNanos);
        return sealed == Verdict.DOWN_UNKNOWN_RELAY
                ? legs.downByMap(
                        batch,
                        i,
                        header.proxyHigh(),
                        header.proxyLow(),
                        header.proxyPort(),
                        hash.of(header.clientHigh(), header.clientLow(), header.clientPort()),
                        nowNanos)
                : sealed;
    }

    private Verdict out(DatagramBatch batch, int i, Verdict verdict) {
        if (publicAddresses.isForeign(publicIndex)) {
            return Verdict.DOWN_UNKNOWN_RELAY;
        }
        batch.datagram(i, header.payloadOffset(), header.payloadLength());
        batch.peer(i, header.clientHigh(), header.clientLow(), header.clientPort());
        if (publicAddresses.isLearnt(publicIndex)) {
            batch.local(i, publicAddresses.high(publicIndex), publicAddresses.low(publicIndex));
        } else {
            batch.local(i, 0, 0);
        }
        exit = publicAddresses.socket(publicIndex);
        return verdict;
    }

    /** Flows may be taken up again for a while, as after a start. */
    void restartRecovery(long nowNanos) {
        recovery.restart(nowNanos);
    }

    /** By which of {@link Exits} the datagram that was forwarded last goes out. */
    int exit() {
        return exit;
    }
}
