package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpPort;
import java.nio.ByteBuffer;

/**
 * Gathers a loop's outgoing datagrams and sends them in batches. A payload is written straight into
 * its slot, behind the room for the client header. Owned by one media loop.
 */
final class Outbox {
    private static final int SLOTS = 64;

    /** Longest payload that may be written; what we send stays under 1,200 bytes. */
    static final int MAX_PAYLOAD_BYTES = 1_500;

    private final UdpPort port;
    private final DatagramBatch batch =
            new DatagramBatch(SLOTS, ClientHeader.LENGTH, MAX_PAYLOAD_BYTES);
    private int filled;
    private final LoopCounters counters;

    Outbox(UdpPort port, LoopCounters counters) {
        this.port = port;
        this.counters = counters;
    }

    /** Where payloads are written. */
    ByteBuffer bytes() {
        return batch.bytes();
    }

    /** Offset at which the next payload is to be written; {@link #commit} makes it leave. */
    int payloadOffset() {
        return batch.slotOffset(filled) + ClientHeader.LENGTH;
    }

    /** Sends the payload written at {@link #payloadOffset} along a path. */
    void commit(IcePath path, int length) {
        int start = payloadOffset();
        if (path.isDirect()) {
            batch.datagram(filled, start, length);
            batch.peer(filled, path.clientHigh(), path.clientLow(), path.clientPort());
        } else {
            start -= ClientHeader.LENGTH;
            ClientHeader.write(
                    batch.bytes(),
                    start,
                    path.clientHigh(),
                    path.clientLow(),
                    path.clientPort(),
                    path.proxyHigh(),
                    path.proxyLow(),
                    path.proxyPort());
            batch.datagram(filled, start, ClientHeader.LENGTH + length);
            batch.peer(filled, path.relayHigh(), path.relayLow(), path.relayPort());
        }
        batch.local(filled, 0, 0);
        filled++;
        if (filled == SLOTS) {
            flush();
        }
    }

    /** Hands what is gathered to the socket; what its buffer does not take is dropped. */
    void flush() {
        if (filled > 0) {
            int count = filled;
            // First, or a fault of the port would leave a batch that is full for ever.
            filled = 0;
            LoopCounters.add(counters.unsent, count - port.send(batch, 0, count));
        }
    }
}
