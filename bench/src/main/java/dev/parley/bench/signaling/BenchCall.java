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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One caller with a socket of its own: offers, connects, speaks. Owned by the thread that places
 * the call, except for its DTLS, which has one of its own.
 */
public final class BenchCall implements DatagramLink, AutoCloseable {
    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(new SecureRandom());
    private static final int POLL_MILLIS = 5;
    private static final int OPUS = 111;
    private static final int SSRC = 0x1234_5678;
    private static final int FRAME_SAMPLES = 960;
    private static final long FRAME_NANOS = 20_000_000;
    private static final int FRAMES_A_SECOND = 50;
    private static final int SPOKEN_FRAMES = 40;
    private static final byte SPEECH = (byte) 0xF8;
    private static final int SPEECH_BYTES = 1 + Long.BYTES;
    private static final long NO_SPEECH = Long.MIN_VALUE;
    private static final long LAST_WORDS_NANOS = 500_000_000;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final DatagramSocket socket;
    private final IceCredentials local = IceCredentials.random(ThreadLocalRandom.current());
    private final BlockingQueue<byte[]> dtlsIn = new LinkedBlockingQueue<>();
    private final StunReader stun = new StunReader();
    private final RtpReader rtp = new RtpReader();
    private int sent;
    private long frame;
    private long speakingSince;
    private @Nullable IceCredentials remote;
    private @Nullable IceControlling ice;
    private DtlsOutcome.@Nullable Connected connected;
    private @Nullable Speech speech;

    /** What it takes to speak, once connected. */
    private record Speech(IceControlling ice, SrtpSender sender, SrtpReceiver receiver) {}

