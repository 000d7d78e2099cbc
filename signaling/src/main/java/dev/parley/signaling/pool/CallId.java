package dev.parley.signaling.pool;

import dev.parley.otel.trace.CallTrace;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.seal.Sha256;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * Which call, on which transceiver, whose. Sealed into a token by the CallIdSealer it is all that
 * any signaling instance needs to act on the call, so none keeps a table of calls.
 *
 * @param sessionId 16 bytes in hex, which is also the trace id of the call
 * @param control literal address of the control server that owns the session
 * @param cluster id of the cluster that the transceiver belongs to, 0 to 65535
 * @param ownerTag stands for {@link Caller#owner}; 0 for anyone's
 */
public record CallId(String sessionId, InetSocketAddress control, int cluster, long ownerTag) {
    /** Bytes of a session id. */
    public static final int SESSION_ID_BYTES = 16;

    public CallId {
        if (sessionId.length() != 2 * SESSION_ID_BYTES || control.isUnresolved()) {
            throw new IllegalArgumentException("not a session on a resolved address");
        }
    }

    /** A call of this cluster that is anyone's so far. */
    public static CallId of(byte[] sessionId, InetSocketAddress control) {
        return new CallId(HexFormat.of().formatHex(sessionId), control, 0, 0);
    }

    /** The same call in a cluster, owned by whoever started it. */
    public CallId startedIn(int cluster, Caller caller) {
        return new CallId(sessionId, control, cluster, tag(caller));
    }

    /** Whether this caller may describe and end the call. */
    public boolean belongsTo(Caller caller) {
        return ownerTag == 0 || ownerTag == tag(caller);
    }

    private static long tag(Caller caller) {
        return caller.owner().isEmpty() ? 0 : ByteBuffer.wrap(Sha256.of(caller.owner())).getLong();
    }

    /** The call as a trace. */
    public CallTrace trace() {
        return CallTrace.of(sessionIdBytes());
    }

    /** The session id as the control protocol has it. */
    public byte[] sessionIdBytes() {
        return HexFormat.of().parseHex(sessionId);
    }
}
