package dev.parley.e2e.hostile;

import dev.parley.e2e.lab.Tun;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A link of this machine's whose other end is this object: what is written here comes in from
 * whatever address it says, as from a network that lets forged addresses out, and what the machine
 * sends to such an address is seen here. Owned by one drill, in a namespace of its own.
 */
final class ForgedNetwork implements AutoCloseable {
    /** This machine's on the link. */
    static final String ADDRESS = "198.18.9.1";

    // RFC 2544: 198.18.0.0/15 is for tests of network devices and routed nowhere.
    private static final String NETWORK = ADDRESS + "/15";
    private static final int FIRST_FORGED = 0xC613_0000;
    private static final String DEVICE = "hostile";
    private static final int MTU = 1_500;
    private static final int IP_HEADER = 20;
    private static final int UDP_HEADER = 8;
    private static final int UDP = 17;
    private static final int ICMP = 1;
    private static final int MORE_FRAGMENTS = 0x2000;

    /** RFC 791 3.1: fragments begin at multiples of 8. */
    private static final int FRAGMENT_BYTES = (MTU - IP_HEADER) / 8 * 8;

    private final Tun tun;
    private final Thread reader;
    private final AtomicLong udpBytes = new AtomicLong();
    private final AtomicLong icmpPackets = new AtomicLong();
    private volatile boolean closed;
    private int identification;

    private ForgedNetwork() throws IOException, InterruptedException {
        tun = new Tun(DEVICE);
        run("ip", "address", "add", NETWORK, "dev", DEVICE);
        run("ip", "link", "set", DEVICE, "mtu", "" + MTU, "up");
        // What waits for its other fragments, in bytes and seconds: enough that those that come to
        // an end find room beside those that never do.
        Files.writeString(Path.of("/proc/sys/net/ipv4/ipfrag_high_thresh"), "" + (64 << 20));
        Files.writeString(Path.of("/proc/sys/net/ipv4/ipfrag_time"), "2");
        reader = Thread.ofPlatform().daemon().name("link").start(this::read);
    }

    static ForgedNetwork start() throws IOException, InterruptedException {
        return new ForgedNetwork();
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + " ended badly");
        }
    }

    private void read() {
        try {
            while (!closed) {
                tun.await(TimeUnit.MILLISECONDS.toNanos(100));
                for (byte[] packet = tun.poll(); packet != null; packet = tun.poll()) {
                    count(packet);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void count(byte[] packet) {
        boolean ipv4 = packet.length > IP_HEADER && packet[0] >> 4 == 4;
        if (ipv4 && packet[9] == UDP) {
            udpBytes.addAndGet(packet.length);
        } else if (ipv4 && packet[9] == ICMP) {
            icmpPackets.incrementAndGet();
        }
    }

    /** One of 65,536 addresses that are nobody's. */
    static int forged(int number) {
        return FIRST_FORGED | (number & 0xFFFF);
    }

    /** Lets a datagram come in, whole or in as many fragments as the link's MTU makes of it. */
    void send(int from, int fromPort, int toPort, ByteBuffer payload) throws IOException {
        for (byte[] packet : packets(from, fromPort, toPort, payload)) {
            tun.write(packet);
        }
    }

    /** The IP packets of a datagram, first to last. */
    List<byte[]> packets(int from, int fromPort, int toPort, ByteBuffer payload)
            throws IOException {
        int length = UDP_HEADER + payload.remaining();
        // RFC 768: a checksum of 0 is none.
        ByteBuffer datagram =
                ByteBuffer.allocate(length)
                        .putShort((short) fromPort)
                        .putShort((short) toPort)
                        .putShort((short) length)
                        .putShort((short) 0)
                        .put(payload)
                        .flip();
        identification++;
        List<byte[]> packets = new ArrayList<>();
        for (int at = 0; at < length; at += FRAGMENT_BYTES) {
            int end = Math.min(length, at + FRAGMENT_BYTES);
            packets.add(packet(from, at, end < length, datagram.slice(at, end - at)));
        }
        return packets;
    }

    // RFC 791 3.1.
    private byte[] packet(int from, int offset, boolean more, ByteBuffer body) throws IOException {
        int length = IP_HEADER + body.remaining();
        ByteBuffer packet = ByteBuffer.allocate(length);
        packet.put((byte) 0x45)
                .put((byte) 0)
                .putShort((short) length)
                .putShort((short) identification)
                .putShort((short) ((more ? MORE_FRAGMENTS : 0) | offset / 8))
                .put((byte) 64)
                .put((byte) UDP)
                .putShort((short) 0)
                .putInt(from)
                .put(InetAddress.getByName(ADDRESS).getAddress());
        packet.putShort(10, checksum(packet)).put(body);
        return packet.array();
    }

    private static short checksum(ByteBuffer header) {
        int sum = 0;
        for (int i = 0; i < IP_HEADER; i += 2) {
            sum += header.getShort(i) & 0xFFFF;
        }
        return (short) ~(sum + (sum >>> 16));
    }

    /** Lets one IP packet come in. */
    void write(byte[] packet) {
        tun.write(packet);
    }

    /** Bytes of UDP that the machine has sent to forged addresses. */
    long udpBytes() {
        return udpBytes.get();
    }

    /** ICMP messages that it has sent there: the kernel's, as no service sends any. */
    long icmpPackets() {
        return icmpPackets.get();
    }

    @Override
    public void close() {
        closed = true;
        try {
            reader.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        tun.close();
    }
}
