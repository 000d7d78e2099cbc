package dev.parley.transceiver.peer;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.DtlsSession;
import dev.parley.rtc.dtls.FalseStart;
import dev.parley.rtc.dtls.Fingerprint;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.rtp.RtcpWriter;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import dev.parley.rtc.stun.StunReader;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A WebRTC client without a socket: offers, checks, shakes hands, sends and receives audio. Driven
 * by one thread, except for its DTLS, which has one of its own.
 */
public final class Peer implements DatagramLink {
    /** One RTP packet that came in. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Received(
            long nanos, int sequence, int timestamp, boolean marker, int ssrc, byte[] payload) {}

    public static final int OPUS = 111;
    public static final int PCMA = 8;
    public static final int RED = 63;
    public static final int DTMF = 110;
    public static final int AUDIO_LEVEL_ID = 1;
    public static final int SSRC = 0x1234_5678;

    private static final String DATA_SECTION =
            """
            m=application 9 UDP/DTLS/SCTP webrtc-datachannel
            c=IN IP4 0.0.0.0
            %s
            a=sctp-port:5000
            a=max-message-size:100000
            """
                    .replace("\n", "\r\n");

    private static final DtlsIdentity IDENTITY = DtlsIdentity.generate(new SecureRandom());

    private final Random random;
    private boolean pcma;
    private boolean losing;
    private boolean dataChannels;
    private String sctpInit = "";
    private @Nullable PeerDtlsInStun inStun;
    private boolean offersSped;
    private boolean plainDtls = true;
    private boolean answeredSped;
    private @Nullable String answeredInit;
    private boolean audio = true;
    private volatile boolean dtlsStarted;
    private int heldFrom = Integer.MAX_VALUE;
    private int dtlsSent;
    private final List<byte[]> held = new ArrayList<>();
    private int resendMillis = 500;
    private IceControlling.Nomination nomination = IceControlling.Nomination.AGGRESSIVE;
    private final DtlsRole role;
    private final String setup;
    private IceCredentials local;
    private final Consumer<byte[]> wire;
    private final BlockingQueue<byte[]> dtlsIn = new LinkedBlockingQueue<>();
    private final CompletableFuture<DtlsOutcome> outcome = new CompletableFuture<>();
    private final BlockingQueue<byte[]> data = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> closedByServer = new CompletableFuture<>();
    private final List<Received> received = new ArrayList<>();
    private final List<byte[]> rtcpReceived = new ArrayList<>();
    private final StunReader stun = new StunReader();
    private final RtpReader rtp = new RtpReader();
    private @Nullable IceControlling ice;
    private @Nullable IceCredentials remote;
    private @Nullable Fingerprint expected;
    private @Nullable SrtpSender sender;
    private @Nullable SrtpReceiver receiver;
    private Fingerprint offeredFingerprint = IDENTITY.fingerprint();

    /**
     * @param setup what the offer says: actpass, active or passive
     * @param wire takes what it sends, from any thread
     */
    public Peer(String setup, long seed, Consumer<byte[]> wire) {
        this.random = new Random(seed);
        this.setup = setup;
        // The transceiver answers active to actpass.
        this.role = setup.equals("active") ? DtlsRole.CLIENT : DtlsRole.SERVER;
        this.local = IceCredentials.random(random);
        this.wire = wire;
    }

    /** Offers the fingerprint of another certificate than it will show. */
    public Peer withWrongFingerprint() {
        offeredFingerprint = DtlsIdentity.generate(new SecureRandom()).fingerprint();
        return this;
    }

    /** Has no Opus but G.711 with the A-law, as a telephone gateway. */
    public Peer withPcmaOnly() {
        pcma = true;
        return this;
    }

    /** The next offer has new credentials, as after a browser's restartIce(). */
    public Peer restartIce() {
        local = IceCredentials.random(random);
        return this;
    }

    /** Its own credentials, as its last offer names them. */
    public IceCredentials local() {
        return local;
    }

    /** Sends DTLS flights again after so long, in real time. */
    public Peer withResend(int millis) {
        resendMillis = millis;
        return this;
    }

    /** Offers data channels beside audio. */
    public Peer withDataChannels() {
        dataChannels = true;
        return this;
    }

