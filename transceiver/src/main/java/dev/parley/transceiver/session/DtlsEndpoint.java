package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsOutcome.Connected;
import dev.parley.rtc.dtls.DtlsOutcome.Failed;
import dev.parley.rtc.dtls.DtlsSession;
import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.srtp.SrtpKeys;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A session's DTLS: the virtual thread on which the handshake may block, and which afterwards waits
 * for application data and the peer's close_notify. The media loop starts it, feeds it, sends
 * application data with it and closes it; it answers through {@link Owner}.
 */
final class DtlsEndpoint implements DatagramLink {
    /** Hears from the DTLS thread, unless said otherwise; none of these may block. */
    interface Owner {
        void onDtlsSend(byte[] datagram);

        /** On the loop: sends at once. */
        void sendDtls(byte[] bytes, int offset, int length);

        /**
         * Application data; {@link #dataTaken} says that it has been taken care of.
         *
         * @param from where it came from, which its keys vouch for
         */
        void onDtlsData(byte[] data, IcePath from);

        /** Our media may go out, behind all that was sent so far; nothing that comes is trusted. */
        void onDtlsKeyed(SrtpContexts media);

        /**
         * The handshake is done.
         *
         * @param media the same as in {@link #onDtlsKeyed}, if that was called; null when the
         *     association keys no media
         */
        void onDtlsConnected(@Nullable SrtpContexts media);

        /** The handshake has failed, or the association by a fatal alert. */
        void onDtlsFailed(Failed failed);

        /** The peer has closed the association. */
        void onDtlsClosed();

        void onDtlsFault(Throwable fault);
    }

    private static final int MAX_QUEUED = 32;

    /** Once connected: a burst of data that comes in one turn of the loop. */
    private static final int MAX_QUEUED_DATA = 256;

    private static final int MAX_UNSENT = 64;
    private static final int MAX_UNTAKEN = 64;
    private static final Datagram CLOSE = new Datagram(new byte[0], new IcePath());

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Datagram(byte[] bytes, IcePath from) {}

    private final DtlsHandshake handshake;
    private final SessionSpec spec;
    private final SetupWork.Share work;
    private final Owner owner;
    // Bounded by offer; CLOSE must always fit.
    private final BlockingQueue<Datagram> received = new LinkedBlockingQueue<>();
    private final AtomicInteger unsent = new AtomicInteger();
    private final AtomicInteger untaken = new AtomicInteger();
    private final AtomicInteger refusedData = new AtomicInteger();
    private @Nullable Thread thread;
    private @Nullable Thread loopThread;
    // While it shakes hands; of its thread alone.
    private SetupWork.@Nullable Turn turn;
    // Of the DTLS thread alone.
    private @Nullable SrtpContexts media;
    private IcePath lastFrom = CLOSE.from();
    private volatile boolean closing;
    private volatile @Nullable DtlsSession session;

    /**
     * @param work where the handshake takes turns with those of others; told when it is done
     */
    DtlsEndpoint(DtlsHandshake handshake, SessionSpec spec, SetupWork.Share work, Owner owner) {
        this.handshake = handshake;
        this.spec = spec;
        this.work = work;
        this.owner = owner;
    }

    /** Begins the handshake, once; on the loop. */
    void start() {
        if (thread == null && !closing) {
            loopThread = Thread.currentThread();
            thread = Thread.ofVirtual().name("dtls-" + spec.id()).start(this::run);
        }
    }

    boolean started() {
        return thread != null;
    }

    /** Hands over a received datagram; false when too many wait or DTLS is over. */
    boolean offer(IcePath from, ByteBuffer bytes, int offset, int length) {
        if (closing || length > MAX_RECEIVED || received.size() >= maxQueued()) {
            return false;
        }
        byte[] copy = new byte[length];
        bytes.get(offset, copy);
        IcePath path = new IcePath();
        path.copy(from);
        return received.add(new Datagram(copy, path));
    }

    private int maxQueued() {
        return session == null ? MAX_QUEUED : MAX_QUEUED_DATA;
    }

    /** Says that a datagram of {@link Owner#onDtlsSend} has been taken care of. */
    void sent() {
        unsent.decrementAndGet();
    }

