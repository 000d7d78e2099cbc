package dev.parley.app.load;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.DtlsSession;
import dev.parley.rtc.dtls.Fingerprint;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * DTLS of one client, on a virtual thread of its own since it blocks: the handshake, then whatever
 * comes until either side closes. Its owner gives it datagrams and hears of it from that thread.
 */
public final class CallDtls implements DatagramLink {
    /** Hears of it, on the DTLS thread. */
    public interface Listener {
        /** A datagram is to be sent; the array is the listener's. */
        void send(byte[] datagram);

        void done(DtlsOutcome outcome);

        /** Application data, one record. */
        void data(byte[] record);

        /** The peer has closed the association; not called after our own {@link #close}. */
        void closed();
    }

    private static final int HANDSHAKE_MILLIS = 30_000;
    private static final int QUEUED = 64;
    private static final Arrival END = new Arrival(new byte[0], 0);

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Arrival(byte[] datagram, long nanos) {}

    /** One for the process: what a client's certificate is, nobody asks. */
    public static final DtlsIdentity IDENTITY = DtlsIdentity.generate(new SecureRandom());

    private static final DtlsHandshake HANDSHAKE =
            new DtlsHandshake(
                    new SecureRandom(), HANDSHAKE_MILLIS, DtlsHandshake.DEFAULT_RESEND_MILLIS);

    private final DtlsRole role;
    private final Fingerprint expected;
    private final Listener listener;
    private final BlockingQueue<Arrival> incoming = new LinkedBlockingQueue<>(QUEUED);
    private volatile @Nullable DtlsSession session;
    private volatile boolean closing;

    // Of the handshake: written by its thread, read when it is done.
    private volatile long startNanos;
    private long waitedNanos;
    private volatile long ownNanos;

    public CallDtls(DtlsRole role, Fingerprint expected, Listener listener) {
        this.role = role;
        this.expected = expected;
        this.listener = listener;
    }

    public void start() {
        startNanos = System.nanoTime();
        Thread.ofVirtual().name("dtls").start(this::run);
    }

    /** Takes a datagram; drops it when too many wait. */
    public void offer(byte[] datagram) {
        var _ = incoming.offer(new Arrival(datagram, System.nanoTime()));
    }

    /**
     * How much of the handshake was not spent on waiting for the peer: this machine's arithmetic,
     * and what had come and waited for a processor. Known once it is done.
     */
    long ownNanos() {
        return ownNanos;
    }

    private void run() {
        DtlsOutcome outcome = HANDSHAKE.run(role, IDENTITY, List.of(expected), this);
        ownNanos = System.nanoTime() - startNanos - waitedNanos;
        if (outcome instanceof DtlsOutcome.Connected connected) {
            session = connected.session();
        }
        listener.done(outcome);
        if (outcome instanceof DtlsOutcome.Connected connected) {
            serve(connected.session());
        }
    }

    private void serve(DtlsSession open) {
        byte[] record = new byte[MAX_RECEIVED];
        int length = 0;
        while (length != CLOSED) {
            length = open.receive(record, 0, record.length, 0);
            if (length > 0) {
                listener.data(Arrays.copyOf(record, length));
            }
        }
        if (!closing) {
            listener.closed();
        }
    }

    /** Sends application data, one record; false when there is no association. */
    public boolean sendData(byte[] bytes, int offset, int length) {
        DtlsSession open = session;
        return open != null && open.send(bytes, offset, length);
    }

    /** Tells the peer and ends the thread. */
    public void close() {
        closing = true;
        DtlsSession open = session;
        if (open != null) {
            open.close();
        }
        incoming.clear();
        var _ = incoming.offer(END);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // END is a signal, not an empty datagram.
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        try {
            int wait = waitMillis == 0 ? HANDSHAKE_MILLIS : waitMillis;
            long since = System.nanoTime();
            Arrival arrival = incoming.poll(wait, TimeUnit.MILLISECONDS);
            if (arrival == END || closing) {
                return CLOSED;
            }
            long until = arrival == null ? System.nanoTime() : arrival.nanos();
            waitedNanos += Math.max(0, until - since);
            if (arrival == null) {
                return TIMED_OUT;
            }
            byte[] datagram = arrival.datagram();
            int taken = Math.min(length, datagram.length);
            System.arraycopy(datagram, 0, buffer, offset, taken);
            return taken;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return CLOSED;
        }
    }

    @Override
    public void send(byte[] bytes, int offset, int length) {
        listener.send(Arrays.copyOfRange(bytes, offset, offset + length));
    }
}
