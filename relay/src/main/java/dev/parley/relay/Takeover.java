package dev.parley.relay;

import dev.parley.runtime.udp.LocalSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a starting relay got from the one that served its addresses so far: that one's very sockets,
 * with whatever waits in them, and its flows. So no packet changes its socket, and none is lost.
 * Owned by the relay; the connection stays open for as long as the relay lives.
 */
final class Takeover implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Takeover.class.getName());
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final int MAX_WORKERS = 1_024;

    /**
     * One worker's part.
     *
     * @param descriptors public sockets in order, then the one towards transceivers, then the one
     *     towards other clusters if there is any
     */
    @SuppressWarnings("ArrayRecordComponent") // Passed on, never compared.
    record Share(int[] descriptors, ByteBuffer flows) {}

    private final String name;
    private final int version;
    private final LocalSocket predecessor;
    private final List<Share> shares;
    private volatile boolean superseded;
    private boolean closed;

    private Takeover(String name, int version, LocalSocket predecessor, List<Share> shares) {
        this.name = name;
        this.version = version;
        this.predecessor = predecessor;
        this.shares = shares;
    }

    /**
     * Asks for the sockets of the relay under this name.
     *
     * @param addresses that it must serve
     * @param sockets that each of its workers has
     * @return null when there is no such relay, or it does not give them
     */
    static @Nullable Takeover find(String name, String addresses, int sockets) {
        try {
            return find(name, addresses, sockets, HandoverMessages.VERSION);
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "cannot take over from the relay that runs here: {0}",
                    e.getMessage());
            return null;
        }
    }

    private static @Nullable Takeover find(String name, String addresses, int sockets, int version)
            throws IOException {
        LocalSocket predecessor = LocalSocket.connect(name);
        if (predecessor == null) {
            return null;
        }
        try {
            int workers = ask(predecessor, addresses, version);
            return new Takeover(
                    name, version, predecessor, receiveShares(predecessor, workers, sockets));
        } catch (IOException e) {
            predecessor.close();
            int older = HandoverMessages.VERSION_WITHOUT_AGREEMENT;
            if (version != older && HandoverMessages.knowsOnly(older).equals(e.getMessage())) {
                return find(name, addresses, sockets, older);
            }
            throw e;
        }
    }

    private static int ask(LocalSocket predecessor, String addresses, int version)
            throws IOException {
        if (!predecessor.isPeerTrusted()) {
            throw new IOException("it runs as another user");
        }
        predecessor.timeout(PATIENCE);
        HandoverMessages.sendInt(predecessor, HandoverMessages.MAGIC);
        HandoverMessages.sendInt(predecessor, version);
        HandoverMessages.sendText(predecessor, addresses);
        int workers = HandoverMessages.receiveInt(predecessor);
        if (workers == 0) {
            throw new IOException(HandoverMessages.receiveText(predecessor));
        }
        if (workers < 0 || workers > MAX_WORKERS) {
            throw new IOException("it claims " + workers + " workers");
        }
        return workers;
    }

    private static List<Share> receiveShares(LocalSocket predecessor, int workers, int sockets)
            throws IOException {
        List<Share> shares = new ArrayList<>();
        try {
            for (int i = 0; i < workers; i++) {
                Share share = new Share(predecessor.receiveDescriptors(), ByteBuffer.allocate(0));
                shares.add(share);
                ByteBuffer flows = HandoverMessages.receiveFlows(predecessor);
                shares.set(i, new Share(share.descriptors(), flows));
                if (share.descriptors().length != sockets) {
                    throw new IOException("it gives another number of sockets");
                }
            }
            return List.copyOf(shares);
        } catch (IOException e) {
            for (Share share : shares) {
                for (int descriptor : share.descriptors()) {
                    LocalSocket.discard(descriptor);
                }
            }
            throw e;
        }
    }

    List<Share> shares() {
        return shares;
    }

    /**
     * Tells the predecessor that its sockets are read; answers false when it lives and does not
     * agree, since it reads them again itself.
     */
    boolean confirm() {
        try {
            HandoverMessages.sendInt(predecessor, HandoverMessages.CONFIRMED);
            if (version == HandoverMessages.VERSION_WITHOUT_AGREEMENT
                    || HandoverMessages.receiveInt(predecessor) == HandoverMessages.AGREED) {
                return true;
            }
        } catch (IOException _) {
            // It has waited long enough, or has ended.
        }
        try (LocalSocket living = LocalSocket.connect(name)) {
            return living == null;
        }
    }

    /**
     * Tells the predecessor that a third relay reads the sockets, so that it never serves beside
     * that one.
     */
    synchronized void supersede() {
        superseded = true;
        if (closed) {
            return;
        }
        try {
            HandoverMessages.sendInt(predecessor, HandoverMessages.SUPERSEDED);
        } catch (IOException _) {
            // It is gone, which is as good.
        }
    }

    /** Whether the predecessor lives and would serve the sockets again. */
    boolean isPredecessorThere() {
        return !superseded && !predecessor.isPeerGone();
    }

    /** Lets the predecessor go on, if it still lives. */
    @Override
    public synchronized void close() {
        closed = true;
        predecessor.close();
    }
}
