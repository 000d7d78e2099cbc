package dev.parley.rtc.ice;

import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.stun.StunFingerprint;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * DTLS in the checks of one session and in their answers, draft-hancke-webrtc-sped: which datagrams
 * of ours the client has not acknowledged yet, and which of the client's we acknowledge. What is
 * sent in an answer was sent by itself before, so nothing waits for a check; checks come more often
 * than DTLS repeats itself. Owned by the session, which tells it what DTLS sends and receives, and
 * worked by the session's {@link IceLite}, which shows it nothing that is not authenticated.
 *
 * <p>Departures: the draft lets a lite agent, too, carry DTLS as soon as SDP has agreed on it. Here
 * an answer has the attributes only when its check has at least one of them: a client that does not
 * do what its offer says, or has done it, costs and is sent nothing. Answers to our own checks are
 * not read: the handshake is over by then, or has its own repetitions.
 */
public final class DtlsInStun {
    /** More than any flight here has. */
    static final int MAX_PENDING = 4;

    /** What the draft recommends. */
    static final int MAX_ACKS = 4;

    private static final int ATTRIBUTE_HEADER = 4;

    // RFC 5246 A.1
    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int HANDSHAKE = 22;

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Packet(byte[] bytes, int crc) {}

    private final List<Packet> pending = new ArrayList<>(MAX_PENDING);
    private int next;
    private boolean flightEnded;
    private boolean done;

    private final int[] acks = new int[MAX_ACKS];
    private int ackCount;
    private boolean isNew;

    /** DTLS has sent a datagram of the handshake by itself; it is kept. */
    public void sent(byte[] datagram) {
        int crc = StunFingerprint.crc32(ByteBuffer.wrap(datagram), 0, datagram.length);
        if (indexOf(crc) >= 0) {
            return;
        }
        // A flight answers one of the peer's: with the first datagram behind that a new one begins.
        if (flightEnded) {
            flightEnded = false;
            pending.clear();
        }
        if (pending.size() == MAX_PENDING) {
            pending.removeFirst();
        }
        pending.add(new Packet(datagram, crc));
    }

    /** Where a pending datagram is, negative when it is not. */
    private int indexOf(int crc) {
        int index = pending.size() - 1;
        while (index >= 0 && pending.get(index).crc != crc) {
            index--;
        }
        return index;
    }

    /**
     * A datagram has come by itself, and DTLS has taken it. What is not of a handshake, maybe of
     * another session's at the same address, is not acknowledged and ends no flight of ours.
     */
    public void received(ByteBuffer bytes, int offset, int length) {
        int type = bytes.get(offset);
        if (type == HANDSHAKE || type == CHANGE_CIPHER_SPEC) {
            var _ = note(bytes, offset, length);
        }
    }

    /** Answers whether it has not come before. */
    private boolean note(ByteBuffer bytes, int offset, int length) {
        flightEnded = true;
        int crc = StunFingerprint.crc32(bytes, offset, length);
        for (int i = 0; i < ackCount; i++) {
            if (acks[i] == crc) {
                return false;
            }
        }
        if (ackCount == MAX_ACKS) {
            System.arraycopy(acks, 1, acks, 0, --ackCount);
        }
        acks[ackCount++] = crc;
        return true;
    }

    /** Whether the datagram in the check that was read last has not come before. */
    public boolean isNew() {
        return isNew;
    }

    /**
     * The handshake is done.
     *
     * @param last whether the last flight was ours, which stays until it is acknowledged; otherwise
     *     all that we have sent was received
     */
    public void handshakeDone(boolean last) {
        done = true;
        if (!last) {
            pending.clear();
        }
    }

    /** Whether a check has a DTLS datagram, RFC 9443 3, that is to be handed to DTLS. */
    public static boolean isIn(StunReader check) {
        return check.hasDtls()
                && PacketKind.classify(check.buffer(), check.dtlsOffset(), check.dtlsLength())
                        == PacketKind.DTLS;
    }

    /** Takes what a check acknowledges, and acknowledges what is in it. */
    void read(StunReader check) {
        for (int i = 0; i < check.dtlsAckCount(); i++) {
            int acknowledged = indexOf(check.dtlsAck(i));
            if (acknowledged >= 0) {
                pending.remove(acknowledged);
            }
        }
        isNew = isIn(check) && note(check.buffer(), check.dtlsOffset(), check.dtlsLength());
        if (done && !asks(check)) {
            // The client is through with it.
            pending.clear();
        }
    }

    private static boolean asks(StunReader check) {
        return check.hasDtls() || check.hasDtlsAck();
    }

    /**
     * Writes what has come, if the check asks, even if that is nothing: it tells the client that we
     * know of this.
     *
     * @param limit bytes that the answer may have behind it
     */
    void acknowledge(StunReader check, StunWriter answer, int limit) {
        if (asks(check) && answer.length() + ATTRIBUTE_HEADER + 4 * ackCount <= limit) {
            answer.dtlsAck(acks, ackCount);
        }
    }

    /** Writes a pending datagram that fits, a different one each time; answers whether it did. */
    boolean carry(StunReader check, StunWriter answer, int limit) {
        if (!asks(check)) {
            return false;
        }
        int room = limit - answer.length() - ATTRIBUTE_HEADER;
        for (int i = 0; i < pending.size(); i++) {
            next = (next + 1) % pending.size();
            Packet packet = pending.get(next);
            if (((packet.bytes.length + 3) & ~3) <= room) {
                answer.dtls(packet.bytes);
                return true;
            }
        }
        return false;
    }
}
