package dev.parley.transceiver.peer;

import dev.parley.rtc.ice.DtlsInStun;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.stun.StunFingerprint;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's DTLS in its checks, draft-hancke-webrtc-sped: each has what was sent last and was not
 * acknowledged, and acknowledges what has come.
 */
final class PeerDtlsInStun {
    private final List<byte[]> pending = new ArrayList<>();
    private final List<Integer> acks = new ArrayList<>();
    private boolean heard;
    private int carried;
    private int attributes;
    private long transaction;

    synchronized void sent(byte[] datagram) {
        if (heard) {
            pending.clear();
            heard = false;
        }
        pending.add(datagram);
    }

    synchronized void received(byte[] datagram) {
        heard = true;
        if (!acks.contains(crc(datagram))) {
            acks.add(crc(datagram));
        }
    }

    private static int crc(byte[] datagram) {
        return StunFingerprint.crc32(ByteBuffer.wrap(datagram), 0, datagram.length);
    }

    /** A check of a new transaction, which nominates. */
    synchronized byte[] check(IceCredentials local, IceCredentials remote) {
        ByteBuffer out = ByteBuffer.allocate(1500);
        int[] last =
                acks.subList(Math.max(0, acks.size() - 4), acks.size()).stream()
                        .mapToInt(Integer::intValue)
                        .toArray();
        StunWriter writer =
                new StunWriter()
                        .bindingRequest(out, 0, 77, transaction++)
                        .username(remote.ufrag() + ":" + local.ufrag())
                        .iceControlling(5)
                        .priority(1)
                        .useCandidate()
                        .dtlsAck(last, last.length);
        if (!pending.isEmpty()) {
            writer.dtls(pending.get((int) (transaction % pending.size())));
        }
        int length =
                writer.integrity(StunIntegrity.shortTerm(remote.password())).fingerprint().length();
        return Arrays.copyOf(out.array(), length);
    }

    /** Takes an answer; the DTLS in it, if any. */
    synchronized byte @Nullable [] read(StunReader answer) {
        attributes += answer.hasDtls() || answer.hasDtlsAck() ? 1 : 0;
        for (int i = 0; i < answer.dtlsAckCount(); i++) {
            int acked = answer.dtlsAck(i);
            pending.removeIf(packet -> crc(packet) == acked);
        }
        if (!DtlsInStun.isIn(answer)) {
            return null;
        }
        carried++;
        byte[] datagram = new byte[answer.dtlsLength()];
        answer.buffer().get(answer.dtlsOffset(), datagram);
        received(datagram);
        return datagram;
    }

    /** DTLS datagrams that answers have brought. */
    synchronized int carried() {
        return carried;
    }

    /** Answers with any of the attributes. */
    synchronized int attributes() {
        return attributes;
    }

    /** Whether all that it has sent was acknowledged. */
    synchronized boolean isThrough() {
        return pending.isEmpty();
    }
}