    /**
     * Sends application data in one record, before this returns; on the loop. False when there is
     * no association (any more).
     *
     * @param length at most what fits a datagram of {@link DatagramLink#MTU} bytes: 37 fewer
     */
    boolean sendData(byte[] bytes, int offset, int length) {
        DtlsSession open = session;
        return open != null && !closing && open.send(bytes, offset, length);
    }

    /**
     * Says that data of {@link Owner#onDtlsData} has been taken care of; on the loop.
     *
     * @return records that were dropped meanwhile because too many waited
     */
    int dataTaken() {
        untaken.decrementAndGet();
        return refusedData.getAndSet(0);
    }

    /**
     * Ends the association by close_notify, which leaves before this returns, or the handshake; on
     * the loop.
     */
    void close() {
        if (closing) {
            return;
        }
        closing = true;
        DtlsSession open = session;
        if (open != null) {
            // Before the link breaks, which would make it an error instead.
            open.close();
        }
        received.add(CLOSE);
    }

    private void run() {
        try {
            switch (shakeHands()) {
                case Failed failed -> owner.onDtlsFailed(failed);
                case Connected connected -> {
                    work.done();
                    session = connected.session();
                    owner.onDtlsConnected(media == null ? SrtpContexts.find(connected) : media);
                    awaitClose(connected.session());
                }
            }
        } catch (RuntimeException | Error e) {
            owner.onDtlsFault(e);
        }
    }

    private DtlsOutcome shakeHands() {
        try (SetupWork.Turn first = work.takeTurn()) {
            turn = first;
            return handshake.run(
                    spec.role(),
                    spec.identity(),
                    spec.fingerprints(),
                    spec.hasAudio(),
                    this,
                    this::keyed);
        } finally {
            turn = null;
        }
    }

    private void keyed(SrtpKeys sendKeys, SrtpKeys receiveKeys) {
        SrtpContexts made = SrtpContexts.of(sendKeys, receiveKeys);
        media = made;
        owner.onDtlsKeyed(made);
    }

    private void awaitClose(DtlsSession open) {
        byte[] buffer = new byte[MAX_RECEIVED];
        int length = 0;
        while (!closing && length != CLOSED) {
            length = open.receive(buffer, 0, buffer.length, 0);
            if (length > 0) {
                pass(Arrays.copyOf(buffer, length));
            }
        }
        Failed failure = open.findFailure();
        if (closing) {
            open.close();
        } else if (failure != null) {
            owner.onDtlsFailed(failure);
        } else {
            owner.onDtlsClosed();
        }
    }

    // RFC 6347 4.1: records may be lost; what is above DTLS sends again what must arrive.
    private void pass(byte[] data) {
        if (untaken.incrementAndGet() > MAX_UNTAKEN) {
            untaken.decrementAndGet();
            refusedData.incrementAndGet();
            return;
        }
        owner.onDtlsData(data, lastFrom);
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        try {
            Datagram datagram = received.poll();
            if (datagram == null) {
                datagram = await(waitMillis);
            }
            if (datagram == null) {
                return TIMED_OUT;
            }
            if (datagram.bytes().length == 0) {
                // Whoever asks again gets the same answer.
                received.add(CLOSE);
                return CLOSED;
            }
            lastFrom = datagram.from();
            int copied = Math.min(length, datagram.bytes().length);
            System.arraycopy(datagram.bytes(), 0, buffer, offset, copied);
            return copied;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CLOSED;
        }
    }

    private @Nullable Datagram await(int waitMillis) throws InterruptedException {
        SetupWork.Turn mine = turn;
        if (mine == null) {
            return waitMillis == 0
                    ? received.take()
                    : received.poll(waitMillis, TimeUnit.MILLISECONDS);
        }
        mine.pause();
        try {
            return received.poll(waitMillis, TimeUnit.MILLISECONDS);
        } finally {
            mine.resume();
        }
    }

    @Override
    public void send(byte[] bytes, int offset, int length) {
        if (Thread.currentThread() == loopThread) {
            owner.sendDtls(bytes, offset, length);
            return;
        }
        if (unsent.incrementAndGet() > MAX_UNSENT) {
            unsent.decrementAndGet();
            return;
        }
        owner.onDtlsSend(Arrays.copyOfRange(bytes, offset, offset + length));
    }
}
