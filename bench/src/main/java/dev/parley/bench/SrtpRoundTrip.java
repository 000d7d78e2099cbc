package dev.parley.bench;

import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpProfile;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One RTP packet protected and unprotected again, by our own code over {@code javax.crypto} and by
 * jitsi-srtp, which lets the fastest of its providers work (OpenSSL through JNI where it loads).
 * Sampled, so that the median holds on a busy machine too.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the set-up before anything else
public class SrtpRoundTrip {
    private static final int HEADER_LENGTH = 12;
    private static final int ROOM = 64;

    /** How the packets are protected. */
    @Param SrtpProfile profile;

    /** Bytes of payload: 20 ms of Opus, and a full datagram. */
    @Param({"120", "1100"})
    int payloadLength;

    private ByteBuffer packet;
    private SrtpSender sender;
    private SrtpReceiver receiver;
    private JitsiPair jitsi;
    private int sequenceNumber;

    /** Makes both pairs from the same keys. */
    @Setup
    public void setUp() {
        Random random = new Random(1);
        byte[] key = new byte[SrtpProfile.KEY_LENGTH];
        byte[] salt = new byte[profile.saltLength()];
        random.nextBytes(key);
        random.nextBytes(salt);
        SrtpKeys keys = new SrtpKeys(profile, key, salt);
        sender = new SrtpSender(keys);
        receiver = new SrtpReceiver(keys);
        jitsi = new JitsiPair(profile, key, salt);
        // Where datagrams lie in the packet loops.
        packet = ByteBuffer.allocateDirect(HEADER_LENGTH + payloadLength + ROOM);
        packet.put(0, (byte) 0x80);
        packet.putInt(8, 0x1234_5678);
        jitsi.setPacket(packet, HEADER_LENGTH + payloadLength);
    }

    /** Our own code. */
    @Benchmark
    public int parley() {
        packet.putShort(2, (short) sequenceNumber++);
        int length = sender.protectRtp(packet, 0, HEADER_LENGTH + payloadLength);
        return receiver.unprotectRtp(packet, 0, length);
    }

    /** The library. */
    @Benchmark
    public int jitsi() throws GeneralSecurityException {
        return jitsi.roundTrip(sequenceNumber++);
    }
}
