package dev.parley.rtc.sctp;

import org.jspecify.annotations.Nullable;

/**
 * Makes packets of what an association has to send, RFC 9260 6.10: control chunks first, then DATA
 * as far as it fits. Owned by the association.
 */
final class PacketBundler {
    /** A FORWARD TSN that skips a handful of streams. */
    private static final int FORWARD_TSN_ROOM = 64;

    private final SctpConfig config;
    private final int localPort;
    private final int remotePort;
    private final ControlChunks control;
    private final Handshake handshake;
    private final Shutdown shutdown;
    private final SctpCounters counters;
    private final PacketWriter writer = new PacketWriter();

    PacketBundler(
            SctpConfig config,
            int localPort,
            int remotePort,
            ControlChunks control,
            Handshake handshake,
            Shutdown shutdown,
            SctpCounters counters) {
        this.config = config;
        this.localPort = localPort;
        this.remotePort = remotePort;
        this.control = control;
        this.handshake = handshake;
        this.shutdown = shutdown;
        this.counters = counters;
    }

    /**
     * Writes the next packet; answers its length, 0 when there is none.
     *
     * @param sendsData whether the state allows DATA
     */
    int poll(byte[] into, int offset, @Nullable Transfer open, boolean sendsData, long nowNanos) {
        int length = 0;
        if (control.hasPacket()) {
            ControlChunks.Packet packet = control.nextPacket();
            begin(into, offset, packet.verificationTag());
            writer.copyChunk(packet.chunk());
            length = writer.finish(false);
        } else if (open != null) {
            begin(into, offset, open.peerTag());
            length = bundle(open, sendsData, nowNanos);
        }
        if (length > 0) {
            counters.packetLeft();
        }
        return length;
    }

    private void begin(byte[] into, int offset, int tag) {
        writer.begin(into, offset, config.packetBytes(), localPort, remotePort, tag);
    }

    private int bundle(Transfer open, boolean sendsData, long nowNanos) {
        // RFC 9653 5.2: not for a packet with a COOKIE ECHO.
        boolean cookie = handshake.writeCookie(writer);
        boolean zeroChecksum = open.features().zeroChecksum() && !cookie;
        control.copyTo(writer);
        shutdown.write(writer, open.inbound());
        boolean data = sendsData && open.sent().canSend(nowNanos);
        writeSack(open.inbound(), data);
        if (sendsData) {
            writeRequests(open, nowNanos);
        }
        if (data) {
            writeData(open, nowNanos);
        }
        return writer.chunks() == 0 ? 0 : writer.finish(zeroChecksum);
    }

    /** RFC 9260 6.2: at once if it must leave, else with DATA that goes anyway. */
    private void writeSack(InboundData inbound, boolean data) {
        boolean wanted = inbound.sackDue() || (data && inbound.sackPending());
        if (wanted && writer.room() >= ReceivedTsns.sackLength()) {
            inbound.writeSack(writer);
        }
    }

    private void writeRequests(Transfer open, long nowNanos) {
        StreamReset resets = open.resets();
        if (resets.isDue() && writer.room() >= resets.length()) {
            resets.write(writer, nowNanos);
        }
        if (open.sent().forwardTsnDue(nowNanos) && writer.room() >= FORWARD_TSN_ROOM) {
            open.sent().writeForwardTsn(writer, nowNanos);
        }
    }

    private void writeData(Transfer open, long nowNanos) {
        boolean interleaved = open.features().interleaving();
        OutboundChunk chunk = open.sent().next(writer.room(), true, nowNanos);
        boolean written = chunk != null;
        while (chunk != null) {
            chunk.write(writer, interleaved);
            chunk = open.sent().next(writer.room(), false, nowNanos);
        }
        if (written) {
            open.sent().packetEnd();
        }
    }
}
