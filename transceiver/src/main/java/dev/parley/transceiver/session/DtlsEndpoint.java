package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsOutcome.Connected;
import dev.parley.rtc.dtls.DtlsOutcome.Failed;
import dev.parley.rtc.dtls.DtlsSession;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session's DTLS: the virtual thread on which the handshake may block, and after it waits for the
 * peer's close_notify. The media loop starts it, feeds it and closes it; it answers through {@link
 * Owner}.
 */
final class DtlsEndpoint implements DatagramLink {
    /** Hears from the DTLS thread; none of these may block. */
    interface Owner {
        void onDtlsSend(byte[] datagram);

        void onDtlsConnected(Connected connected);

        void onDtlsFailed(Failed failed);

        /** The peer has closed the association. */
        void onDtlsClosed();

        void onDtlsFault(Throwable fault);
    }

    private static final int MAX_QUEUED = 32;
    private static final int MAX_UNSENT = 64;
    private static final byte[] CLOSE = new byte[0];

    private final DtlsHandshake handshake;
    private final SessionSpec spec;
    private final Owner owner;
    // Bounded by offer; CLOSE must always fit.
    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();
    private final AtomicInteger unsent = new AtomicInteger();
    private @Nullable Thread thread;
    private volatile boolean closing;
    private volatile @Nullable DtlsSession session;

    DtlsEndpoint(DtlsHandshake handshake, SessionSpec spec, Owner owner) {
        this.handshake = handshake;
        this.spec = spec;
        this.owner = owner;
    }

    /** Begins the handshake, once; on the loop. */
    void start() {
        if (thread == null && !closing) {
            thread = Thread.ofVirtual().name("dtls-" + spec.id()).start(this::run);
        }
    }

    /** Hands over a received datagram; false when too many wait or DTLS is over. */
    boolean offer(ByteBuffer bytes, int offset, int length) {
        if (closing || length > MAX_RECEIVED || received.size() >= MAX_QUEUED) {
            return false;
        }
        byte[] copy = new byte[length];
        bytes.get(offset, copy);
        return received.add(copy);
    }

    /** Says that a datagram of {@link Owner#onDtlsSend} has been taken care of. */
    void sent() {
        unsent.decrementAndGet();
    }

    /** Ends the association by close_notify, or the handshake; does not block. */
    void close() {
        if (closing) {
            return;
        }
        closing = true;
        DtlsSession open = session;
        if (open == null) {
            received.add(CLOSE);
            return;
        }
        // The order matters: a link that breaks first would make it an error instead.
        Thread.ofVirtual()
                .name("dtls-close-" + spec.id())
                .start(
                        () -> {
                            open.close();
                            received.add(CLOSE);
                        });
    }

    private void run() {
        try {
            DtlsOutcome outcome =
                    handshake.run(spec.role(), spec.identity(), spec.fingerprints(), this);
            switch (outcome) {
                case Failed failed -> owner.onDtlsFailed(failed);
                case Connected connected -> {
                    session = connected.session();
                    owner.onDtlsConnected(connected);
                    awaitClose(connected.session());
                }
            }
        } catch (RuntimeException | Error e) {
            owner.onDtlsFault(e);
        }
    }

    private void awaitClose(DtlsSession open) {
        byte[] buffer = new byte[MAX_RECEIVED];
        // Application data would be a data channel's, and none was negotiated.
        while (!closing && open.receive(buffer, 0, buffer.length, 0) != CLOSED) {}
        if (closing) {
            open.close();
        } else {
            owner.onDtlsClosed();
        }
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        try {
            byte[] datagram =
                    waitMillis == 0
                            ? received.take()
                            : received.poll(waitMillis, TimeUnit.MILLISECONDS);
            if (datagram == null) {
                return TIMED_OUT;
            }
            if (datagram.length == CLOSE.length) {
                // Whoever asks again gets the same answer.
                received.add(CLOSE);
                return CLOSED;
            }
            int copied = Math.min(length, datagram.length);
            System.arraycopy(datagram, 0, buffer, offset, copied);
            return copied;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CLOSED;
        }
    }

    @Override
    public void send(byte[] bytes, int offset, int length) {
        if (unsent.incrementAndGet() > MAX_UNSENT) {
            unsent.decrementAndGet();
            return;
        }
        owner.onDtlsSend(Arrays.copyOfRange(bytes, offset, offset + length));
    }
}