    /** Says SCTP's INIT in its offers, in base64. */
    public Peer withSctpInit(String base64) {
        sctpInit = "a=sctp-init:" + base64 + "\r\n";
        return withDataChannels();
    }

    /** Offers to carry DTLS in its checks. */
    public Peer offeringDtlsInStun() {
        offersSped = true;
        return this;
    }

    /** Carries DTLS in its checks, and offers to. */
    public Peer withDtlsInStun() {
        inStun = new PeerDtlsInStun();
        return offeringDtlsInStun();
    }

    /** From now on no DTLS goes or comes by itself. */
    public Peer withoutPlainDtls() {
        plainDtls = false;
        return this;
    }

    PeerDtlsInStun inStun() {
        return Objects.requireNonNull(inStun, "it does not carry DTLS");
    }

    /** DTLS datagrams that came in answers to its checks. */
    public int dtlsInAnswers() {
        return inStun().carried();
    }

    /** Answers to its checks that say anything of DTLS. */
    public int answersOfDtls() {
        return inStun().attributes();
    }

    /** Whether all DTLS that it has sent was acknowledged. */
    public boolean isDtlsAcknowledged() {
        return inStun().isThrough();
    }

    /** Whether the answer agrees to DTLS in STUN. */
    public boolean answeredSped() {
        return answeredSped;
    }

    /** SCTP's INIT in the answer; null when it has none. */
    public @Nullable String answeredInit() {
        return answeredInit;
    }

    /** Offers data channels alone, and knows nothing of SRTP. */
    public Peer withDataChannelsOnly() {
        audio = false;
        return withDataChannels();
    }

    public String offer() {
        String whole = offerWithOpus();
        if (!audio) {
            // The same transport, for another section.
            whole =
                    whole.replaceAll(
                            "m=audio .*\r\n|a=(rtcp|ssrc|sendrecv|rtpmap|fmtp|extmap).*\r\n", "");
            return whole.replace("c=IN IP4 0.0.0.0", DATA_SECTION.formatted("a=x").strip());
        }
        if (dataChannels) {
            whole =
                    whole.replace("a=group:BUNDLE 0", "a=group:BUNDLE 0 1")
                            + DATA_SECTION.formatted("a=mid:1")
                            + sctpInit;
        }
        return pcma
                ? whole.replaceFirst("m=audio 9 (\\S+) .*", "m=audio 9 $1 " + PCMA)
                        .replaceAll("a=(rtpmap|fmtp):.*\r\n", "")
                : whole;
    }

    private String offerWithOpus() {
        return String.join(
                "\r\n",
                "v=0",
                "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
                "s=-",
                "t=0 0",
                "a=group:BUNDLE 0",
                "m=audio 9 UDP/TLS/RTP/SAVPF " + OPUS + " " + RED + " " + DTMF,
                "c=IN IP4 0.0.0.0",
                "a=ice-ufrag:" + local.ufrag(),
                "a=ice-pwd:" + local.password(),
                "a=fingerprint:" + offeredFingerprint,
                "a=setup:" + setup,
                "a=ice-options:trickle" + (offersSped ? " sped" : ""),
                "a=mid:0",
                "a=extmap:" + AUDIO_LEVEL_ID + " urn:ietf:params:rtp-hdrext:ssrc-audio-level",
                "a=sendrecv",
                "a=rtcp-mux",
                "a=rtpmap:" + OPUS + " opus/48000/2",
                "a=rtcp-fb:" + OPUS + " transport-cc",
                "a=fmtp:" + OPUS + " minptime=10;useinbandfec=1",
                "a=rtpmap:" + RED + " red/48000/2",
                "a=fmtp:" + RED + " " + OPUS + "/" + OPUS,
                "a=rtpmap:" + DTMF + " telephone-event/48000",
                "a=ssrc:" + (SSRC & 0xFFFF_FFFFL) + " cname:peer",
                "");
    }

    public void answer(String sdp, long nowNanos) {
        expected =
                new Fingerprint(
                        find(sdp, "a=fingerprint:(\\S+) "), find(sdp, "a=fingerprint:\\S+ (\\S+)"));
        answeredInit = sdp.contains("a=sctp-init:") ? find(sdp, "a=sctp-init:(\\S+)\r\n") : null;
        answeredSped = sdp.contains("a=ice-options:sped\r\n");
        answerFragment(sdp, nowNanos);
    }

