package dev.parley.transceiver.session;

import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.route.PacketKind;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * One caller of a {@link CallSimulation}: a client that moves about, and what must be true of its
 * call by what has come through so far. Driven by the simulation's thread; its DTLS leaves
 * datagrams from a thread of its own.
 */
final class SimulatedCaller {
    private static final long MILLI = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final long PACKET_NANOS = 20 * MILLI;

    /** RFC 7675 5.1: five seconds, spread by 0.8 to 1.2, after one that is sent again at first. */
    private static final long CHECK_INTERVAL_NANOS = 6 * SECOND + 500 * MILLI;

    /** Fifty packets that may be lost, overtaken or late by chance. */
    private static final long SLACK_NANOS = SECOND;

    /** How far apart consent may end from what the last check says: steps and overtaken checks. */
    private static final long CONSENT_SLACK_NANOS = SECOND;

    final int number;
    final CallPlan.Caller plan;
    final Peer peer;
    Address address;
    Session session;
    CreateSessionResponse call;
    FakeVoiceAgent.Call agent;
    byte[] lastCheck = new byte[0];
    byte[] lastMedia = new byte[0];

    private final Queue<byte[]> outgoing = new ConcurrentLinkedQueue<>();
    private final Set<ByteBuffer> checksSent = new HashSet<>();
    private final Set<ByteBuffer> checksReached = new HashSet<>();
    private boolean dtlsStarted;
    private boolean speaking;
    // It wraps after half a minute. Were nothing heard before, RFC 3711 3.3.1 would not tell.
    private int sequence = 64_000;
    private long nextSpeechNanos;
    private boolean checked;
    private long checkedNanos;
    private boolean moved;
    private long movedNanos;
    private long quietUntilNanos;
    private long heardNanos;
    private long uplinkNanos;
    private long uplinkPackets;
    private boolean gone;

    @SuppressWarnings("NullAway.Init") // The simulation makes the call at once.
    SimulatedCaller(int number, CallPlan.Caller plan, long seed, Address address) {
        this.number = number;
        this.plan = plan;
        this.address = address;
        this.peer = new Peer(plan.setup(), seed, outgoing::add).withResend(50);
    }

    /** Does what is due, and hands over what it sends. */
    void run(long nowNanos, Consumer<byte[]> wire) {
        if (call == null) {
            return;
        }
        if (peer.ice().deadlineNanos(nowNanos) - nowNanos <= 0) {
            peer.check(nowNanos);
        }
        if (!dtlsStarted && (plan.helloFirst() || isChecked())) {
            dtlsStarted = true;
            peer.startDtls();
        }
        if (speaking && nextSpeechNanos - nowNanos <= 0) {
            nextSpeechNanos += PACKET_NANOS;
            sequence++;
            peer.sendOpus(sequence & 0xFFFF, sequence * 960, speech(sequence));
        }
        for (byte[] next = outgoing.poll(); next != null; next = outgoing.poll()) {
            if (kind(next) == PacketKind.STUN && isRequest(next)) {
                checksSent.add(ByteBuffer.wrap(next));
            }
            wire.accept(next);
        }
    }

    boolean isChecked() {
        return peer.ice().state() == IceControlling.State.CONNECTED;
    }

    static PacketKind kind(byte[] datagram) {
        return PacketKind.classify(ByteBuffer.wrap(datagram), 0, datagram.length);
    }

    /** RFC 8489 5: the class of a STUN message is in two bits of its type. */
    static boolean isRequest(byte[] stun) {
        return ((stun[0] & 1) | (stun[1] & 0x10)) == 0;
    }

    /** Opus that tells whose it is. */
    byte[] speech(int index) {
        return new byte[] {(byte) 0xF8, (byte) (0x40 + number), (byte) (index >> 8), (byte) index};
    }

    boolean isOwn(byte[] speech) {
        return speech.length != 4 || speech[1] == (byte) (0x40 + number);
    }

    void speak(long nowNanos) {
        speaking = true;
        nextSpeechNanos = nowNanos;
        quietUntilNanos = nowNanos;
        heardNanos = nowNanos;
        uplinkNanos = nowNanos;
    }

    void fallSilent() {
        speaking = false;
    }

