package dev.parley.app.load;

import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.rtp.NtpTime;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/** A loop without sockets and threads: keeps what calls send until the test takes it. */
final class FakeLoadHost implements LoadHost {
    static final IceCredentials LOCAL =
            new IceCredentials("clientUfrag", "clientPasswordClientPassword");
    static final String SERVER_PASSWORD = "serverPasswordServerPassword";

    static final String ANSWER =
            """
            a=ice-ufrag:serverUfrag
            a=ice-pwd:%s
            a=fingerprint:sha-256 00:01
            a=setup:passive
            a=candidate:1 1 udp 2130706431 127.0.0.1 3478 typ host
            """
                    .formatted(SERVER_PASSWORD);

    private final ByteBuffer bytes = ByteBuffer.allocate(2 * StunWriter.MAX_LENGTH + 2_048);
    private final Tally tally = new Tally();
    private final NtpTime ntp = new NtpTime(0, 0);
    private final Random random = new Random(1);
    private final List<byte[]> sent = new ArrayList<>();

    /** A call that was answered at 0. */
    LoadCall call(int number, LoadOptions options, SpeechFrames speech, boolean warmUp) {
        PlacedCall placed =
                new PlacedCall(
                        number,
                        LOCAL,
                        CallAnswer.parse(ANSWER),
                        "",
                        0,
                        0,
                        Long.MAX_VALUE / 2,
                        warmUp);
        return new LoadCall(this, options, speech, placed, 0);
    }

    /** What was sent since the last time. */
    List<byte[]> take() {
        List<byte[]> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    @Override
    public ByteBuffer bytes() {
        return bytes;
    }

    @Override
    public int payloadOffset() {
        return 0;
    }

    @Override
    public void commit(LoadCall call, int length) {
        byte[] datagram = new byte[length];
        bytes.get(0, datagram);
        sent.add(datagram);
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public NtpTime ntp() {
        return ntp;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    @Override
    public void post(Runnable command) {}

    @Override
    public void rebind(LoadCall call) {}

    @Override
    public void restartIce(LoadCall call) {}

    @Override
    public void redirect(LoadCall call) {}

    @Override
    public void hasten(LoadCall call) {}

    @Override
    public void over(LoadCall call) {}
}
