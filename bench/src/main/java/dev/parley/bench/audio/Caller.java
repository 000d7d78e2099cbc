package dev.parley.bench.audio;

import com.google.protobuf.ByteString;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.Fingerprint;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.rtc.stun.StunReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A client that sets a call up, listens and may speak. It decrypts nothing: RTP headers are in the
 * clear, and a packet's length tells what it is. One of {@link Callers}, whose thread receives for
 * it.
 */
final class Caller implements DatagramLink {
    /** Hears RTP on the receiving thread. */
    interface Listener {
        /**
         * One packet.
         *
         * @param payloadBytes without the SRTP tag
         */
        void packet(long nanos, int sequence, int timestamp, boolean marker, int payloadBytes);
    }

    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(new SecureRandom());

    /** AEAD_AES_128_GCM, which both sides prefer. */
    private static final int TAG_BYTES = 16;

    private static final int RTP_HEADER_BYTES = 12;
    private static final int OPUS = 111;
    private static final int SSRC = 0x5EED;
    private static final int PACKET_CLOCK = 960;
    private static final int LONGEST_PACKET = 1_500;
    private static final int HANDSHAKE_MILLIS = 30_000;

    private final DatagramChannel channel;
    private final IceControlling ice;
    private final Fingerprint expected;
    private final ByteString session;
    private final StunReader stun = new StunReader();
    private final BlockingQueue<byte[]> dtls = new LinkedBlockingQueue<>();
    private final CompletableFuture<DtlsOutcome> outcome = new CompletableFuture<>();
    private final ByteBuffer spoken = ByteBuffer.allocateDirect(LONGEST_PACKET);
    private volatile Listener listener = (_, _, _, _, _) -> {};
    private @Nullable SrtpSender sender;
    private int said;

    private Caller(
            DatagramChannel channel, IceControlling ice, Fingerprint expected, ByteString session) {
        this.channel = channel;
        this.ice = ice;
        this.expected = expected;
        this.session = session;
    }

    static Caller call(
            TransceiverGrpc.TransceiverBlockingStub control,
            InetSocketAddress media,
            String model,
            long seed)
            throws IOException {
        Random random = new Random(seed);
        IceCredentials local = IceCredentials.random(random);
        CreateSessionResponse created =
                control.createSession(
                        CreateSessionRequest.newBuilder()
                                .setOfferSdp(offer(local))
                                .setModel(model)
                                .addRelayAddresses("127.0.0.1:" + media.getPort())
                                .build());
        String sdp = created.getAnswerSdp();
        IceCredentials remote =
                new IceCredentials(find(sdp, "a=ice-ufrag:(\\S+)"), find(sdp, "a=ice-pwd:(\\S+)"));
        DatagramChannel channel = DatagramChannel.open();
        channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.connect(media);
        channel.configureBlocking(false);
        IceControlling ice =
                new IceControlling(
                        local,
                        remote,
                        IceControlling.Nomination.AGGRESSIVE,
                        random,
                        System.nanoTime());
        return new Caller(
                channel,
                ice,
                new Fingerprint(
                        find(sdp, "a=fingerprint:(\\S+) "), find(sdp, "a=fingerprint:\\S+ (\\S+)")),
                created.getSessionId());
    }

    private static String offer(IceCredentials local) {
        return String.join(
                "\r\n",
                "v=0",
                "o=- 1 2 IN IP4 127.0.0.1",
                "s=-",
                "t=0 0",
                "a=group:BUNDLE 0",
                "m=audio 9 UDP/TLS/RTP/SAVPF 111",
                "c=IN IP4 0.0.0.0",
                "a=ice-ufrag:" + local.ufrag(),
                "a=ice-pwd:" + local.password(),
                "a=fingerprint:" + IDENTITY.fingerprint(),
                "a=setup:actpass",
                "a=mid:0",
                "a=sendrecv",
                "a=rtcp-mux",
                "a=rtpmap:111 opus/48000/2",
                "a=fmtp:111 minptime=10;useinbandfec=1",
                "");
    }

    private static String find(String sdp, String regex) {
        Matcher matcher = Pattern.compile(regex).matcher(sdp);
        if (!matcher.find()) {
            throw new IllegalStateException("the answer has no " + regex);
        }
        return matcher.group(1);
    }

    DatagramChannel channel() {
        return channel;
    }

    /** 16 bytes. */
    ByteString session() {
        return session;
    }

    void listen(Listener to) {
        listener = to;
    }

    /** Sends the ICE check that is due, if any; on the receiving thread. */
    void check(ByteBuffer scratch, long nowNanos) throws IOException {
        scratch.clear();
        int length = ice.poll(nowNanos, scratch, 0);
        if (length > 0) {
            channel.write(scratch.position(0).limit(length));
        }
    }

    /** Does DTLS on a thread of its own. */
    void connect() {
        Thread.ofVirtual()
                .start(
                        () ->
                                outcome.complete(
                                        new DtlsHandshake(new SecureRandom(), HANDSHAKE_MILLIS, 500)
                                                .run(
                                                        DtlsRole.SERVER,
                                                        IDENTITY,
                                                        List.of(expected),
                                                        this)));
    }

    void awaitConnected() throws IOException {
        var _ = connected();
    }

    private DtlsOutcome.Connected connected() throws IOException {
        DtlsOutcome result = outcome.join();
        if (result instanceof DtlsOutcome.Connected connected) {
            return connected;
        }
        throw new IOException("a caller could not connect: " + result);
    }

    /** Sends 20 ms of speech, the next in order; on one thread, when connected. */
    void say(byte[] opus) throws IOException {
        if (sender == null) {
            sender = connected().sender();
        }
        spoken.clear();
        spoken.put((byte) 0x80).put((byte) OPUS).putShort((short) said);
        spoken.putInt(said * PACKET_CLOCK).putInt(SSRC).put(opus);
        said++;
        int length = sender.protectRtp(spoken, 0, spoken.position());
        channel.write(spoken.position(0).limit(length));
    }

    /** Takes a datagram, 0 to limit; on the receiving thread. */
    void received(ByteBuffer bytes, long nanos) {
        int length = bytes.limit();
        switch (PacketKind.classify(bytes, 0, length)) {
            case STUN -> {
                if (stun.wrap(bytes, 0, length)) {
                    var _ = ice.handle(stun, nanos);
                }
            }
            case DTLS -> {
                byte[] copy = new byte[length];
                bytes.get(0, copy);
                dtls.add(copy);
            }
            case RTP ->
                    listener.packet(
                            nanos,
                            bytes.getShort(2) & 0xFFFF,
                            bytes.getInt(4),
                            bytes.get(1) < 0,
                            length - RTP_HEADER_BYTES - TAG_BYTES);
            case RTCP, CLIENT_HEADER, UNKNOWN -> {}
        }
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        try {
            int wait = waitMillis == 0 ? HANDSHAKE_MILLIS : waitMillis;
            byte[] datagram = dtls.poll(wait, TimeUnit.MILLISECONDS);
            if (datagram == null) {
                return waitMillis == 0 ? CLOSED : TIMED_OUT;
            }
            System.arraycopy(datagram, 0, buffer, offset, datagram.length);
            return datagram.length;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return CLOSED;
        }
    }

    @Override
    public void send(byte[] bytes, int offset, int length) {
        try {
            channel.write(ByteBuffer.wrap(bytes, offset, length));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
