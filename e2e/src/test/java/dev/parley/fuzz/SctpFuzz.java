package dev.parley.fuzz;

import dev.parley.rtc.datachannel.ChannelEvent;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.rtc.datachannel.DataChannels;
import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.Reliability;
import dev.parley.rtc.sctp.SctpConfig;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * What a client can send an association and the data channels on it. The first byte says whether it
 * has shaken hands before; then come steps: chunks that are put in a packet with the right tag and
 * checksum, time that passes, and what our side does meanwhile. Numbers of the first chunk in a
 * packet that count from an initial TSN are taken as counting from zero, or none would be hit.
 */
public final class SctpFuzz {
    private static final int PORT = 5_000;
    private static final int HEADER_BYTES = 12;
    private static final int MAX_STEPS = 200;
    private static final int MAX_PACKETS = 2_000;
    private static final long STEP_NANOS = 100_000_000L;
    private static final DataChannels.Limits LIMITS = new DataChannels.Limits(16, 4_096, 65_536);

    private final ByteBuffer input;
    private final Association association =
            new Association(SctpConfig.DEFAULT, PORT, PORT, new Random(1));
    private final DataChannels channels = new DataChannels(association, LIMITS, true);
    private final byte[] packet = new byte[SctpConfig.DEFAULT_PACKET_BYTES];
    private int tag;
    private int ownTsn;
    private int peerTsn;
    private long now = 1;
    private long received;

    private SctpFuzz(byte[] input) {
        this.input = ByteBuffer.wrap(input);
        channels.takeUnannounced();
    }

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 1) {
            new SctpFuzz(input).run();
        }
    }

    private void run() {
        boolean connected = (input.get() & 1) == 1;
        association.connect(now);
        if (connected) {
            shakeHands();
        }
        settle();
        for (int i = 0; i < MAX_STEPS && input.hasRemaining(); i++) {
            step(input.get() & 0xFF);
            settle();
        }
        // However it was treated, time ends it or it is at rest.
        for (int i = 0; i < MAX_STEPS; i++) {
            now += 10 * STEP_NANOS;
            association.onTimer(now);
            settle();
        }
    }

    private void step(int code) {
        switch (code & 3) {
            case 0, 1 -> {
                int wanted = next() | (code >> 4) << 8;
                int length = Math.min(input.remaining(), wanted);
                byte[] chunks = new byte[length];
                input.get(chunks);
                received += length;
                countFromInitialTsn(chunks);
                // An INIT has no tag.
                take(packet(chunks, (code & 4) == 0 ? tag : 0));
            }
            case 2 -> {
                now += (code >> 2) * STEP_NANOS;
                association.onTimer(now);
            }
            default -> act(code >> 2);
        }
    }

    private void countFromInitialTsn(byte[] chunk) {
        if (chunk.length < 12) {
            return;
        }
        ByteBuffer view = ByteBuffer.wrap(chunk);
        switch (chunk[0] & 0xFF) {
            // DATA, I-DATA, FORWARD-TSN, I-FORWARD-TSN
            case 0x00, 0x40, 0xC0, 0xC2 -> view.putInt(4, view.getInt(4) + peerTsn);
            // SACK
            case 0x03 -> view.putInt(4, view.getInt(4) + ownTsn);
            // RE-CONFIG: the number of a request
            case 0x82 -> view.putInt(8, view.getInt(8) + peerTsn);
            default -> {}
        }
    }

    private int next() {
        return input.hasRemaining() ? input.get() & 0xFF : 0;
    }

    private void act(int code) {
        DataChannel first = channels.all().stream().findFirst().orElse(null);
        switch (code & 3) {
            case 0 -> {
                var _ = channels.open("own", "", true, Reliability.RELIABLE, now);
            }
            case 1 -> {
                if (first != null) {
                    var _ = channels.send(first, true, new byte[code * 200], now);
                }
            }
            case 2 -> {
                if (first != null) {
                    channels.close(first);
                }
            }
            default -> association.shutdown(now);
        }
    }

    private void take(byte[] bytes) {
        association.handle(bytes, 0, bytes.length, now);
    }

    /** Takes out what there is to send and to tell. */
    private void settle() {
        int packets = 0;
        for (ChannelEvent event = channels.pollEvent(now); event != null; ) {
            if (event instanceof ChannelEvent.Message message) {
                received -= message.payload().length;
                Input.demand(received >= 0, "more came out than went in");
            }
            event = channels.pollEvent(now);
        }
        for (int length = association.poll(packet, 0, now); length > 0; ) {
            Input.demand(length <= packet.length, "a packet of " + length + " bytes");
            Input.demand(++packets < MAX_PACKETS, "endless packets");
            length = association.poll(packet, 0, now);
        }
        Input.demand(channels.all().size() <= LIMITS.channels(), "too many channels");
        Input.demand(
                association.bufferedBytes() <= 2 * SctpConfig.DEFAULT.sendBufferBytes(),
                "an endless buffer");
    }

    private void shakeHands() {
        Association peer = new Association(SctpConfig.DEFAULT, PORT, PORT, new Random(2));
        peer.connect(now);
        byte[] bytes = new byte[packet.length];
        for (int i = 0; i < 10; i++) {
            for (int length = association.poll(packet, 0, now); length > 0; ) {
                ownTsn = initialTsn(packet, ownTsn);
                peer.handle(packet, 0, length, now);
                length = association.poll(packet, 0, now);
            }
            for (int length = peer.poll(bytes, 0, now); length > 0; ) {
                tag = ByteBuffer.wrap(bytes).getInt(4);
                peerTsn = initialTsn(bytes, peerTsn);
                association.handle(bytes, 0, length, now);
                length = peer.poll(bytes, 0, now);
            }
        }
        Input.demand(association.state() == Association.State.ESTABLISHED, "no association");
    }

    /** RFC 9260 3.3.2 and 3.3.3: INIT and INIT ACK tell it at the same place. */
    private static int initialTsn(byte[] packet, int known) {
        boolean tells = packet[HEADER_BYTES] == 1 || packet[HEADER_BYTES] == 2;
        return tells ? ByteBuffer.wrap(packet).getInt(HEADER_BYTES + 16) : known;
    }

    private static byte[] packet(byte[] chunks, int tag) {
        ByteBuffer made = ByteBuffer.allocate(HEADER_BYTES + chunks.length);
        made.putShort((short) PORT).putShort((short) PORT).putInt(tag).putInt(0).put(chunks);
        CRC32C crc = new CRC32C();
        crc.update(made.array());
        made.putInt(8, Integer.reverseBytes((int) crc.getValue()));
        return Arrays.copyOf(made.array(), made.capacity());
    }
}
