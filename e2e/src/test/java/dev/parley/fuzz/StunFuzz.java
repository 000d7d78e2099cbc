package dev.parley.fuzz;

import dev.parley.rtc.ice.DtlsInStun;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.ice.IceLite;
import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.ice.IceVerdict;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.Random;

/** STUN messages as relay and ICE agent read them, RFC 8489. */
public final class StunFuzz {
    private static final String UFRAG = "ufragufragufragufrag";
    private static final String PASSWORD = "passwordpasswordpassword";
    private static final IceCredentials LOCAL = new IceCredentials(UFRAG, PASSWORD);
    private static final IceCredentials REMOTE = new IceCredentials("client", PASSWORD);
    private static final StunReader READER = new StunReader();
    private static final StunIntegrity INTEGRITY = StunIntegrity.shortTerm(PASSWORD);
    private static final ByteBuffer ANSWER = ByteBuffer.allocate(StunWriter.MAX_LENGTH);

    private StunFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuffer packet = Input.placed(input);
        if (!READER.wrap(packet, Input.OFFSET, input.length)) {
            Input.demand(!READER.hasUsername() && !READER.hasIntegrity(), "a refused message");
            return;
        }
        readAll(Input.OFFSET + input.length);
        boolean authentic = INTEGRITY.verifies(READER);
        IceLite ice = new IceLite(LOCAL, REMOTE, 30_000_000_000L, new Random(1));
        ice.carry(new DtlsInStun());
        IcePath from = new IcePath().client(0, 0xFFFF_0A00_0001L, 4000);
        IceVerdict verdict = ice.handle(READER, from, 0, ANSWER, 0);
        if (!authentic) {
            Input.demand(
                    ice.answerLength() == 0 && ice.findSelected() == null,
                    "an unauthenticated message was " + verdict);
        }
    }

    private static void readAll(int end) {
        if (READER.hasUsername()) {
            Input.demandWithin(
                    READER.usernameOffset(), READER.usernameLength(), end, "the USERNAME");
            Input.demand(
                    READER.receiverUfragLength() <= READER.usernameLength(), "the ufrag's length");
            var _ = READER.usernameEquals(new byte[READER.usernameLength()]);
        }
        if (DtlsInStun.isIn(READER)) {
            Input.demandWithin(READER.dtlsOffset(), READER.dtlsLength(), end, "DTLS in it");
        }
        for (int i = 0; i < READER.dtlsAckCount(); i++) {
            var _ = READER.dtlsAck(i);
        }
        if (READER.hasXorMappedAddress()) {
            var _ = READER.xorMappedAddressHigh() ^ READER.xorMappedAddressLow();
            var _ = READER.xorMappedPort();
        }
        if (READER.hasPriority()) {
            var _ = READER.priority();
        }
        if (READER.hasIceControlled() || READER.hasIceControlling()) {
            var _ = READER.tieBreaker();
        }
        for (int i = 0; i < READER.unknownCount(); i++) {
            var _ = READER.unknownType(i);
        }
        for (int i = 0; i < READER.unknownAttributesCount(); i++) {
            var _ = READER.unknownAttribute(i);
        }
        var _ = READER.errorCode();
        var _ = READER.hasFingerprint() && READER.hasValidFingerprint();
    }
}
