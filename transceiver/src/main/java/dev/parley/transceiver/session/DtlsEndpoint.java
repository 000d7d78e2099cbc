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
 * A session's DTLS: the virtual thread on which the handshake may block, and afterwards what the
 * media loop decrypts and encrypts by itself. The loop starts it, feeds it, sends application data
 * with it and closes it; it answers through {@link Owner}.
 *
 * <p>Once connected nothing is handed from thread to thread: a record is read in the turn of the
 * loop that has received it, so no queue can overflow and no wake-up be lost.
 */
final class DtlsEndpoint implements DatagramLink {
    /** Hears from the DTLS thread, unless said otherwise; none of these may block. */
    interface Owner {
        void onDtlsSend(byte[] datagram);

        /** On the loop: sends at once. */
        void sendDtls(byte[] bytes, int offset, int length);

        /**
         * On the loop: application data, one record.
         *
         * @param from where it came from, which its keys vouch for; to be copied when kept
         */
        void onDtlsData(byte[] data, IcePath from);

        /** Our media may go out, behind all that was sent so far; nothing that comes is trusted. */
        void onDtlsKeyed(SrtpContexts media);

        /**
         * The handshake is done.
         *
         * @param open to be given to {@link #connected} on the loop, or closed
         * @param media the same as in {@link #onDtlsKeyed}, if that was called; null when the
         *     association keys no media
         */
        void onDtlsConnected(DtlsSession open, @Nullable SrtpContexts media);

        /** The handshake has failed, or, on the loop, the association by a fatal alert. */
        void onDtlsFailed(Failed failed);

        /** On the loop: the peer has closed the association. */
        void onDtlsClosed();

        void onDtlsFault(Throwable fault);
    }

    private static final int MAX_QUEUED = 32;
    private static final int MAX_UNSENT = 64;
    private static final Datagram CLOSE = new Datagram(new byte[0], new IcePath());

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Datagram(byte[] bytes, IcePath from) {}

    private final DtlsHandshake handshake;
    private final SessionSpec spec;
    private final SetupWork.Share work;
    private final Owner owner;
    // For the handshake. Bounded by offer; CLOSE must always fit.
    private final BlockingQueue<Datagram> received = new LinkedBlockingQueue<>();
    private final AtomicInteger unsent = new AtomicInteger();
    private @Nullable Thread thread;
    private @Nullable Thread loopThread;
    // While it shakes hands; of its thread alone.
    private SetupWork.@Nullable Turn turn;
    private @Nullable SrtpContexts media;
    private volatile boolean closing;

    // Of the loop alone: the association, and the datagram that it reads.
    private @Nullable DtlsSession session;
    private boolean over;
    private byte[] plaintext = new byte[0];
    private @Nullable ByteBuffer incoming;
    private int incomingOffset;
    private int incomingLength;

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

    /**
     * Takes a received datagram; on the loop. False when too many wait for the handshake, DTLS is
     * over, or there is nothing in it that the peer's keys vouch for.
     */
    boolean offer(IcePath from, ByteBuffer bytes, int offset, int length) {
        if (closing || over || length > MAX_RECEIVED) {
            return false;
        }
        DtlsSession open = session;
        if (open != null) {
            return read(open, from, bytes, offset, length);
        }
        if (received.size() >= MAX_QUEUED) {
            return false;
        }
        byte[] copy = new byte[length];
        bytes.get(offset, copy);
        IcePath path = new IcePath();
        path.copy(from);
        return received.add(new Datagram(copy, path));
    }

    /** Says that a datagram of {@link Owner#onDtlsSend} has been taken care of. */
    void sent() {
        unsent.decrementAndGet();
    }

    /** The loop has heard of the association: it sends from now on, and reads what comes. */
    void connected(DtlsSession open) {
        session = open;
    }

    /** Reads what came before {@link #connected}. */
    void readEarly(DtlsSession open) {
        for (Datagram early = received.poll(); early != null; early = received.poll()) {
            byte[] bytes = early.bytes();
            if (!closing && !over) {
                var _ = read(open, early.from(), ByteBuffer.wrap(bytes), 0, bytes.length);
            }
        }
    }

    /** Reads all records of a datagram; answers whether there was any to take. */
    private boolean read(DtlsSession open, IcePath from, ByteBuffer bytes, int offset, int length) {
        if (plaintext.length == 0) {
            plaintext = new byte[MAX_RECEIVED];
        }
        incoming = bytes;
        incomingOffset = offset;
        incomingLength = length;
        boolean any = false;
        int read = TIMED_OUT;
        // Records that came with the end of the handshake are read first, and then what is new.
        while (incoming != null && read != CLOSED && !closing) {
            read = open.receive(plaintext, 0, plaintext.length, 0);
            any |= read >= 0 || read == CLOSED;
            while (read >= 0) {
                if (read > 0) {
                    owner.onDtlsData(Arrays.copyOf(plaintext, read), from);
                }
                read = closing ? TIMED_OUT : open.receiveRest(plaintext, 0, plaintext.length);
            }
        }
        incoming = null;
        if (read == CLOSED && !closing) {
            over = true;
            Failed failure = open.findFailure();
            if (failure == null) {
                owner.onDtlsClosed();
            } else {
                owner.onDtlsFailed(failure);
            }
        }
        return any;
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
                    owner.onDtlsConnected(
                            connected.session(),
                            media == null ? SrtpContexts.find(connected) : media);
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

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        return session == null
                ? await(buffer, offset, length, waitMillis)
                : takeIncoming(buffer, offset, length);
    }

    /** The datagram at hand, once. */
    private int takeIncoming(byte[] buffer, int offset, int length) {
        ByteBuffer bytes = incoming;
        if (bytes == null) {
            return TIMED_OUT;
        }
        incoming = null;
        int copied = Math.min(length, incomingLength);
        bytes.get(incomingOffset, buffer, offset, copied);
        return copied;
    }

    private int await(byte[] buffer, int offset, int length, int waitMillis) {
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
            throw new IllegalStateException("only a handshake waits for datagrams");
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