    /**
     * A datagram of it reaches the loop; answers whether it is a check, as it was sent, and for the
     * first time: one that is sent again does nothing more.
     */
    boolean reached(byte[] datagram, Address from, long nowNanos) {
        PacketKind kind = kind(datagram);
        if (kind == PacketKind.RTP) {
            lastMedia = datagram;
        }
        ByteBuffer bytes = ByteBuffer.wrap(datagram);
        if (!isCheck(datagram) || !checksReached.add(bytes)) {
            return false;
        }
        lastCheck = datagram;
        checked = true;
        checkedNanos = nowNanos;
        if (moved && from.equals(address)) {
            moved = false;
            quietUntilNanos = nowNanos;
        }
        return true;
    }

    /** Whether it has sent this as a check. */
    boolean isCheck(byte[] datagram) {
        return checksSent.contains(ByteBuffer.wrap(datagram));
    }

    /** Takes a datagram, its own or somebody else's. */
    void receive(byte[] datagram, long nowNanos) {
        PacketKind kind = kind(datagram);
        boolean media = kind == PacketKind.RTP || kind == PacketKind.RTCP;
        if (kind == PacketKind.UNKNOWN
                || kind == PacketKind.CLIENT_HEADER
                || (media && !peer.dtlsDone())) {
            return;
        }
        int before = peer.received().size();
        var _ = peer.receive(datagram, nowNanos);
        if (peer.received().size() > before) {
            heardNanos = nowNanos;
        }
    }

    /** It is somewhere else from now on. */
    void move(Address to, long nowNanos) {
        address = to;
        moved = true;
        movedNanos = nowNanos;
    }

    /** What was sent until now may have been lost, whatever the weather will be. */
    void weatherChanges(long nowNanos) {
        movedNanos = nowNanos;
    }

    /** Nothing can have come through until now. */
    void excuse(long nowNanos) {
        quietUntilNanos = nowNanos;
        weatherChanges(nowNanos);
    }

    /** Whether it is where no check has come from yet. */
    boolean hasMoved() {
        return moved;
    }

    boolean isGone() {
        return gone;
    }

    /** Whether the client has heard no answer for so long that it has given up. */
    boolean hasGivenUp() {
        return peer.ice().state() == IceControlling.State.FAILED;
    }

    /** What is wrong with the call now, or an empty text. */
    String fault(boolean lives, CallNetwork network, long nowNanos) {
        if (!checked) {
            return "";
        }
        long consentAge = nowNanos - checkedNanos;
        long consent = CallSimulation.LIMITS.consentNanos();
        if (gone || !lives) {
            boolean early = !gone && consentAge < consent - CONSENT_SLACK_NANOS;
            gone = true;
            return early ? "ended " + consentAge / MILLI + " ms after a check" : "";
        }
        if (consentAge > consent + CONSENT_SLACK_NANOS) {
            return "outlived its consent";
        }
        if (!speaking || network.isCut() || hasGivenUp()) {
            return "";
        }
        long wait = SLACK_NANOS + 2 * network.weather().latestNanos();
        if (moved) {
            boolean late =
                    network.weather().isLossless()
                            && nowNanos - movedNanos > CHECK_INTERVAL_NANOS + wait;
            return late ? "made no check from its new address" : "";
        }
        return silence(wait, nowNanos);
    }

    private String silence(long wait, long nowNanos) {
        long packets = session.snapshot(nowNanos).received();
        if (packets != uplinkPackets) {
            uplinkPackets = packets;
            uplinkNanos = nowNanos;
        }
        if (nowNanos - quietUntilNanos <= wait) {
            return "";
        }
        if (nowNanos - heardNanos > wait) {
            return "heard nothing for " + (nowNanos - heardNanos) / MILLI + " ms";
        }
        return nowNanos - uplinkNanos > wait
                ? "was not heard for " + (nowNanos - uplinkNanos) / MILLI + " ms"
                : "";
    }

    /** What its agent or itself has heard of somebody else, or an empty text. */
    String crossTalk() {
        boolean agentHeard =
                agent.received().stream()
                        .filter(ConverseRequest::hasInputAudio)
                        .anyMatch(m -> !isOwn(m.getInputAudio().getAudio().toByteArray()));
        boolean callerHeard = peer.speech().stream().anyMatch(p -> !isOwn(p.payload()));
        return agentHeard || callerHeard ? "somebody else is heard" : "";
    }
}
