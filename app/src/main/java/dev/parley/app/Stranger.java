package dev.parley.app;

import dev.parley.app.load.CallOffer;
import dev.parley.app.load.CallRequests.RefusedException;
import dev.parley.app.load.HttpCalls;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends what is refused, beside the calls of a {@link Rehearsal}. A JVM compiles what it has seen:
 * where nothing was ever refused, it leaves that out, and the first flood of strangers has it fall
 * back to interpreting and compile its packet loops anew while calls wait behind the flood. Owned
 * by the rehearsal.
 */
final class Stranger implements AutoCloseable {
    /** More than a relay keeps of one call, so that those are seen as well which it does not. */
    private static final int ADDRESSES = 20;

    /** So many at a time, 1,000 a second: seen often, and no load. */
    private static final int AT_ONCE = 5;

    private static final long PAUSE_NANOS = 5_000_000;
    private static final long RETRY_NANOS = 100_000_000;

    private static final Pattern UFRAG = Pattern.compile("a=ice-ufrag:(\\S+)");
    private static final int HANDSHAKE = 22;
    private static final int RTP = 0x80;

    private final Random random = new Random(1);
    private final StunWriter stun = new StunWriter();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(1_500);
    private final List<DatagramChannel> channels = new ArrayList<>();
    private final InetSocketAddress relay;

    /**
     * @param relay where it sends to
     */
    Stranger(InetSocketAddress relay) throws IOException {
        this.relay = relay;
        for (int i = 0; i < ADDRESSES; i++) {
            DatagramChannel channel = DatagramChannel.open();
            channels.add(channel);
            channel.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            channel.configureBlocking(false);
        }
    }

    /** Has overheard the ufrag of a call that nobody stands behind, and guesses its password. */
    void run(HttpCalls calls, BooleanSupplier going) throws IOException, InterruptedException {
        String ufrag = overhear(calls, going);
        for (int turn = 0; going.getAsBoolean(); turn++) {
            for (int i = 0; i < AT_ONCE; i++) {
                write(ufrag);
                var _ = channels.get((turn + i) % ADDRESSES).send(datagram.flip(), relay);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private String overhear(HttpCalls calls, BooleanSupplier going)
            throws IOException, InterruptedException {
        DtlsIdentity identity = DtlsIdentity.generate(new SecureRandom());
        String offer = CallOffer.text(IceCredentials.random(random), identity, false, false);
        while (going.getAsBoolean()) {
            try {
                Matcher ufrag = UFRAG.matcher(calls.place(offer).sdp());
                if (ufrag.find()) {
                    return ufrag.group(1);
                }
            } catch (RefusedException _) {
                // So early there is no room yet.
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
        return "";
    }

    private void write(String overheard) {
        datagram.clear();
        switch (random.nextInt(8)) {
            case 0 -> check(overheard.replace(overheard.charAt(20), 'A'));
            case 1 -> noise(random.nextInt(256), 12 + random.nextInt(200));
            case 2 -> noise(HANDSHAKE, 13 + random.nextInt(200));
            case 3 -> noise(RTP, 12 + random.nextInt(200));
            default -> check(overheard);
        }
    }

    private void check(String ufrag) {
        StunWriter message =
                stun.bindingRequest(datagram, 0, random.nextInt(), random.nextLong())
                        .username(ufrag + ":any")
                        .priority(1)
                        .iceControlling(random.nextLong())
                        .useCandidate()
                        .integrity(
                                StunIntegrity.shortTerm(IceCredentials.random(random).password()))
                        .fingerprint();
        datagram.position(message.length());
    }

    private void noise(int first, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        bytes[0] = (byte) first;
        datagram.put(bytes);
    }

    @Override
    public void close() throws IOException {
        for (DatagramChannel channel : channels) {
            channel.close();
        }
    }
}
