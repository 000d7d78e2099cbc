package dev.parley.rtc.dtls;

import java.io.IOException;
import org.bouncycastle.tls.AlertDescription;
import org.bouncycastle.tls.DTLSTransport;
import org.bouncycastle.tls.TlsFatalAlert;
import org.bouncycastle.tls.TlsFatalAlertReceived;
import org.jspecify.annotations.Nullable;

/**
 * An association after its handshake. Its owner calls {@link #receive} for whatever comes until
 * that answers {@link DatagramLink#CLOSED}: this is where the peer's close_notify is noticed, and
 * where a lost last flight is sent again. Either a thread of its own waits there, or the loop that
 * has taken a datagram hands it in by the link and asks without a wait. Sending and closing are for
 * any thread.
 */
public final class DtlsSession implements AutoCloseable {
    private final DTLSTransport transport;
    private final PackedTransport link;
    private volatile boolean closed;
    private volatile DtlsOutcome.@Nullable Failed failure;

    DtlsSession(DTLSTransport transport, PackedTransport link) {
        this.transport = transport;
        this.link = link;
    }

    /**
     * Waits for application data.
     *
     * @param length at least {@link DatagramLink#MAX_RECEIVED}
     * @param waitMillis the longest wait; 0 as {@link DatagramLink#receive} has it
     * @return its length in bytes, {@link DatagramLink#TIMED_OUT} (perhaps early), or {@link
     *     DatagramLink#CLOSED} when either side has closed the association
     */
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        if (length < DatagramLink.MAX_RECEIVED) {
            throw new IllegalArgumentException("Room for a whole datagram is needed");
        }
        if (closed) {
            return DatagramLink.CLOSED;
        }
        try {
            int received = transport.receive(buffer, offset, length, waitMillis);
            return received < 0 ? DatagramLink.TIMED_OUT : received;
        } catch (PackedTransport.NothingMoreException e) {
            return DatagramLink.TIMED_OUT;
        } catch (IOException e) {
            return broken(e);
        }
    }

    // By close_notify, a fatal alert, or a link that is closed: there is nothing more to come.
    private int broken(IOException e) {
        failure = closed ? null : failure(e);
        closed = true;
        return DatagramLink.CLOSED;
    }

    /**
     * The next piece of application data in the datagram that {@link #receive} has taken last, of
     * which there may be several; the same answers, without a wait.
     */
    public int receiveRest(byte[] buffer, int offset, int length) {
        if (closed) {
            return DatagramLink.CLOSED;
        }
        try {
            int received = transport.receivePending(buffer, offset, length);
            if (received >= 0) {
                return received;
            }
            closed = link.isClosed();
            return closed ? DatagramLink.CLOSED : DatagramLink.TIMED_OUT;
        } catch (IOException e) {
            return broken(e);
        }
    }

    private static DtlsOutcome.@Nullable Failed failure(IOException e) {
        return switch (e) {
            case TlsFatalAlertReceived alert when isFarewell(alert.getAlertDescription()) -> null;
            case TlsFatalAlertReceived alert -> DtlsHandshake.refused(alert);
            case TlsFatalAlert _ ->
                    new DtlsOutcome.Failed(DtlsFailure.PROTOCOL, DtlsHandshake.describe(e));
            default -> null;
        };
    }

    // RFC 5246 7.2: these are warnings, but not everybody sends them as such.
    private static boolean isFarewell(short alert) {
        return alert == AlertDescription.close_notify || alert == AlertDescription.user_canceled;
    }

    /**
     * Why the association broke: by a fatal alert of the peer's, or of ours. Null when it lasts or
     * was closed in order.
     */
    public DtlsOutcome.@Nullable Failed findFailure() {
        return failure;
    }

    /**
     * Sends application data, one datagram.
     *
     * @return false when the association is closed
     */
    public boolean send(byte[] bytes, int offset, int length) {
        if (closed) {
            return false;
        }
        try {
            transport.send(bytes, offset, length);
            return true;
        } catch (IOException e) {
            closed = true;
            return false;
        }
    }

    /** Longest piece of application data in bytes that {@link #send} takes. */
    public int sendLimit() {
        try {
            return transport.getSendLimit();
        } catch (IOException e) {
            throw new IllegalStateException("The limit is a constant", e);
        }
    }

    public boolean isClosed() {
        return closed;
    }

    /**
     * Tells the peer by close_notify. A thread in {@link #receive} is not woken: close its link.
     */
    @Override
    public void close() {
        closed = true;
        try {
            transport.close();
        } catch (IOException e) {
            // Nothing is left to close.
        }
    }
}
