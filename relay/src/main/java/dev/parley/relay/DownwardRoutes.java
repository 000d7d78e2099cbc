package dev.parley.relay;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.runtime.udp.DatagramBatch;

/**
 * Finds the client of a transceiver's datagram and takes the client header off. Owned by a worker.
 * Hot path: no allocation, no lock, no exception, no log.
 */
final class DownwardRoutes {
    private final FlowTable flows;
    private final PublicAddresses publicAddresses;
    private final AddressRanges transceivers;
    private final RecoveryBudget recovery;
    private final ClientHeader header = new ClientHeader();
    private int publicIndex;

    DownwardRoutes(
            FlowTable flows,
            PublicAddresses publicAddresses,
            AddressRanges transceivers,
            RecoveryBudget recovery) {
        this.flows = flows;
        this.publicAddresses = publicAddresses;
        this.transceivers = transceivers;
        this.recovery = recovery;
    }

    /**
     * Routes the datagram in slot {@code i}; when it is forwarded, the slot names what to send and
     * where, and {@link #socket} by which public socket.
     */
    Verdict route(DatagramBatch batch, int i, long nowNanos) {
        if (!transceivers.contains(batch.addressHigh(i), batch.addressLow(i))) {
            return Verdict.DOWN_OUTSIDE_RANGES;
        }
        if (!header.wrap(batch.bytes(), batch.start(i), batch.length(i))) {
            return Verdict.DOWN_BAD_HEADER;
        }
        if (header.payloadLength() == 0) {
            return Verdict.DOWN_EMPTY;
        }
        publicIndex =
                publicAddresses.find(header.proxyHigh(), header.proxyLow(), header.proxyPort());
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
            return recover(batch, i, nowNanos);
        }
        if (flows.isProvisional(flow)) {
            return confirm(batch, i, flow, nowNanos);
        }
        if (!leadsTo(batch, i, flow)) {
            return Verdict.DOWN_OTHER_TRANSCEIVER;
        }
        flows.touch(flow, nowNanos);
        return forward(batch, i, Verdict.DOWN_BY_FLOW);
    }

    private boolean leadsTo(DatagramBatch batch, int i, int flow) {
        return flows.transceiverLow(flow) == batch.addressLow(i)
                && flows.transceiverHigh(flow) == batch.addressHigh(i)
                && flows.transceiverPort(flow) == batch.port(i);
    }

    // The store alone has told this flow. Its transceiver's word makes it certain; another's is
    // believed instead as far as it would be if there were no flow.
    private Verdict confirm(DatagramBatch batch, int i, int flow, long nowNanos) {
        Verdict verdict = Verdict.DOWN_BY_FLOW;
        if (!leadsTo(batch, i, flow)) {
            if (recovery.isOver(nowNanos)) {
                return Verdict.DOWN_OTHER_TRANSCEIVER;
            }
            if (!recovery.take(nowNanos)) {
                return Verdict.DOWN_RECOVERY_LIMITED;
            }
            flows.disown(flow);
            flows.point(flow, batch.addressHigh(i), batch.addressLow(i), batch.port(i), 0);
            verdict = Verdict.DOWN_RECOVERED;
        }
        flows.confirm(flow);
        flows.touch(flow, nowNanos);
        return forward(batch, i, verdict);
    }

    // A restarted relay has lost its flows; the header of what a transceiver sends down names them.
    private Verdict recover(DatagramBatch batch, int i, long nowNanos) {
        if (recovery.isOver(nowNanos)) {
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
        flows.point(flow, batch.addressHigh(i), batch.addressLow(i), batch.port(i), 0);
        return forward(batch, i, Verdict.DOWN_RECOVERED);
    }

    private Verdict forward(DatagramBatch batch, int i, Verdict verdict) {
        batch.datagram(i, header.payloadOffset(), header.payloadLength());
        batch.peer(i, header.clientHigh(), header.clientLow(), header.clientPort());
        if (publicAddresses.isLearnt(publicIndex)) {
            batch.local(i, publicAddresses.high(publicIndex), publicAddresses.low(publicIndex));
        } else {
            batch.local(i, 0, 0);
        }
        return verdict;
    }

    /** Flows may be taken up again for a while, as after a start. */
    void restartRecovery(long nowNanos) {
        recovery.restart(nowNanos);
    }

    /** Index of the public socket by which the datagram that was forwarded last goes out. */
    int socket() {
        return publicAddresses.socket(publicIndex);
    }
}
