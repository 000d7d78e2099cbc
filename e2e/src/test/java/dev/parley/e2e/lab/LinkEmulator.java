package dev.parley.e2e.lab;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The wire between two TUN devices, with a NAT at the client's end. A thread for each direction
 * carries packets as the direction's profile and seed say. Any thread may change a profile or
 * rebind.
 */
public final class LinkEmulator implements AutoCloseable {
    private static final long LONGEST_WAIT_NANOS = 20_000_000L;

    private final Nat nat;
    private final Direction up;
    private final Direction down;
    private volatile boolean closed;

    /** Begins to carry packets; the devices are closed with this object. */
    LinkEmulator(Tun client, Tun server, int publicAddress, LinkProfile profile, long seed) {
        nat = new Nat(publicAddress);
        up = new Direction("up", client, server, profile, 2 * seed);
        down = new Direction("down", server, client, profile, 2 * seed + 1);
        up.thread.start();
        down.thread.start();
    }

    /** From client to server. */
    public Direction up() {
        return up;
    }

    /** From server to client. */
    public Direction down() {
        return down;
    }

    /** Sets both directions. */
    public void profile(LinkProfile profile) {
        up.profile(profile);
        down.profile(profile);
    }

    /** The NAT forgets its UDP ports: the client's next packets come from new ones. */
    public void rebindPorts() {
        nat.rebind(null);
    }

    /** The same with a new public address, as when a phone changes its network. */
    void rebindAddress(int publicAddress) {
        nat.rebind(publicAddress);
    }

    /** Stops carrying packets and removes the devices. */
    @Override
    public void close() {
        closed = true;
        up.join();
        down.join();
        up.from.close();
        down.from.close();
    }

    /** One direction. */
    public final class Direction {
        private final Tun from;
        private final Tun to;
        private final LinkQueue queue;
        private final Traffic traffic = new Traffic();
        private final AtomicLong lost = new AtomicLong();
        private final AtomicLong unbound = new AtomicLong();
        private final Thread thread;
        private volatile LinkProfile profile;
        private volatile @Nullable IOException failure;

        private Direction(String name, Tun from, Tun to, LinkProfile profile, long seed) {
            this.from = from;
            this.to = to;
            this.profile = profile;
            this.queue = new LinkQueue(seed);
            this.thread = Thread.ofPlatform().daemon().name("link-" + name).unstarted(this::run);
        }

        /** What happens to packets that enter the link from now on. */
        public void profile(LinkProfile newProfile) {
            profile = newProfile;
        }

        /** What came out of it. */
        public Traffic traffic() {
            return traffic;
        }

        /** Packets that the link lost. */
        public long lost() {
            return lost.get();
        }

        /** Packets that came to a port which the NAT had forgotten. */
        public long unbound() {
            return unbound.get();
        }

        private void run() {
            try {
                while (!closed) {
                    from.await(queue.untilNext(System.nanoTime(), LONGEST_WAIT_NANOS));
                    takeIn();
                    letOut();
                }
            } catch (IOException e) {
                failure = e;
            }
        }

        private void takeIn() throws IOException {
            for (byte[] packet = from.poll(); packet != null; packet = from.poll()) {
                if (this == up) {
                    nat.outbound(new Ipv4Packet(packet));
                }
                queue.offer(profile, packet, System.nanoTime());
            }
            lost.set(queue.lost());
        }

        private void letOut() {
            long now = System.nanoTime();
            for (byte[] packet = queue.poll(now); packet != null; packet = queue.poll(now)) {
                Ipv4Packet view = new Ipv4Packet(packet);
                if (this == down && !nat.inbound(view)) {
                    unbound.incrementAndGet();
                } else {
                    traffic.delivered(view, now);
                    to.write(packet);
                }
            }
        }

        private void join() {
            boolean interrupted = false;
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException _) {
                    // The devices must not be closed under the thread.
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        /** Throws what stopped this direction, if anything did. */
        public void check() throws IOException {
            IOException cause = failure;
            if (cause != null) {
                throw new IOException("the link stopped", cause);
            }
        }
    }
}
