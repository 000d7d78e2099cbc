package dev.parley.rtc.sctp;

import java.util.Queue;

/**
 * What an association has once the peer's INIT or INIT ACK has told its initial TSN: both halves of
 * the transfer, and the resets of streams. Owned by the association.
 */
final class Transfer {
    private final PeerInit.Features features;
    private final InboundData inbound;
    private final RetransmissionQueue sent;
    private final StreamReset resets;
    private final int outboundStreams;
    private int peerTag;

    Transfer(
            SctpConfig config,
            int localInitialTsn,
            PeerInit peer,
            OutboundStreams outbound,
            RtoEstimator rto,
            ControlChunks control,
            Queue<SctpEvent> events,
            SctpCounters counters) {
        peerTag = peer.tag();
        features =
                peer.features()
                        .and(
                                new PeerInit.Features(
                                        true, true, config.interleaving(), config.zeroChecksum()));
        // RFC 9260 5.1.1: no more than the peer allows.
        outboundStreams = Math.min(config.maxStreams(), peer.inboundStreams());
        boolean interleaved = features.interleaving();
        outbound.interleave(interleaved);
        inbound =
                new InboundData(
                        config,
                        peer.initialTsn(),
                        interleaved,
                        config.maxStreams(),
                        events,
                        counters);
        sent =
                new RetransmissionQueue(
                        config,
                        localInitialTsn,
                        peer.window(),
                        interleaved,
                        outbound,
                        rto,
                        counters);
        resets =
                new StreamReset(
                        new StreamReset.Terms(
                                localInitialTsn,
                                peer.initialTsn(),
                                outboundStreams,
                                peer.outboundStreams(),
                                config.maxStreams()),
                        outbound,
                        inbound,
                        sent,
                        rto,
                        control,
                        events,
                        counters);
    }

    PeerInit.Features features() {
        return features;
    }

    InboundData inbound() {
        return inbound;
    }

    RetransmissionQueue sent() {
        return sent;
    }

    StreamReset resets() {
        return resets;
    }

    int outboundStreams() {
        return outboundStreams;
    }

    int peerTag() {
        return peerTag;
    }

    void peerTag(int updated) {
        peerTag = updated;
    }
}
