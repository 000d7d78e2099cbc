package dev.parley.bench.relay;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.stun.StunWriter;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.IpAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.Map;

/**
 * The clients of a load: flow {@code f} has an address of its own in 127.0.0.0/8 on one of a few
 * sockets, so that a hundred thousand clients need a few descriptors only. Each is a session of its
 * own with its own route token.
 */
final class ClientFlows {
    static final int SOCKETS = 16;

    /**
     * Where the sender's clock stands in both kinds of datagram: behind RTP's, in STUN's header.
     */
    static final int STAMP_AT = 12;

    private static final long FIRST_ADDRESS = DatagramBatch.IPV4_MAPPED_LOW | 0x7F01_0001L;
    private static final long SESSION_SEED = 0x9E37_79B9_7F4A_7C15L;

    /** As CallTrace has it. */
    private static final long SAMPLED = 1;

    private final RouteTokens tokens =
            new RouteTokens(
                    RouteKeys.of(
                            Map.of(RelayFile.KEY_ID, HexFormat.of().parseHex(RelayFile.KEY_HEX))));
    private final StunWriter writer = new StunWriter();
    private final InetSocketAddress sink;
    private int sampledPercent;

    ClientFlows(InetSocketAddress sink) {
        this.sink = sink;
    }

    /** Of so many in a hundred the session's trace is to be exported. */
    void sampledPercent(int percent) {
        sampledPercent = percent;
    }

    private long sessionHigh(int flow) {
        long id = (flow + 1) * SESSION_SEED;
        return flow % 100 < sampledPercent ? id | SAMPLED : id & ~SAMPLED;
    }

    static int socket(int flow) {
        return flow % SOCKETS;
    }

    private static long address(int flow) {
        return FIRST_ADDRESS + flow / SOCKETS;
    }

    /** The flow whose client received a datagram on this socket at this address. */
    static int flow(int socket, long localLow) {
        return (int) (localLow - FIRST_ADDRESS) * SOCKETS + socket;
    }

    /** Fills a slot with the check that opens a flow. */
    void check(DatagramBatch batch, int slot, int flow, long stampNanos) {
        String ufrag =
                tokens.mint(
                        RelayFile.KEY_ID,
                        sessionHigh(flow),
                        (flow + 1) * Long.rotateLeft(SESSION_SEED, 17),
                        0,
                        IpAddress.high(sink.getAddress()),
                        IpAddress.low(sink.getAddress()),
                        sink.getPort());
        int start = batch.slotOffset(slot);
        int length =
                writer.bindingRequest(batch.bytes(), start, flow, stampNanos)
                        .username(ufrag + ":load")
                        .fingerprint()
                        .length();
        batch.datagram(slot, start, length);
        batch.local(slot, DatagramBatch.IPV4_MAPPED_HIGH, address(flow));
    }

    /** Fills a slot with media; the bytes behind the stamp are whatever was there. */
    static void media(DatagramBatch batch, int slot, int flow, int length, long stampNanos) {
        int start = batch.slotOffset(slot);
        batch.bytes().putInt(start, 0x806F_0000 | (flow & 0xFFFF));
        batch.bytes().putLong(start + STAMP_AT, stampNanos);
        batch.datagram(slot, start, length);
        batch.local(slot, DatagramBatch.IPV4_MAPPED_HIGH, address(flow));
    }
}
