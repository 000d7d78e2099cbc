package dev.parley.rtc.dtls;

import java.io.IOException;
import org.bouncycastle.tls.DatagramTransport;

/**
 * Bouncy Castle's way to the {@link DatagramLink} of one association. Packs the records of a flight
 * into as few datagrams as they need, RFC 6347 4.1.1: Bouncy Castle would send each in its own, and
 * on a lossy path a flight of one datagram arrives far more often than a flight of six.
 */
final class PackedTransport implements DatagramTransport {
    private final DatagramLink link;
    private final byte[] packed = new byte[DatagramLink.MTU];
    private int packedLength;

    // Written by the handshake's thread before the session is handed out, read by all its users.
    private volatile boolean packing = true;
    private volatile boolean closed;

    PackedTransport(DatagramLink link) {
        this.link = link;
    }

    /** From now on each record goes out at once, whichever thread sends it. */
    void stopPacking() {
        flush();
        packing = false;
    }

    @Override
    public int getReceiveLimit() {
        return DatagramLink.MAX_RECEIVED;
    }

    @Override
    public int getSendLimit() {
        return DatagramLink.MTU;
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) throws IOException {
        if (packing) {
            // Bouncy Castle waits: the flight is complete.
            flush();
        }
        int received =
                closed ? DatagramLink.CLOSED : link.receive(buffer, offset, length, waitMillis);
        if (received == DatagramLink.CLOSED) {
            throw new LinkClosedException();
        }
        // An empty datagram is skipped like any other that holds no record.
        return HandshakeMessages.anyTooLongInDatagram(buffer, offset, received) ? 0 : received;
    }

    @Override
    public void send(byte[] bytes, int offset, int length) {
        if (!packing) {
            link.send(bytes, offset, length);
            return;
        }
        if (packedLength + length > packed.length) {
            flush();
        }
        System.arraycopy(bytes, offset, packed, packedLength, length);
        packedLength += length;
    }

    @Override
    public void close() {
        if (packing) {
            flush();
        }
        closed = true;
    }

    private void flush() {
        if (packedLength > 0) {
            link.send(packed, 0, packedLength);
            packedLength = 0;
        }
    }

    /** Ends whatever Bouncy Castle was waiting for. */
    static final class LinkClosedException extends IOException {
        private static final long serialVersionUID = 1;

        LinkClosedException() {
            super("The link is closed");
        }
    }
}
