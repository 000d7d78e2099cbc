package dev.parley.rtc.sctp;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.random.RandomGenerator;

/** A peer whose packets a test writes by hand, and an association that answers it. */
final class Packets {
    static final long START = 1_000_000_000L;
    static final int PEER_TAG = 0x1111_1111;
    static final int PEER_TSN = 1_000;

    final Association association;
    long now = START;
    int localTag;
    int localTsn;
    byte[] cookie = new byte[0];

    Packets(SctpConfig config) {
        association = new Association(config, 5000, 5000, new java.util.SplittableRandom(1));
    }

    /** One chunk: type, flags, and its value in hexadecimal digits, spaces being ignored. */
    static byte[] chunk(int type, int flags, String hexValue) {
        return chunk(type, flags, HexFormat.of().parseHex(hexValue.replace(" ", "")));
    }

    static byte[] chunk(int type, int flags, byte[] value) {
        ByteBuffer bytes = ByteBuffer.allocate(Wire.padded(4 + value.length));
        bytes.put((byte) type).put((byte) flags).putShort((short) (4 + value.length)).put(value);
        return bytes.array();
    }

    static byte[] packet(int tag, byte[]... chunks) {
        int length = 12 + Arrays.stream(chunks).mapToInt(c -> c.length).sum();
        ByteBuffer bytes = ByteBuffer.allocate(length);
        bytes.putShort((short) 5000).putShort((short) 5000).putInt(tag).putInt(0);
        for (byte[] chunk : chunks) {
            bytes.put(chunk);
        }
        bytes.putInt(8, Checksum.of(bytes.array(), 0, length));
        return bytes.array();
    }

    static String hex32(int value) {
        return HexFormat.of().toHexDigits(value);
    }

    static String hex16(int value) {
        return HexFormat.of().toHexDigits((short) value);
    }

    /** INIT or INIT ACK of the peer, with parameters behind it. */
    static byte[] init(int type, int tag, int window, int tsn, String parameters) {
        return chunk(type, 0, hex32(tag) + hex32(window) + "ffff ffff" + hex32(tsn) + parameters);
    }

    static byte[] data(int tsn, int flags, int stream, int ssn, int ppid, byte[] payload) {
        ByteBuffer value = ByteBuffer.allocate(12 + payload.length);
        value.putInt(tsn).putShort((short) stream).putShort((short) ssn).putInt(ppid).put(payload);
        return chunk(0, flags, value.array());
    }

    private static void check(boolean fine) {
        if (!fine) {
            throw new IllegalStateException("the association does not answer as it should");
        }
    }

    void handle(byte[] packet) {
        association.handle(packet, 0, packet.length, now);
    }

    void handleChunks(byte[]... chunks) {
        handle(packet(localTag, chunks));
    }

    /** Everything that it wants to send now, as chunks with their headers. */
    List<byte[]> sent() {
        List<byte[]> chunks = new ArrayList<>();
        for (byte[] packet : sentPackets()) {
            PacketReader reader = new PacketReader();
            check(reader.wrap(packet, 0, packet.length));
            while (reader.next()) {
                int at = reader.chunkAt();
                chunks.add(Arrays.copyOfRange(packet, at, at + reader.chunkLength()));
            }
        }
        return chunks;
    }

    List<byte[]> sentPackets() {
        List<byte[]> packets = new ArrayList<>();
        byte[] into = new byte[1_500];
        for (int n = association.poll(into, 0, now); n > 0; n = association.poll(into, 0, now)) {
            packets.add(Arrays.copyOf(into, n));
        }
        return packets;
    }

    static List<Integer> types(List<byte[]> chunks) {
        return chunks.stream().map(c -> c[0] & 0xFF).toList();
    }

    /** Lets time pass to the deadline and does what is due. */
    void toDeadline() {
        now = association.deadlineNanos(now);
        association.onTimer(now);
    }

    void pass(long nanos) {
        now += nanos;
        association.onTimer(now);
    }

    List<SctpEvent> events() {
        List<SctpEvent> events = new ArrayList<>();
        for (SctpEvent e = association.pollEvent(); e != null; e = association.pollEvent()) {
            events.add(e);
        }
        return events;
    }

    /** Has the peer begin and finish the handshake; the peer's first TSN is PEER_TSN. */
    Packets establish(int window, String parameters) {
        handle(packet(0, init(1, PEER_TAG, window, PEER_TSN, parameters)));
        readInitAck(sent().getFirst());
        handle(packet(localTag, chunk(10, 0, cookie)));
        check(types(sent()).equals(List.of(11)));
        events();
        return this;
    }

    /** Takes tag, TSN and cookie from an INIT ACK. */
    void readInitAck(byte[] initAck) {
        localTag = Wire.i32(initAck, 4);
        localTsn = Wire.i32(initAck, 16);
        TlvReader parameters = new TlvReader(initAck, 20, initAck.length - 20);
        while (parameters.next()) {
            if (parameters.type() == 7) {
                int at = parameters.valueAt();
                cookie = Arrays.copyOfRange(initAck, at, at + parameters.valueLength());
            }
        }
    }

    /** A SACK of the peer; gaps as start and end offsets. */
    void sack(int cumulative, int window, int... gaps) {
        StringBuilder value = new StringBuilder(hex32(cumulative) + hex32(window));
        value.append(hex16(gaps.length / 2)).append("0000");
        for (int offset : gaps) {
            value.append(hex16(offset));
        }
        handleChunks(chunk(3, 0, value.toString()));
    }

    SendResult send(int bytes) {
        return association.send(0, 51, new byte[bytes], true, Reliability.RELIABLE, now);
    }

    static byte[] random(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }
}
