package dev.parley.relay;

import dev.parley.runtime.udp.LocalSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the process that is to follow this relay, and gives it sockets and flows. While the
 * successor lives this relay is idle but keeps its copies of the sockets; should the successor go
 * first, it serves them again. One platform thread of its own, as the calls block.
 */
final class Succession implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Succession.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final long RETRY_MILLIS = 20;
    private static final int UNACCEPTABLE = 0;

    /** How long an end waits for a handover that is under way. */
    private static final Duration END_PATIENCE = Duration.ofSeconds(1);

    /** The relay, as this sees it. */
    interface Incumbent {
        /** Stops reading, and answers what each worker has; nothing when it is too late. */
        List<Takeover.Share> cease();

        /** The successor reads the sockets. */
        void succeeded();

        /**
         * Reads the sockets again.
         *
         * @param alone whether nobody else has them any more
         */
        void resume(boolean alone);

        /** Gives its copies of the sockets up: the successor has a successor of its own. */
        void letGo();
    }

    private final String name;
    private final String addresses;
    private final Incumbent incumbent;
    private final Duration patience;
    private final CountDownLatch listening = new CountDownLatch(1);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread =
            Thread.ofPlatform().daemon().name("relay-succession").unstarted(this::run);
    private @Nullable LocalSocket waitingIn;

    private Succession(String name, String addresses, Incumbent incumbent, Duration patience) {
        this.name = name;
        this.addresses = addresses;
        this.incumbent = incumbent;
        this.patience = patience;
    }

    /**
     * Starts waiting, and returns when a successor can find it.
     *
     * @param name to be found under
     * @param addresses that are served here
     */
    static Succession await(String name, String addresses, Incumbent incumbent) {
        return await(name, addresses, incumbent, PATIENCE);
    }

    /**
     * The same.
     *
     * @param patience for each thing that a successor has to say
     */
    static Succession await(String name, String addresses, Incumbent incumbent, Duration patience) {
        Succession succession = new Succession(name, addresses, incumbent, patience);
        succession.thread.start();
        succession.awaitListening();
        return succession;
    }

    private void awaitListening() {
        try {
            var _ = listening.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!isClosing()) {
                LocalSocket listener = listen();
                if (listener == null) {
                    return;
                }
                try (listener) {
                    serve(listener);
                } catch (IOException e) {
                    if (!isClosing()) {
                        LOG.log(System.Logger.Level.WARNING, "no handover", e);
                        pause();
                    }
                }
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "this relay can be handed over no more", e);
        }
    }

    // Our own predecessor may have the name a moment longer.
    private @Nullable LocalSocket listen() {
        while (!isClosing()) {
            try {
                LocalSocket listener = LocalSocket.listen(name);
                listening.countDown();
                return waitIn(listener) ? listener : null;
            } catch (IOException _) {
                pause();
            }
        }
        return null;
    }

    private void pause() {
        try {
            var _ = closing.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(LocalSocket listener) throws IOException {
        boolean followed = false;
        while (!followed && !isClosing()) {
            try (LocalSocket successor = listener.accept()) {
                successor.timeout(patience);
                int version = greet(successor);
                followed = version != UNACCEPTABLE && handOver(successor, version, listener);
            }
        }
    }

    /** Answers the version that a successor speaks, if it is one. */
    private int greet(LocalSocket successor) {
        try {
            if (!successor.isPeerTrusted()
                    || HandoverMessages.receiveInt(successor) != HandoverMessages.MAGIC) {
                return UNACCEPTABLE;
            }
            int version = HandoverMessages.receiveInt(successor);
            String wanted = HandoverMessages.receiveText(successor);
            boolean known =
                    version == HandoverMessages.VERSION
                            || version == HandoverMessages.VERSION_WITHOUT_AGREEMENT;
            if (known && wanted.equals(addresses)) {
                return version;
            }
            HandoverMessages.sendInt(successor, 0);
            HandoverMessages.sendText(
                    successor,
                    known
                            ? "it serves " + addresses + ", not " + wanted
                            : HandoverMessages.knowsOnly(HandoverMessages.VERSION));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "a successor that says nothing sensible", e);
        }
        return UNACCEPTABLE;
    }

    /** Answers whether the successor had the sockets, and with them the name, for a while. */
    private boolean handOver(LocalSocket successor, int version, LocalSocket listener)
            throws IOException {
        long start = System.nanoTime();
        boolean confirmed = false;
        try {
            give(successor);
            confirmed = isConfirmed(successor, version);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "the successor failed: {0}", e.getMessage());
        }
        if (confirmed) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "handed over to a new process, which reads after {0} ms",
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
            incumbent.succeeded();
            // The name is the successor's now.
            listener.close();
            if (isSuperseded(successor)) {
                closing.countDown();
                incumbent.letGo();
            }
        }
        if (!isClosing()) {
            boolean alone = successor.isPeerGone();
            LOG.log(
                    System.Logger.Level.WARNING,
                    alone
                            ? "the successor is gone: serving again"
                            : "the successor has not said in time that it serves: serving again");
            incumbent.resume(alone);
        }
        return confirmed;
    }

    private static boolean isConfirmed(LocalSocket successor, int version) throws IOException {
        if (HandoverMessages.receiveInt(successor) != HandoverMessages.CONFIRMED) {
            return false;
        }
        if (version != HandoverMessages.VERSION_WITHOUT_AGREEMENT) {
            HandoverMessages.sendInt(successor, HandoverMessages.AGREED);
        }
        return true;
    }

    private void give(LocalSocket successor) throws IOException {
        List<Takeover.Share> shares = incumbent.cease();
        HandoverMessages.sendInt(successor, shares.size());
        if (shares.isEmpty()) {
            HandoverMessages.sendText(successor, "it is stopping");
        }
        for (Takeover.Share share : shares) {
            successor.sendDescriptors(share.descriptors());
            HandoverMessages.sendFlows(successor, share.flows());
        }
    }

    /** Waits for the successor's end; answers whether it has passed the sockets on instead. */
    private boolean isSuperseded(LocalSocket successor) throws IOException {
        successor.timeout(Duration.ZERO);
        try {
            return waitIn(successor)
                    && HandoverMessages.receiveInt(successor) == HandoverMessages.SUPERSEDED;
        } catch (IOException _) {
            // This is how a process ends.
            return false;
        }
    }

    /** Says where the thread waits, for {@link #close}; false when that was called already. */
    private synchronized boolean waitIn(LocalSocket socket) {
        if (isClosing()) {
            socket.close();
            return false;
        }
        waitingIn = socket;
        return true;
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    /** Ends the waiting; the relay is neither handed over nor taken back from now on. */
    @Override
    public void close() {
        endWaiting();
        try {
            // What has just been confirmed must be known to whoever closes.
            var _ = thread.join(END_PATIENCE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void endWaiting() {
        closing.countDown();
        if (waitingIn != null) {
            waitingIn.shutdown();
        }
    }
}
