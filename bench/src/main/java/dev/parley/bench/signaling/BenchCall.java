package dev.parley.bench.signaling;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.Fingerprint;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.rtc.stun.StunReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One caller with a socket of its own: offers, connects, speaks until it is answered. Owned by the
 * thread that places the call, except for its DTLS, which has one of its own.
 */
final class BenchCall implements DatagramLink, AutoCloseable {
    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(new SecureRandom());
    private static final int POLL_MILLIS = 5;
    private static final int OPUS = 111;
    private static final int SSRC = 0x1234_5678;
    private static final int FRAME_SAMPLES = 960;
    private static final long FRAME_NANOS = 20_000_000;
    private static final byte[] SILENCE = {(byte) 0xF8, (byte) 0xFF, (byte) 0xFE};
    private static final byte[] SPEECH = {(byte) 0xF8, 1, 2, 3, 4, 5, 6, 7};

    private final DatagramSocket socket;
    private final IceCredentials local = IceCredentials.random(ThreadLocalRandom.current());
    private final BlockingQueue<byte[]> dtlsIn = new LinkedBlockingQueue<>();
    private final StunReader stun = new StunReader();
    private final RtpReader rtp = new RtpReader();
    private int sent;

    BenchCall() {
        try {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            socket.setSoTimeout(POLL_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String offer() {
        return String.join(
                "\r\n",
                "v=0",
                "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
                "s=-",
                "t=0 0",
                "a=group:BUNDLE 0",
                "m=audio 9 UDP/TLS/RTP/SAVPF " + OPUS,
                "c=IN IP4 0.0.0.0",
                "a=ice-ufrag:" + local.ufrag(),
                "a=ice-pwd:" + local.password(),
                "a=fingerprint:" + IDENTITY.fingerprint(),
                "a=setup:actpass",
                "a=mid:0",
                "a=sendrecv",
                "a=rtcp-mux",
                "a=rtpmap:" + OPUS + " opus/48000/2",
                "");
    }

    /**
     * Connects and speaks; answers when the first packet came back that is not silence.
     *
     * @throws IOException when that takes longer than the deadline
     */
    void untilAnswered(String answer, long deadlineNanos) throws IOException {
        Matcher candidate = find(answer, "a=candidate:\\S+ 1 udp \\d+ (\\S+) (\\d+) typ");
        socket.connect(
                new InetSocketAddress(candidate.group(1), Integer.parseInt(candidate.group(2))));
        IceCredentials remote =
                new IceCredentials(
                        find(answer, "a=ice-ufrag:(\\S+)").group(1),
                        find(answer, "a=ice-pwd:(\\S+)").group(1));
        IceControlling ice =
                new IceControlling(
                        local,
                        remote,
                        IceControlling.Nomination.AGGRESSIVE,
                        ThreadLocalRandom.current(),
                        System.nanoTime());
        CompletableFuture<DtlsOutcome> dtls = startDtls(answer);
        while (!dtls.isDone()) {
            poll(ice, deadlineNanos);
        }
        if (!(dtls.join() instanceof DtlsOutcome.Connected connected)) {
            throw new IOException("DTLS: " + dtls.join());
        }
        speak(ice, connected, deadlineNanos);
    }

    private CompletableFuture<DtlsOutcome> startDtls(String answer) {
        Matcher print = find(answer, "a=fingerprint:(\\S+) (\\S+)");
        Fingerprint expected = new Fingerprint(print.group(1), print.group(2));
        CompletableFuture<DtlsOutcome> outcome = new CompletableFuture<>();
        var _ = Thread.ofVirtual().start(() -> shakeHands(expected, outcome));
        return outcome;
    }

    private void shakeHands(Fingerprint expected, CompletableFuture<DtlsOutcome> outcome) {
        try {
            outcome.complete(
                    new DtlsHandshake(new SecureRandom(), 10_000, 500)
                            .run(DtlsRole.SERVER, IDENTITY, List.of(expected), this));
        } catch (UncheckedIOException e) {
            // The call has been given up.
            outcome.completeExceptionally(e);
        }
    }

    private void speak(IceControlling ice, DtlsOutcome.Connected connected, long deadlineNanos)
            throws IOException {
        SrtpSender sender = connected.sender();
        SrtpReceiver receiver = connected.receiver();
        long start = System.nanoTime();
        while (true) {
            if (System.nanoTime() - start >= sent * FRAME_NANOS) {
                sendSpeech(sender);
            }
            byte[] media = poll(ice, deadlineNanos);
            if (media.length > 0 && isSpeech(receiver, media)) {
                return;
            }
        }
    }

    private void sendSpeech(SrtpSender sender) {
        ByteBuffer packet = ByteBuffer.allocate(200);
        RtpWriter.writeHeader(packet, 0, false, OPUS, sent, sent * FRAME_SAMPLES, SSRC);
        packet.put(RtpWriter.HEADER_LENGTH, SPEECH);
        int length = sender.protectRtp(packet, 0, RtpWriter.HEADER_LENGTH + SPEECH.length);
        send(packet.array(), 0, length);
        sent++;
    }

    private boolean isSpeech(SrtpReceiver receiver, byte[] datagram) {
        ByteBuffer bytes = ByteBuffer.wrap(datagram);
        int plain = receiver.unprotectRtp(bytes, 0, datagram.length);
        if (plain < 0 || !rtp.wrap(bytes, 0, plain)) {
            return false;
        }
        byte[] payload = new byte[rtp.payloadLength()];
        bytes.get(rtp.payloadOffset(), payload);
        return !Arrays.equals(payload, SILENCE);
    }

    // One datagram in, one check out; answers media.
    private byte[] poll(IceControlling ice, long deadlineNanos) throws IOException {
        long now = System.nanoTime();
        if (deadlineNanos - now <= 0) {
            throw new IOException("not answered in time");
        }
        ByteBuffer check = ByteBuffer.allocate(1_500);
        int length = ice.poll(now, check, 0);
        if (length > 0) {
            send(check.array(), 0, length);
        }
        DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            socket.receive(packet);
        } catch (SocketTimeoutException _) {
            return new byte[0];
        }
        byte[] datagram = Arrays.copyOf(packet.getData(), packet.getLength());
        ByteBuffer bytes = ByteBuffer.wrap(datagram);
        return switch (PacketKind.classify(bytes, 0, datagram.length)) {
            case STUN -> {
                if (stun.wrap(bytes, 0, datagram.length)) {
                    var _ = ice.handle(stun, System.nanoTime());
                }
                yield new byte[0];
            }
            case DTLS -> {
                dtlsIn.add(datagram);
                yield new byte[0];
            }
            case RTP -> datagram;
            case RTCP, CLIENT_HEADER, UNKNOWN -> new byte[0];
        };
    }

    private static Matcher find(String sdp, String regex) {
        Matcher matcher = Pattern.compile(regex).matcher(sdp);
        if (!matcher.find()) {
            throw new IllegalStateException("no " + regex + " in " + sdp);
        }
        return matcher;
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        try {
            byte[] datagram = dtlsIn.poll(waitMillis == 0 ? 1 : waitMillis, TimeUnit.MILLISECONDS);
            if (datagram == null) {
                return TIMED_OUT;
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
            socket.send(new DatagramPacket(bytes, offset, length));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