    /** Goes on with the credentials that a fragment names. */
    public void answerFragment(String fragment, long nowNanos) {
        remote =
                new IceCredentials(
                        find(fragment, "a=ice-ufrag:(\\S+)"), find(fragment, "a=ice-pwd:(\\S+)"));
        ice = new IceControlling(local, remote, nomination, random, nowNanos);
    }

    /** From its next checks on it nominates nothing, as a client that has done so once. */
    public void nominateNoMore(long nowNanos) {
        nomination = IceControlling.Nomination.NONE;
        ice = new IceControlling(local, remote(), nomination, random, nowNanos);
    }

    private static String find(String sdp, String regex) {
        Matcher matcher = Pattern.compile(regex).matcher(sdp);
        if (!matcher.find()) {
            throw new IllegalArgumentException("no " + regex + " in " + sdp);
        }
        return matcher.group(1);
    }

    private IceCredentials remote() {
        return Objects.requireNonNull(remote, "no answer yet");
    }

    /** Sends the check that is due, if any. */
    public void check(long nowNanos) {
        if (inStun != null) {
            wire.accept(inStun.check(local, remote()));
            return;
        }
        ByteBuffer out = ByteBuffer.allocate(1500);
        int length = ice().poll(nowNanos, out, 0);
        if (length > 0) {
            wire.accept(Arrays.copyOf(out.array(), length));
        }
    }

    /** A check made from scratch, with a password of the caller's choice. */
    public void check(String password, long nowNanos) {
        IceCredentials asked = new IceCredentials(remote().ufrag(), password);
        IceControlling other =
                new IceControlling(
                        local, asked, IceControlling.Nomination.AGGRESSIVE, random, nowNanos);
        ByteBuffer out = ByteBuffer.allocate(1500);
        int length = other.poll(nowNanos, out, 0);
        wire.accept(Arrays.copyOf(out.array(), length));
    }

    /** A fresh consent check with the right password. */
    public void consent(long nowNanos) {
        check(remote().password(), nowNanos);
    }

    public IceControlling ice() {
        return Objects.requireNonNull(ice, "no answer yet");
    }

