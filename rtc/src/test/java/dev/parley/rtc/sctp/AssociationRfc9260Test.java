package dev.parley.rtc.sctp;

import static dev.parley.rtc.sctp.Packets.PEER_TAG;
import static dev.parley.rtc.sctp.Packets.PEER_TSN;
import static dev.parley.rtc.sctp.Packets.chunk;
import static dev.parley.rtc.sctp.Packets.data;
import static dev.parley.rtc.sctp.Packets.hex32;
import static dev.parley.rtc.sctp.Packets.init;
import static dev.parley.rtc.sctp.Packets.packet;
import static dev.parley.rtc.sctp.Packets.types;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.sctp.Association.State;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Packets written by hand, section by section. */
class AssociationRfc9260Test {
    private static final int WINDOW = 1_000_000;
    private static final String PLAIN = "";
    private static final String FORWARD_TSN = "c0000004";
    private static final String ZERO_CHECKSUM = "8001000800000001";
    private static final long MILLIS = 1_000_000L;

    private final Packets peer = new Packets(SctpConfig.DEFAULT);

    private long drops(SctpDrop reason) {
        return peer.association.counters().drops(reason);
    }

    @Test
    @DisplayName("Appendix A: the CRC32c of a packet that another implementation has sent")
    void knowsTheChecksumOfOthers() {
        // COOKIE ACK captured from usrsctp, in the tests of pion/sctp.
        byte[] captured = HexFormat.of().parseHex("13881388ad0ff4af000000000b000004");
        int checksum = Checksum.of(captured, 0, captured.length);
        // CRC32c of "123456789" is E3069283: the well-known check value, reflected in the packet.
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        crc.update("123456789".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        assertThat(crc.getValue()).isEqualTo(0xE306_9283L);
        crc.reset();
        crc.update(captured);
        assertThat(checksum).isEqualTo(Integer.reverseBytes((int) crc.getValue()));
    }

    @Test
    @DisplayName("5.1: INIT, INIT ACK with a cookie, COOKIE ECHO, COOKIE ACK")
    void answersAnInit() {
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, PLAIN)));
        byte[] reply = peer.sentPackets().getFirst();
        assertThat(Wire.i32(reply, 4)).isEqualTo(PEER_TAG);
        assertThat(reply[12]).isEqualTo((byte) 2);
        assertThat(peer.association.state()).isEqualTo(State.CLOSED);

        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, PLAIN)));
        peer.readInitAck(peer.sent().getFirst());
        peer.handleChunks(chunk(10, 0, peer.cookie), data(PEER_TSN, 3, 0, 0, 51, new byte[] {9}));

        assertThat(peer.association.state()).isEqualTo(State.ESTABLISHED);
        assertThat(types(peer.sent())).containsExactly(11, 3);
        assertThat(peer.events()).hasSize(2).first().isInstanceOf(SctpEvent.Connected.class);
    }

    @Test
    @DisplayName("5.1.3: a cookie that was changed is refused, and one that is too old")
    void refusesBadCookies() {
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, PLAIN)));
        peer.readInitAck(peer.sent().getFirst());
        for (int i = 0; i < peer.cookie.length; i++) {
            byte[] changed = peer.cookie.clone();
            changed[i] ^= 1;
            peer.handleChunks(chunk(10, 0, changed));
        }
        assertThat(drops(SctpDrop.FORGED_COOKIE)).isEqualTo(peer.cookie.length);
        assertThat(peer.association.state()).isEqualTo(State.CLOSED);

        peer.now += 61_000 * MILLIS;
        peer.handleChunks(chunk(10, 0, peer.cookie));
        assertThat(peer.association.state()).isEqualTo(State.CLOSED);
        assertThat(types(peer.sent())).containsExactly(9);
    }

    @Test
    @DisplayName("5.1 C: our INIT is answered, the cookie comes back; repeated until it is acked")
    void begins() {
        peer.association.connect(peer.now);
        byte[] init = peer.sent().getFirst();
        assertThat(init[0]).isEqualTo((byte) 1);
        peer.localTag = Wire.i32(init, 4);
        peer.toDeadline();
        assertThat(types(peer.sent())).containsExactly(1);

        peer.handleChunks(init(2, PEER_TAG, WINDOW, PEER_TSN, "0007 0008 deadbeef"));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst())).isEqualTo("0a000008deadbeef");
        peer.toDeadline();
        assertThat(types(peer.sent())).containsExactly(10);
        peer.handleChunks(chunk(11, 0, ""));
        assertThat(peer.association.state()).isEqualTo(State.ESTABLISHED);
    }

    @Test
    @DisplayName("5.2.1 and 5.2.4 D: both begin; one association with the tags of both INITs")
    void bothBegin() {
        peer.association.connect(peer.now);
        peer.localTag = Wire.i32(peer.sent().getFirst(), 4);
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, PLAIN)));
        byte[] initAck = peer.sent().getFirst();
        assertThat(Wire.i32(initAck, 4)).isEqualTo(peer.localTag);
        peer.readInitAck(initAck);
        peer.handleChunks(init(2, PEER_TAG, WINDOW, PEER_TSN, "0007 0008 deadbeef"));
        assertThat(types(peer.sent())).containsExactly(10);
        peer.handleChunks(chunk(10, 0, peer.cookie));
        assertThat(peer.association.state()).isEqualTo(State.ESTABLISHED);
        assertThat(types(peer.sent())).containsExactly(11);
        // Its COOKIE ACK comes late, and so does its cookie once more.
        peer.handleChunks(chunk(11, 0, ""));
        peer.handleChunks(chunk(10, 0, peer.cookie));
        assertThat(types(peer.sent())).containsExactly(11);
        assertThat(peer.events()).hasSize(1);
    }

    @Test
    @DisplayName("5.2.2 and 5.2.4 A: a peer that has restarted gets a new association")
    void peerRestarts() {
        peer.establish(WINDOW, PLAIN);
        int before = peer.localTag;
        peer.handle(packet(0, init(1, 0x2222_2222, WINDOW, 77, PLAIN)));
        peer.readInitAck(peer.sent().getFirst());
        assertThat(peer.localTag).isNotEqualTo(before);
        peer.handleChunks(chunk(10, 0, peer.cookie));

        assertThat(peer.events()).containsExactly(new SctpEvent.Restarted());
        assertThat(peer.association.state()).isEqualTo(State.ESTABLISHED);
        peer.sent();
        peer.handleChunks(data(77, 3, 0, 0, 51, new byte[] {1}));
        assertThat(peer.events()).hasSize(1);
    }

    @Test
    @DisplayName("5.2.4 C: the cookie of an INIT that was overtaken changes nothing")
    void lateCookie() {
        peer.establish(WINDOW, PLAIN);
        int tag = peer.localTag;
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, PLAIN)));
        peer.readInitAck(peer.sent().getFirst());
        peer.handleChunks(chunk(10, 0, peer.cookie));
        assertThat(drops(SctpDrop.LATE_COOKIE)).isEqualTo(1);
        peer.localTag = tag;
        peer.handleChunks(data(PEER_TSN, 3, 0, 0, 51, new byte[] {1}));
        assertThat(peer.events()).hasSize(1);
    }

    @Test
    @DisplayName("3.2: the high bits of an unknown chunk say whether to go on and to report")
    void unknownChunks() {
        peer.establish(WINDOW, PLAIN);
        int tsn = PEER_TSN;
        for (int type : new int[] {0x3F, 0x7F, 0xBF, 0xFF}) {
            peer.handleChunks(chunk(type, 0, "01020304"), data(tsn, 11, 0, 0, 51, new byte[1]));
            boolean goesOn = (type & 0x80) != 0;
            boolean reports = (type & 0x40) != 0;
            assertThat(drops(SctpDrop.UNKNOWN_CHUNK)).isPositive();
            List<byte[]> sent = peer.sent();
            assertThat(types(sent).contains(9)).isEqualTo(reports);
            assertThat(types(sent).contains(3)).isEqualTo(goesOn);
            if (reports) {
                assertThat(HexFormat.of().formatHex(sent.getFirst()))
                        .isEqualTo(
                                "0900001000060 00c".replace(" ", "")
                                        + HexFormat.of().toHexDigits((byte) type)
                                        + "00000801020304");
            }
            tsn += goesOn ? 1 : 0;
        }
    }

    @Test
    @DisplayName("3.2.1: unknown parameters of an INIT are reported in the INIT ACK")
    void unknownParameters() {
        String reported = "c0ff0006abcd0000";
        String silent = "80ff0004";
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, silent + reported + "40ff0004")));
        String initAck = HexFormat.of().formatHex(peer.sent().getFirst());
        assertThat(initAck).contains("0008000ac0ff0006abcd").contains("0008000840ff0004");
        assertThat(initAck).doesNotContain("80ff0004");
    }

    @Test
    @DisplayName("8.5: packets with another tag, another port or a wrong checksum are dropped")
    void refusesWhatIsNotOurs() {
        peer.establish(WINDOW, PLAIN);
        byte[] data = data(PEER_TSN, 3, 0, 0, 51, new byte[] {1});
        peer.handle(packet(peer.localTag + 1, data));
        byte[] port = packet(peer.localTag, data);
        port[1]++;
        Wire.put32(port, 8, Checksum.of(port, 0, port.length));
        peer.handle(port);
        byte[] damaged = packet(peer.localTag, data);
        damaged[20] ^= 1;
        peer.handle(damaged);
        peer.handle(packet(peer.localTag + 1, chunk(6, 0, "")));

        assertThat(drops(SctpDrop.BAD_VERIFICATION_TAG)).isEqualTo(2);
        assertThat(drops(SctpDrop.BAD_PORT)).isEqualTo(1);
        assertThat(drops(SctpDrop.BAD_CHECKSUM)).isEqualTo(1);
        assertThat(peer.events()).isEmpty();
    }

    @Test
    @DisplayName("8.5.1 B: an ABORT with the T bit carries the sender's own tag")
    void abortWithReflectedTag() {
        peer.establish(WINDOW, PLAIN);
        peer.handle(packet(PEER_TAG, chunk(6, 1, "000c0006 6279")));
        assertThat(peer.events())
                .containsExactly(
                        new SctpEvent.Closed(
                                SctpEvent.CloseReason.ABORTED_BY_PEER, "cause 12: by"));
    }

    @Test
    @DisplayName("RFC 9653: a packet without checksum is taken only where we have said so")
    void zeroChecksum() {
        SctpConfig strict =
                new SctpConfig(
                        1_160, 1_000, 4_000, 4_000, 10, false, false, SctpConfig.Timers.DEFAULT);
        for (SctpConfig config : List.of(SctpConfig.DEFAULT, strict)) {
            Packets own = new Packets(config).establish(WINDOW, ZERO_CHECKSUM);
            byte[] packet = packet(own.localTag, data(PEER_TSN, 3, 0, 0, 51, new byte[] {1}));
            Wire.put32(packet, 8, 0);
            own.handle(packet);
            assertThat(own.events()).hasSize(config.zeroChecksum() ? 1 : 0);
            own.handle(packet(own.localTag, data(PEER_TSN + 1, 3, 0, 1, 51, new byte[] {1})));
            byte[] answer = own.sentPackets().getFirst();
            assertThat(Wire.i32(answer, 8) == 0).isEqualTo(config.zeroChecksum());
        }
    }

    @Test
    @DisplayName("6.2: every second packet is acknowledged, the last after a delay")
    void delaysSacks() {
        peer.establish(WINDOW, PLAIN);
        peer.handleChunks(data(PEER_TSN, 3, 0, 0, 51, new byte[1]));
        assertThat(types(peer.sent())).as("the first").containsExactly(3);
        peer.handleChunks(data(PEER_TSN + 1, 3, 0, 1, 51, new byte[1]));
        assertThat(peer.sent()).isEmpty();
        peer.handleChunks(data(PEER_TSN + 2, 3, 0, 2, 51, new byte[1]));
        assertThat(types(peer.sent())).containsExactly(3);
        peer.handleChunks(data(PEER_TSN + 3, 3, 0, 3, 51, new byte[1]));
        long before = peer.now;
        peer.toDeadline();
        assertThat(types(peer.sent())).containsExactly(3);
        assertThat(peer.now - before).isEqualTo(100 * MILLIS);
    }

    @Test
    @DisplayName("6.2 and RFC 7053: gaps, duplicates and the I bit are answered at once")
    void sacksAtOnce() {
        peer.establish(WINDOW, PLAIN);
        peer.handleChunks(data(PEER_TSN, 3, 0, 0, 51, new byte[1]));
        peer.sent();
        peer.handleChunks(data(PEER_TSN + 2, 3, 0, 2, 51, new byte[1]));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .startsWith("03000014" + hex32(PEER_TSN))
                .endsWith("00010000" + "00020002");
        peer.handleChunks(data(PEER_TSN + 2, 3, 0, 2, 51, new byte[1]));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .endsWith("00010001" + "00020002" + hex32(PEER_TSN + 2));
        peer.handleChunks(data(PEER_TSN + 1, 11, 0, 1, 51, new byte[1]));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .startsWith("03000010" + hex32(PEER_TSN + 2));
        assertThat(peer.events()).hasSize(3);
    }

    @Test
    @DisplayName("6.2: DATA without user data is answered by an ABORT")
    void abortsOnEmptyData() {
        peer.establish(WINDOW, PLAIN);
        peer.handleChunks(data(PEER_TSN, 3, 0, 0, 51, new byte[0]));
        assertThat(types(peer.sent())).containsExactly(6);
        assertThat(peer.association.state()).isEqualTo(State.ENDED);
    }

    @Test
    @DisplayName("6.5: a stream that does not exist is told by an ERROR, its TSN is acknowledged")
    void invalidStream() {
        SctpConfig narrow =
                new SctpConfig(
                        1_160, 1_000, 4_000, 4_000, 10, false, false, SctpConfig.Timers.DEFAULT);
        Packets own = new Packets(narrow).establish(WINDOW, PLAIN);
        own.handleChunks(data(PEER_TSN, 3, 10, 0, 51, new byte[1]));
        List<byte[]> sent = own.sent();
        assertThat(types(sent)).containsExactly(9, 3);
        assertThat(HexFormat.of().formatHex(sent.getFirst())).isEqualTo("0900000c00010008000a0000");
    }

    @Test
    @DisplayName("6.6: messages of a stream wait for the one before, unordered ones do not")
    void keepsOrder() {
        peer.establish(WINDOW, PLAIN);
        peer.handleChunks(data(PEER_TSN + 1, 3, 0, 1, 51, new byte[] {2}));
        assertThat(peer.events()).isEmpty();
        peer.handleChunks(data(PEER_TSN + 2, 7, 0, 0, 51, new byte[] {3}));
        assertThat(peer.events()).hasSize(1);
        peer.handleChunks(data(PEER_TSN, 3, 0, 0, 51, new byte[] {1}));
        assertThat(peer.events())
                .extracting(e -> ((SctpEvent.Message) e).payload()[0])
                .containsExactly((byte) 1, (byte) 2);
    }

    @Test
    @DisplayName("6.9: fragments are joined in whatever order they come")
    void joinsFragments() {
        peer.establish(WINDOW, PLAIN);
        int[] order = {3, 1, 0, 4, 2};
        int[] flags = {2, 0, 0, 0, 1};
        for (int i : order) {
            peer.handleChunks(data(PEER_TSN + i, flags[i], 0, 0, 51, new byte[] {(byte) i}));
        }
        assertThat(((SctpEvent.Message) peer.events().getFirst()).payload())
                .containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    @DisplayName("8.3: a HEARTBEAT is returned as it came")
    void answersHeartbeats() {
        peer.establish(WINDOW, PLAIN);
        peer.handleChunks(chunk(4, 0, "0001000a 010203040506"));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .isEqualTo("0500000e0001000a010203040506");
    }

    @Test
    @DisplayName("9.2: SHUTDOWN, SHUTDOWN ACK, SHUTDOWN COMPLETE, after what was to be sent")
    void shutsDown() {
        peer.establish(WINDOW, PLAIN);
        peer.send(10);
        peer.association.shutdown(peer.now);
        assertThat(types(peer.sent())).containsExactly(0);
        peer.sack(peer.localTsn, WINDOW);
        assertThat(types(peer.sent())).containsExactly(7);
        peer.toDeadline();
        assertThat(types(peer.sent())).as("repeated").containsExactly(7);
        peer.handleChunks(chunk(8, 0, ""));
        assertThat(types(peer.sent())).containsExactly(14);
        assertThat(peer.association.state()).isEqualTo(State.ENDED);
    }

    @Test
    @DisplayName("9.2: a peer that shuts down first gets what was accepted, then a SHUTDOWN ACK")
    void peerShutsDown() {
        peer.establish(WINDOW, PLAIN);
        peer.send(10);
        peer.sent();
        peer.handleChunks(chunk(7, 0, hex32(peer.localTsn - 1)));
        assertThat(peer.association.state()).isEqualTo(State.SHUTDOWN_RECEIVED);
        assertThat(peer.send(10)).isEqualTo(SendResult.CLOSED);
        peer.sack(peer.localTsn, WINDOW);
        assertThat(types(peer.sent())).containsExactly(8);
        peer.handleChunks(chunk(14, 0, ""));
        assertThat(peer.events())
                .containsExactly(
                        new SctpEvent.Closed(SctpEvent.CloseReason.SHUTDOWN, "closed by the peer"));
    }

    @Test
    @DisplayName("RFC 3758 3.6: a FORWARD TSN skips what is missing and delivers what waits")
    void skips() {
        peer.establish(WINDOW, FORWARD_TSN);
        peer.handleChunks(data(PEER_TSN + 2, 3, 0, 1, 51, new byte[] {2}));
        peer.handleChunks(data(PEER_TSN, 2, 0, 0, 51, new byte[] {1}));
        assertThat(peer.events()).isEmpty();
        peer.sent();
        peer.handleChunks(chunk(192, 0, hex32(PEER_TSN + 1) + "00000000"));
        assertThat(peer.events())
                .extracting(e -> ((SctpEvent.Message) e).payload()[0])
                .containsExactly((byte) 2);
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .startsWith("03000010" + hex32(PEER_TSN + 2));
    }

    @Test
    @DisplayName("RFC 6525 5.2.2: a reset waits for all DATA before it, then begins from zero")
    void resetsTheirStream() {
        peer.establish(WINDOW, "80080005 82000000");
        String request = "000d0012" + hex32(PEER_TSN) + hex32(0) + hex32(PEER_TSN) + "00040000";
        peer.handleChunks(chunk(130, 0, request.substring(0, request.length() - 4)));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .isEqualTo("82000010" + "0010000c" + hex32(PEER_TSN) + hex32(6));
        peer.handleChunks(data(PEER_TSN, 3, 4, 0, 51, new byte[] {1}));
        assertThat(peer.events().getLast()).isEqualTo(new SctpEvent.IncomingReset(4));
        assertThat(peer.sent().stream().map(HexFormat.of()::formatHex))
                .contains("82000010" + "0010000c" + hex32(PEER_TSN) + hex32(1));
        peer.handleChunks(data(PEER_TSN + 1, 3, 4, 0, 51, new byte[] {1}));
        assertThat(peer.events()).hasSize(1);
        // A repeated request gets the same answer; one out of turn an error.
        peer.handleChunks(chunk(130, 0, request.substring(0, request.length() - 4)));
        assertThat(peer.sent().stream().map(HexFormat.of()::formatHex))
                .contains("82000010" + "0010000c" + hex32(PEER_TSN) + hex32(1));
        assertThat(peer.events()).isEmpty();
    }

    @Test
    @DisplayName("RFC 6525 5.2.2: our reset leaves with the answer to theirs, acknowledged or not")
    void resetsItsOwnSideOfAStreamAtOnce() {
        peer.establish(WINDOW, "80080005 82000000");
        peer.handleChunks(data(PEER_TSN, 3, 4, 0, 51, new byte[] {1}));
        var _ = peer.association.send(4, 51, new byte[] {2}, true, Reliability.RELIABLE, peer.now);
        assertThat(types(peer.sent())).contains(0);

        String request = "000d0012" + hex32(PEER_TSN) + hex32(0) + hex32(PEER_TSN) + "0004";
        peer.handleChunks(chunk(130, 0, request));
        assertThat(peer.events().getLast()).isEqualTo(new SctpEvent.IncomingReset(4));
        peer.association.resetStream(4, true);

        List<byte[]> packets = peer.sentPackets();
        assertThat(packets).hasSize(1);
        assertThat(HexFormat.of().formatHex(packets.getFirst()))
                .containsSubsequence(
                        "82000010" + "0010000c" + hex32(PEER_TSN) + hex32(1),
                        "82000016" + "000d0012" + hex32(peer.localTsn));

        // The stream begins from zero, and the late acknowledgement takes nothing from it.
        peer.handleChunks(chunk(130, 0, "0010000c" + hex32(peer.localTsn) + hex32(1)));
        var _ = peer.association.send(4, 51, new byte[] {3}, true, Reliability.RELIABLE, peer.now);
        assertThat(HexFormat.of().formatHex(peer.sent().getLast()))
                .startsWith("00030011" + hex32(peer.localTsn + 1) + "0004" + "0000");
        peer.sack(peer.localTsn, WINDOW);
        peer.association.resetStream(4, false);
        assertThat(types(peer.sent())).doesNotContain(130);
        peer.sack(peer.localTsn + 1, WINDOW);
        assertThat(types(peer.sent())).contains(130);
    }

    @Test
    @DisplayName("RFC 9653 4: zero checksums are offered once, and to a peer that knows of them")
    void offersZeroChecksumsWhereTheyDoNotHurt() {
        peer.association.connect(peer.now);
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst())).contains(ZERO_CHECKSUM);
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, PLAIN)));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst())).doesNotContain(ZERO_CHECKSUM);
        peer.toDeadline();
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst()))
                .startsWith("01")
                .doesNotContain(ZERO_CHECKSUM);
        peer.handle(packet(0, init(1, PEER_TAG, WINDOW, PEER_TSN, ZERO_CHECKSUM)));
        assertThat(HexFormat.of().formatHex(peer.sent().getFirst())).contains(ZERO_CHECKSUM);
    }
}