    /** Binds a socket of loopback. */
    public BenchCall() {
        try {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            socket.setSoTimeout(POLL_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An offer of audio. */
    public String offer() {
        return offer(false);
    }

    /** An offer of audio, and of data channels if they are wanted. */
    public String offer(boolean data) {
        List<String> lines = new ArrayList<>();
        lines.addAll(
                List.of(
                        "v=0",
                        "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
                        "s=-",
                        "t=0 0",
                        "a=group:BUNDLE 0" + (data ? " 1" : ""),
                        "m=audio 9 UDP/TLS/RTP/SAVPF " + OPUS));
        lines.addAll(transport(0));
        lines.addAll(List.of("a=sendrecv", "a=rtcp-mux", "a=rtpmap:" + OPUS + " opus/48000/2"));
        if (data) {
            lines.add("m=application 9 UDP/DTLS/SCTP webrtc-datachannel");
            lines.addAll(transport(1));
            lines.addAll(List.of("a=sctp-port:5000", "a=max-message-size:262144"));
        }
        lines.add("");
        return String.join("\r\n", lines);
    }

    private List<String> transport(int mid) {
        return List.of(
                "c=IN IP4 0.0.0.0",
                "a=ice-ufrag:" + local.ufrag(),
                "a=ice-pwd:" + local.password(),
                "a=fingerprint:" + IDENTITY.fingerprint(),
                "a=setup:actpass",
                "a=mid:" + mid);
    }

    /**
     * Asks signaling for a call without credentials, and connects it.
     *
     * @throws IOException when that is refused, or takes longer than the deadline
     */
    public void connect(URI base, String model, boolean data, long deadlineNanos)
            throws IOException, InterruptedException {
        untilAnswered(call(base, model, data), deadlineNanos);
    }

    /**
     * Asks signaling for a call without credentials.
     *
     * @return the SDP answer
     * @throws IOException when that is refused
     */
    public String call(URI base, String model, boolean data)
            throws IOException, InterruptedException {
        return call(base, model, offer(data));
    }

    /** The same with an offer that was changed. */
    public String call(URI base, String model, String offer)
            throws IOException, InterruptedException {
        HttpResponse<String> answer =
                HTTP.send(
                        HttpRequest.newBuilder(base.resolve("/v1/realtime/calls?model=" + model))
                                .header("Content-Type", "application/sdp")
                                .timeout(PATIENCE)
                                .POST(BodyPublishers.ofString(offer))
                                .build(),
                        BodyHandlers.ofString());
        if (answer.statusCode() != 201) {
            throw new IOException("signaling answers " + answer.statusCode());
        }
        return answer.body();
    }

    /**
     * Connects and speaks; answers when the first packet came back that is not silence.
     *
     * @throws IOException when that takes longer than the deadline
     */
    public void untilAnswered(String answer, long deadlineNanos) throws IOException {
        IceControlling mine = begin(answer);
        CompletableFuture<DtlsOutcome> dtls = startDtls(answer);
        while (!dtls.isDone()) {
            poll(mine, deadlineNanos);
        }
        if (!(dtls.join() instanceof DtlsOutcome.Connected done)) {
            throw new IOException("DTLS: " + dtls.join());
        }
        connected = done;
        speak(new Speech(mine, done.sender(), done.receiver()), deadlineNanos);
    }

    /**
     * Proves by checks that it is the caller, and leaves it at that.
     *
     * @throws IOException when that takes longer than the deadline
     */
    public void untilChecked(String answer, long deadlineNanos) throws IOException {
        IceControlling mine = begin(answer);
        while (!mine.isNominated()) {
            poll(mine, deadlineNanos);
        }
    }

    private IceControlling begin(String answer) throws IOException {
        Matcher candidate = find(answer, "a=candidate:\\S+ 1 udp \\d+ (\\S+) (\\d+) typ");
        socket.connect(
                new InetSocketAddress(candidate.group(1), Integer.parseInt(candidate.group(2))));
        IceCredentials theirs =
                new IceCredentials(
                        find(answer, "a=ice-ufrag:(\\S+)").group(1),
                        find(answer, "a=ice-pwd:(\\S+)").group(1));
        IceControlling mine =
                new IceControlling(
                        local,
                        theirs,
                        IceControlling.Nomination.AGGRESSIVE,
                        ThreadLocalRandom.current(),
                        System.nanoTime());
        remote = theirs;
        ice = mine;
        return mine;
    }

    /** Its own credentials. */
    public IceCredentials local() {
        return local;
    }

    /** Those that it was answered. */
    public IceCredentials remote() {
        return Objects.requireNonNull(remote);
    }

    /** Sends application data over DTLS, one record. */
    public boolean sendData(byte[] record) {
        return Objects.requireNonNull(connected).session().send(record, 0, record.length);
    }

    /**
     * Waits for application data, a record; 0 when none came in time, negative at the end. While it
     * waits {@link #turn} has to be called.
     */
    public int receiveData(byte[] record, int waitMillis) {
        return Objects.requireNonNull(connected)
                .session()
                .receive(record, 0, record.length, waitMillis);
    }

    /** Where it sends from. */
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    /**
     * Takes what has come and sends the check that is due.
     *
     * @throws IOException when the socket fails
     */
    public void turn() throws IOException {
        var _ = poll(Objects.requireNonNull(ice), System.nanoTime() + LAST_WORDS_NANOS);
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

    private void speak(Speech on, long deadlineNanos) throws IOException {
        speech = on;
        speakingSince = System.nanoTime();
        while (true) {
            sendWhatIsDue(on);
            if (stamp(on.receiver(), poll(on.ice(), deadlineNanos)) != NO_SPEECH) {
                return;
            }
        }
    }

    /**
     * Speaks on, and times each packet until the echo has it back.
     *
     * @param going answers false when it is time to stop
     * @param roundTrips in microseconds
     * @param lost packets that did not come back
     */
    public void speakOn(BooleanSupplier going, Histogram roundTrips, LongAdder lost)
            throws IOException {
        Speech on = Objects.requireNonNull(speech);
        long since = System.nanoTime();
        int first = sent;
        long received = 0;
        long end = since;
        while (end - System.nanoTime() >= 0 || going.getAsBoolean()) {
            if (going.getAsBoolean()) {
                end = System.nanoTime() + LAST_WORDS_NANOS;
                sendWhatIsDue(on);
            }
            long spoken = stamp(on.receiver(), poll(on.ice(), end + LAST_WORDS_NANOS));
            if (spoken != NO_SPEECH && spoken - since >= 0) {
                received++;
                roundTrips.recordValue(Math.max(1, (System.nanoTime() - spoken) / 1_000));
            }
        }
        lost.add(Math.max(0, sent - first - received));
    }

    // Four fifths of each second, so that an echo which fell behind can catch up. What was not
    // spoken in time, because this machine was busy, is not spoken at all: a burst would only wait.
    private void sendWhatIsDue(Speech on) {
        long due = (System.nanoTime() - speakingSince) / FRAME_NANOS;
        if (due < frame) {
            return;
        }
        frame = due + 1;
        if (due % FRAMES_A_SECOND >= SPOKEN_FRAMES) {
            return;
        }
        ByteBuffer packet = ByteBuffer.allocate(200);
        RtpWriter.writeHeader(packet, 0, false, OPUS, sent, (int) due * FRAME_SAMPLES, SSRC);
        packet.put(RtpWriter.HEADER_LENGTH, SPEECH);
        packet.putLong(RtpWriter.HEADER_LENGTH + 1, System.nanoTime());
        int length = on.sender().protectRtp(packet, 0, RtpWriter.HEADER_LENGTH + SPEECH_BYTES);
        send(packet.array(), 0, length);
        sent++;
    }

    // When the packet was spoken.
    private long stamp(SrtpReceiver receiver, byte[] datagram) {
        ByteBuffer bytes = ByteBuffer.wrap(datagram);
        int plain = datagram.length == 0 ? -1 : receiver.unprotectRtp(bytes, 0, datagram.length);
        return plain >= 0 && rtp.wrap(bytes, 0, plain) && rtp.payloadLength() == SPEECH_BYTES
                ? bytes.getLong(rtp.payloadOffset() + 1)
                : NO_SPEECH;
    }

    // One datagram in, one check out; answers media.
    private byte[] poll(IceControlling by, long deadlineNanos) throws IOException {
        long now = System.nanoTime();
        if (deadlineNanos - now <= 0) {
            throw new IOException("not answered in time");
        }
        ByteBuffer check = ByteBuffer.allocate(1_500);
        int length = by.poll(now, check, 0);
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
                    var _ = by.handle(stun, System.nanoTime());
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