    /** Sends a DTLS client's first hello, and nothing after it. */
    public void sendHello() {
        List<byte[]> sent = new ArrayList<>();
        DatagramLink deaf =
                new DatagramLink() {
                    @Override
                    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
                        return CLOSED;
                    }

                    @Override
                    public void send(byte[] bytes, int offset, int length) {
                        sent.add(Arrays.copyOfRange(bytes, offset, offset + length));
                    }
                };
        var _ =
                new DtlsHandshake(new SecureRandom(), 10_000, 500)
                        .run(DtlsRole.CLIENT, IDENTITY, List.of(), deaf);
        wire.accept(sent.getFirst());
    }

    /** Starts DTLS on a thread of its own. */
    public void startDtls() {
        dtlsStarted = true;
        Thread.ofVirtual().name("peer-dtls").start(this::runDtls);
    }

    private void runDtls() {
        DtlsHandshake handshake = new DtlsHandshake(new SecureRandom(), 10_000, resendMillis);
        DtlsOutcome result =
                handshake.run(
                        role,
                        IDENTITY,
                        List.of(Objects.requireNonNull(expected)),
                        audio,
                        this,
                        FalseStart.NONE);
        outcome.complete(result);
        if (result instanceof DtlsOutcome.Connected(DtlsSession session, var _, var _)) {
            byte[] buffer = new byte[MAX_RECEIVED];
            int length = 0;
            while (length != CLOSED) {
                length = session.receive(buffer, 0, buffer.length, 0);
                if (length > 0) {
                    data.add(Arrays.copyOf(buffer, length));
                }
            }
            closedByServer.complete(null);
        }
    }

    /** All that DTLS sends behind its first flight waits for {@link #releaseDtls}. */
    public Peer holdingItsFinished() {
        heldFrom = 1;
        return this;
    }

    /** Sends what was held back. */
    public synchronized void releaseDtls() {
        heldFrom = Integer.MAX_VALUE;
        held.forEach(wire);
        held.clear();
    }

    /** Whether it has offered audio. */
    public boolean hasAudio() {
        return audio;
    }

    /** DTLS datagrams that came in and were not looked at yet. */
    public int dtlsWaiting() {
        return dtlsIn.size();
    }

    /** Throws away DTLS datagrams that came in and were not looked at yet. */
    public void forgetDtls() {
        dtlsIn.clear();
    }

    /** Application data that came in through DTLS. */
    public BlockingQueue<byte[]> data() {
        return data;
    }

    /** Its side of the handshake. */
    public DtlsRole role() {
        return role;
    }

    /** Sends application data through DTLS. */
    public void sendData(byte... bytes) {
        assertSent(connected().session().send(bytes, 0, bytes.length));
    }

    private static void assertSent(boolean sent) {
        if (!sent) {
            throw new AssertionError("DTLS is closed");
        }
    }

    public boolean dtlsDone() {
        return outcome.isDone();
    }

    public DtlsOutcome dtlsOutcome() {
        return outcome.join();
    }

    public CompletableFuture<Void> closedByServer() {
        return closedByServer;
    }

    /** Sends close_notify. */
    public void closeDtls() {
        if (outcome.join() instanceof DtlsOutcome.Connected(DtlsSession session, var _, var _)) {
            session.close();
        }
    }

    /** Ends DTLS by a fatal alert. */
    public void breakDtls() {
        dtlsIn.add(new byte[0]);
    }

    private DtlsOutcome.Connected connected() {
        if (outcome.join() instanceof DtlsOutcome.Connected connected) {
            return connected;
        }
        throw new AssertionError("no keys: " + outcome.join());
    }

    private SrtpSender sender() {
        SrtpSender made = sender;
        if (made == null) {
            made = connected().sender();
            sender = made;
        }
        return made;
    }

    private SrtpReceiver receiver() {
        SrtpReceiver made = receiver;
        if (made == null) {
            made = connected().receiver();
            receiver = made;
        }
        return made;
    }

    /** Sends one Opus packet. */
    public void sendOpus(int sequence, int timestamp, byte... opus) {
        wire.accept(protect(SSRC, sequence, timestamp, OPUS, -1, opus));
    }

    public void sendOpusFrom(int ssrc, int sequence, int timestamp, byte... opus) {
        wire.accept(protect(ssrc, sequence, timestamp, OPUS, -1, opus));
    }

    /** Sends one payload of any type. */
    public void send(int payloadType, int sequence, int timestamp, byte... payload) {
        wire.accept(protect(SSRC, sequence, timestamp, payloadType, -1, payload));
    }

    /** Sends one Opus packet with the RFC 6464 byte in front. */
    public void sendOpusWithLevel(int sequence, int timestamp, int level, byte... opus) {
        wire.accept(protect(SSRC, sequence, timestamp, OPUS, level, opus));
    }

    /** An SRTP packet as it goes onto the wire. */
    public byte[] protect(
            int ssrc, int sequence, int timestamp, int payloadType, int level, byte... opus) {
        ByteBuffer packet = ByteBuffer.allocate(1500);
        RtpWriter.writeHeader(packet, 0, false, payloadType, sequence, timestamp, ssrc);
        int at = RtpWriter.HEADER_LENGTH;
        if (level >= 0) {
            packet.put(0, (byte) (packet.get(0) | 0x10));
            packet.putInt(at, 0xBEDE_0001);
            packet.putInt(at + 4, AUDIO_LEVEL_ID << 28 | level << 16);
            at += 8;
        }
        packet.put(at, opus);
        int length = sender().protectRtp(packet, 0, at + opus.length);
        return Arrays.copyOf(packet.array(), length);
    }

    /** Sends a receiver report about the transceiver's stream, or a goodbye. */
    public void sendRtcp(Consumer<RtcpWriter> what) {
        ByteBuffer packet = ByteBuffer.allocate(1500);
        RtcpWriter writer = new RtcpWriter().begin(packet, 0);
        what.accept(writer);
        int length = sender().protectRtcp(packet, 0, writer.length());
        wire.accept(Arrays.copyOf(packet.array(), length));
    }

    /** Takes a datagram from the network; false when it is media that is not for this client. */
    public boolean receive(byte[] datagram, long nowNanos) {
        ByteBuffer bytes = ByteBuffer.wrap(datagram);
        return switch (PacketKind.classify(bytes, 0, datagram.length)) {
            case STUN -> {
                if (stun.wrap(bytes, 0, datagram.length)) {
                    var _ = ice().handle(stun, nowNanos);
                    answerCheck();
                    takeDtls();
                }
                yield true;
            }
            case DTLS -> !plainDtls || takeDtls(datagram);
            case RTP ->
                    dtlsStarted && (isTooEarly() || receiveRtp(bytes, datagram.length, nowNanos));
            case RTCP -> dtlsStarted && (isTooEarly() || receiveRtcp(bytes, datagram.length));
            case CLIENT_HEADER, UNKNOWN -> throw new AssertionError("not for a client");
        };
    }

    private void takeDtls() {
        byte[] carried = inStun == null ? null : inStun.read(stun);
        if (carried != null) {
            dtlsIn.add(carried);
        }
    }

    private boolean takeDtls(byte[] datagram) {
        if (inStun != null) {
            inStun.received(datagram);
        }
        return dtlsIn.add(datagram);
    }

    private void answerCheck() {
        ByteBuffer out = ByteBuffer.allocate(1500);
        int length = ice().answer(stun, 0, 0, 0, out, 0);
        if (length > 0) {
            wire.accept(Arrays.copyOf(out.array(), length));
        }
    }

    // What comes by itself does not wait for DTLS, whose end only the next answer may bring.
    private boolean isTooEarly() {
        return !plainDtls && !outcome.isDone();
    }

    private boolean receiveRtp(ByteBuffer bytes, int length, long nowNanos) {
        if (losing) {
            losing = false;
            return true;
        }
        int plain = receiver().unprotectRtp(bytes, 0, length);
        if (plain < 0 || !rtp.wrap(bytes, 0, plain)) {
            return false;
        }
        byte[] payload = new byte[rtp.payloadLength()];
        bytes.get(rtp.payloadOffset(), payload);
        return received.add(
                new Received(
                        nowNanos,
                        rtp.sequenceNumber(),
                        rtp.timestamp(),
                        rtp.marker(),
                        rtp.ssrc(),
                        payload));
    }

    private boolean receiveRtcp(ByteBuffer bytes, int length) {
        int plain = receiver().unprotectRtcp(bytes, 0, length);
        if (plain < 0) {
            return false;
        }
        byte[] compound = new byte[plain];
        bytes.get(0, compound);
        return rtcpReceived.add(compound);
    }

    /** RTP packets so far, silence included. */
    public List<Received> received() {
        return received;
    }

    /** RTP packets that are not silence. */
    public List<Received> speech() {
        return received.stream().filter(p -> !isSilence(p.payload())).toList();
    }

    public static boolean isSilence(byte[] opus) {
        return Arrays.equals(opus, new byte[] {(byte) 0xF8, (byte) 0xFF, (byte) 0xFE});
    }

    /** The next RTP packet to it is lost. */
    public void loseNext() {
        losing = true;
    }

    /** Compound RTCP packets so far, decrypted. */
    public List<byte[]> rtcpReceived() {
        return rtcpReceived;
    }

    @Override
    public int receive(byte[] buffer, int offset, int length, int waitMillis) {
        try {
            byte[] datagram =
                    dtlsIn.poll(waitMillis == 0 ? 30_000 : waitMillis, TimeUnit.MILLISECONDS);
            if (datagram == null) {
                return waitMillis == 0 ? CLOSED : TIMED_OUT;
            }
            if (datagram.length == 0) {
                throw new IllegalStateException("broken on purpose");
            }
            System.arraycopy(datagram, 0, buffer, offset, datagram.length);
            return datagram.length;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CLOSED;
        }
    }

    @Override
    public synchronized void send(byte[] bytes, int offset, int length) {
        byte[] datagram = Arrays.copyOfRange(bytes, offset, offset + length);
        if (inStun != null) {
            inStun.sent(datagram);
        }
        if (!plainDtls) {
            return;
        }
        if (dtlsSent++ < heldFrom) {
            wire.accept(datagram);
        } else {
            held.add(datagram);
        }
    }
}
