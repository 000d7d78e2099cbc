package dev.parley.fuzz;

import dev.parley.rtc.rtp.RedReader;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.rtp.TelephoneEventReader;
import java.nio.ByteBuffer;

/** RTP packets with header extensions, and the payloads that are looked into. */
public final class RtpFuzz {
    private static final RtpReader READER = new RtpReader();
    private static final RedReader RED = new RedReader();
    private static final TelephoneEventReader EVENT = new TelephoneEventReader();

    private RtpFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuffer packet = Input.placed(input);
        int end = Input.OFFSET + input.length;
        if (!READER.wrap(packet, Input.OFFSET, input.length)) {
            return;
        }
        Input.demandWithin(READER.payloadOffset(), READER.payloadLength(), end, "the payload");
        Input.demand(READER.payloadType() < 128 && READER.sequenceNumber() < 65_536, "a field");
        for (int i = 0; i < READER.csrcCount(); i++) {
            var _ = READER.csrc(i);
        }
        for (int id = 1; id < 256; id++) {
            if (READER.seekElement(id)) {
                Input.demandWithin(
                        READER.elementOffset(), READER.elementLength(), end, "an extension");
            }
            int level = READER.audioLevel(id);
            Input.demand(
                    level == RtpReader.ABSENT || RtpReader.levelDbov(level) <= 0, "an audio level");
        }
        readPayload(packet, READER.payloadOffset(), READER.payloadLength());
    }

    private static void readPayload(ByteBuffer packet, int offset, int length) {
        if (RED.wrap(packet, offset, length)) {
            Input.demand(RED.count() <= RedReader.MAX_BLOCKS, "the blocks");
            for (int i = 0; i < RED.count(); i++) {
                Input.demandWithin(RED.offset(i), RED.length(i), offset + length, "a block");
                Input.demand(RED.payloadType(i) < 128 && RED.timestampOffset(i) >= 0, "a block");
            }
        }
        if (EVENT.wrap(packet, offset, length)) {
            Input.demand(EVENT.event() < 256 && EVENT.volume() < 64, "an event");
            var _ = EVENT.isKey() && EVENT.key() == '#';
        }
    }
}
