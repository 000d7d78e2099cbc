package dev.parley.rtc.sctp;

import static dev.parley.rtc.sctp.Packets.PEER_TSN;
import static dev.parley.rtc.sctp.Packets.chunk;
import static dev.parley.rtc.sctp.Packets.data;
import static dev.parley.rtc.sctp.Packets.packet;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer that is broken or hostile can send: nothing throws, memory stays bounded. */
class GarbageTest {
    private static final int[] TYPES = {
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 64, 130, 192, 194, 77, 199,
    };
    private static final String EVERYTHING = "c0000004" + "80080007 82c04000".replace(" ", "");

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void randomBytesAreCounted(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Packets peer = new Packets(SctpConfig.DEFAULT).establish(100_000, EVERYTHING);
        for (int i = 0; i < 20_000; i++) {
            peer.handle(Packets.random(random, random.nextInt(100)));
        }
        assertThat(peer.association.counters().packetsReceived()).isGreaterThan(20_000);
        assertThat(peer.association.state()).isEqualTo(Association.State.ESTABLISHED);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void randomChunksWithTheRightTagThrowNothing(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String parameters = seed % 2 == 0 ? "c0000004" : EVERYTHING;
        for (int round = 0; round < 150; round++) {
            Packets peer = new Packets(SctpConfig.DEFAULT).establish(100_000, parameters);
            peer.association.send(0, 51, new byte[50_000], true, Reliability.lifetime(1), peer.now);
            for (int i = 0; i < 60; i++) {
                byte[][] chunks = new byte[random.nextInt(1, 4)][];
                for (int c = 0; c < chunks.length; c++) {
                    chunks[c] = randomChunk(random, peer);
                }
                peer.handle(packet(peer.localTag, chunks));
                if (i % 7 == 0) {
                    peer.toDeadline();
                }
                peer.sent();
                peer.events();
            }
        }
    }

    /** A type that means something, with numbers that are near what is expected. */
    private static byte[] randomChunk(SplittableRandom random, Packets peer) {
        int type = TYPES[random.nextInt(TYPES.length)];
        byte[] value = Packets.random(random, random.nextInt(40));
        for (int at = 0; at + 4 <= value.length; at += 4) {
            int near =
                    switch (random.nextInt(4)) {
                        case 0 -> PEER_TSN + random.nextInt(20);
                        case 1 -> peer.localTsn + random.nextInt(20);
                        case 2 -> random.nextInt(70_000);
                        default -> Wire.i32(value, at);
                    };
            Wire.put32(value, at, near);
        }
        if (type == 130 && value.length >= 4) {
            Wire.put16(value, 0, 13 + random.nextInt(6));
            Wire.put16(value, 2, value.length);
        }
        return chunk(type, random.nextInt(16), value);
    }

    @Test
    void aPeerThatFillsTheWindowWithPartsIsAborted() {
        Packets peer = new Packets(SctpConfig.DEFAULT).establish(100_000, "");
        int tsn = PEER_TSN + 1;
        int sent = 0;
        while (peer.association.state() == Association.State.ESTABLISHED && sent < 10_000) {
            peer.handleChunks(data(tsn, 2, sent % 1_000, 0, 51, new byte[1_100]));
            tsn++;
            sent++;
            peer.sent();
        }
        assertThat(peer.association.state()).isEqualTo(Association.State.ENDED);
        assertThat(sent * 1_164L).isLessThan(2_100_000);
    }

    @Test
    void smallMessagesThatNobodyReadsAreBoundedByWhatTheyCost() {
        Packets peer = new Packets(SctpConfig.DEFAULT).establish(100_000, "");
        for (int i = 0; i < 100_000; i++) {
            peer.handleChunks(data(PEER_TSN + i, 3, 0, i & 0xFFFF, 51, new byte[1]));
            peer.sent();
        }
        assertThat(peer.association.state()).isEqualTo(Association.State.ESTABLISHED);
        assertThat(peer.events()).hasSizeBetween(16_000, 17_000);
        assertThat(peer.association.counters().drops(SctpDrop.WINDOW_EXCEEDED)).isPositive();
    }

    @Test
    void anEndlessMessageIsDiscardedAndCostsNothing() {
        Packets peer = new Packets(SctpConfig.DEFAULT).establish(100_000, "");
        int tsn = PEER_TSN;
        peer.handleChunks(data(tsn++, 2, 5, 0, 51, new byte[1_100]));
        for (int i = 0; i < 5_000; i++) {
            peer.handleChunks(data(tsn++, 0, 5, 0, 51, new byte[1_100]));
            peer.sent();
        }
        peer.handleChunks(data(tsn++, 1, 5, 0, 51, new byte[1_100]));
        peer.handleChunks(data(tsn, 3, 5, 1, 51, new byte[] {1}));
        assertThat(peer.events()).hasSize(2).first().isEqualTo(new SctpEvent.MessageTooLong(5));
    }

    @Test
    void requestsForAnswersAreBounded() {
        Packets peer = new Packets(SctpConfig.DEFAULT).establish(100_000, "");
        for (int i = 0; i < 1_000; i++) {
            peer.handleChunks(chunk(4, 0, "00010008 01020304"));
        }
        assertThat(peer.sent()).hasSize(16);
        assertThat(peer.association.counters().drops(SctpDrop.ANSWERS_FULL)).isEqualTo(984);
    }
}
