package dev.parley.rtc.dtls;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.tls.DatagramTransport;

/**
 * Bouncy Castle's way to the {@link DatagramLink} of one association. Packs the records of a flight
 * into as few datagrams as they need, RFC 6347 4.1.1: Bouncy Castle would send each in its own, and
 * on a lossy path a flight of one datagram arrives far more often than a flight of six.
 *
 * <p>While Bouncy Castle waits for an answer, and it waits twice as long each time, the flight goes
 * out again as it is every so often: a peer that missed it gets it soon, one that has it drops it.
 * What the peer answers to a flight that it has seen before is left to Bouncy Castle's own
 * repetitions, whose records have new numbers.
 */
final class PackedTransport implements DatagramTransport {
    /** More than any flight has; what is behind them is not sent again by us. */
    private static final int MAX_FLIGHT = 8;

    private final DatagramLink link;
    private final int repeatMillis;
    private final Runnable onFlight;
    private final byte[] packed = new byte[DatagramLink.MTU];
    private int packedLength;

    // What was sent before Bouncy Castle waited last: it sends a flight whole, then waits.
    private final List<byte[]> flight = new ArrayList<>();
    private boolean waited;

    // Written by the handshake's thread before the session is handed out, read by all its users.
    private volatile boolean packing = true;
    private volatile boolean closed;

    /**
     * @param repeatMillis the longest wait in milliseconds before a flight is sent again
     * @param onFlight called during the handshake when all there was to send has left
     */
    PackedTransport(DatagramLink link, int repeatMillis, Runnable onFlight) {
        this.link = link;
        this.repeatMillis = repeatMillis;
        this.onFlight = onFlight;
    }

    /** From now on each record goes out at once, whichever thread sends it. */
    void stopPacking() {
        flush();
        packing = false;
        flight.clear();
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
            onFlight.run();
        }
        int received = closed ? DatagramLink.CLOSED : await(buffer, offset, length, waitMillis);
        if (received == DatagramLink.CLOSED) {
            throw new LinkClosedException();
        }
        if (received == DatagramLink.TIMED_OUT && waitMillis == 0) {
            throw new NothingMoreException();
        }
        // An empty datagram is skipped like any other that holds no record.
        return HandshakeMessages.anyTooLongInDatagram(buffer, offset, received) ? 0 : received;
    }

    private int await(byte[] buffer, int offset, int length, int waitMillis) {
        waited = true;
        int left = waitMillis;
        while (packing && left > repeatMillis) {
            int received = link.receive(buffer, offset, length, repeatMillis);
            if (received != DatagramLink.TIMED_OUT) {
                return received;
            }
            left -= repeatMillis;
            flight.forEach(datagram -> link.send(datagram, 0, datagram.length));
        }
        return link.receive(buffer, offset, length, left);
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

    /** Whether either side has closed the association. */
    boolean isClosed() {
        return closed;
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
            note();
            packedLength = 0;
        }
    }

    private void note() {
        if (waited) {
            waited = false;
            flight.clear();
        }
        if (flight.size() < MAX_FLIGHT) {
            flight.add(Arrays.copyOf(packed, packedLength));
        }
    }

    /**
     * Ends a wait without end, which the link does not have: its owner hands datagrams in. Of all
     * exceptions Bouncy Castle takes this kind alone for no fault of the association.
     */
    static final class NothingMoreException extends InterruptedIOException {
        private static final long serialVersionUID = 1;

        NothingMoreException() {
            super("No more datagrams");
        }

        /** Thrown in the course of things, so it knows no stack. */
        @Override
        public Throwable fillInStackTrace() {
            return this;
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
