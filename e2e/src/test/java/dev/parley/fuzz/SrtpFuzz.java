package dev.parley.fuzz;

import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpProfile;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.rtc.srtp.SrtpVerdict;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * SRTP and SRTCP. The bytes are tried as they are, which no key fits, and protected, which must
 * give them back.
 */
public final class SrtpFuzz {
    private static final int ROOM = 64;

    private SrtpFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        for (SrtpProfile profile : SrtpProfile.PREFERENCE) {
            SrtpKeys keys =
                    new SrtpKeys(
                            profile,
                            new byte[SrtpProfile.KEY_LENGTH],
                            new byte[profile.saltLength()]);
            SrtpReceiver receiver = new SrtpReceiver(keys);
            refuses(input, receiver);
            roundTrip(input, new SrtpSender(keys), receiver);
        }
    }

    private static void refuses(byte[] input, SrtpReceiver receiver) {
        ByteBuffer packet = Input.placed(input);
        int rtp = receiver.unprotectRtp(packet, Input.OFFSET, input.length);
        int rtcp = receiver.unprotectRtcp(packet, Input.OFFSET, input.length);
        Input.demand(rtp < 0 && rtcp < 0, "something forged was taken");
        var _ = SrtpVerdict.of(rtp) == SrtpVerdict.of(rtcp);
        byte[] after = new byte[input.length];
        packet.get(Input.OFFSET, after);
        Input.demand(Arrays.equals(input, after), "a refused packet was changed");
    }

    private static void roundTrip(byte[] input, SrtpSender sender, SrtpReceiver receiver) {
        ByteBuffer packet = ByteBuffer.allocate(Input.OFFSET + input.length + ROOM);
        packet.put(Input.OFFSET, input);
        int rtp = sender.protectRtp(packet, Input.OFFSET, input.length);
        if (rtp >= 0) {
            int plain = receiver.unprotectRtp(packet, Input.OFFSET, rtp);
            demandSame(input, packet, plain);
        }
        packet.put(Input.OFFSET, input);
        int rtcp = sender.protectRtcp(packet, Input.OFFSET, input.length);
        if (rtcp >= 0) {
            int plain = receiver.unprotectRtcp(packet, Input.OFFSET, rtcp);
            demandSame(input, packet, plain);
        }
    }

    private static void demandSame(byte[] input, ByteBuffer packet, int length) {
        Input.demand(length == input.length, "a packet became " + length + " long");
        byte[] after = new byte[length];
        packet.get(Input.OFFSET, after);
        Input.demand(Arrays.equals(input, after), "another packet came out than went in");
    }
}
