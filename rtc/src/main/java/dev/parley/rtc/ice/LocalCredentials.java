package dev.parley.rtc.ice;

import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The credentials of one session, ours and with each of ours the client's: those in force and,
 * around an ICE restart, those before. Owned by an {@link IceLite}.
 *
 * <p>RFC 8445 9: until a pair of the new generation is nominated the old ones stay in use. So the
 * old credentials live until the client has used the new ones: {@link #NOMINATED_GRACE_NANOS} after
 * their first nomination, {@link #OVERLAP_NANOS} after their first check at the latest. An answer
 * that was lost on its way ends nothing: a client that never uses the new credentials goes on with
 * the old, and may ask for a restart again.
 */
final class LocalCredentials {
    static final long OVERLAP_NANOS = 30_000_000_000L;

    /** Checks that were under way, and their retransmissions. */
    static final long NOMINATED_GRACE_NANOS = 5_000_000_000L;

    private Generation current;
    private @Nullable Generation previous;
    private boolean used;
    private boolean nominated;
    private long previousEndNanos;

    /** One ufrag of ours with the key that its password makes, and the client's to go with it. */
    static final class Generation {
        private final byte[] ufrag;
        private final IceCredentials remote;
        private @Nullable StunIntegrity remoteIntegrity;
        final StunIntegrity integrity;

        Generation(IceCredentials local, IceCredentials remote) {
            this.ufrag = local.ufrag().getBytes(StandardCharsets.US_ASCII);
            this.integrity = StunIntegrity.shortTerm(local.password());
            this.remote = remote;
        }

        /** USERNAME of our own checks, RFC 8445 7.2.2. */
        String checkUsername() {
            return remote.ufrag() + ":" + new String(ufrag, StandardCharsets.US_ASCII);
        }

        /** Signs our own checks and their answers; most sessions make none. */
        StunIntegrity remoteIntegrity() {
            StunIntegrity made = remoteIntegrity;
            if (made == null) {
                made = StunIntegrity.shortTerm(remote.password());
                remoteIntegrity = made;
            }
            return made;
        }

        private boolean isMeantBy(StunReader message) {
            if (message.receiverUfragLength() != ufrag.length) {
                return false;
            }
            for (int i = 0; i < ufrag.length; i++) {
                if (message.buffer().get(message.usernameOffset() + i) != ufrag[i]) {
                    return false;
                }
            }
            return true;
        }
    }

    LocalCredentials(IceCredentials first, IceCredentials remote) {
        current = new Generation(first, remote);
    }

    /** New credentials; of those before, the ones that the client uses stay. */
    void restart(IceCredentials next, IceCredentials remote) {
        if (previous == null || used) {
            previous = current;
        }
        current = new Generation(next, remote);
        used = false;
        nominated = false;
    }

    /** The generation whose ufrag stands in front of the colon, RFC 8445 7.3; null for neither. */
    @Nullable Generation find(StunReader message, long nowNanos) {
        if (current.isMeantBy(message)) {
            return current;
        }
        Generation old = previous;
        if (old != null && used && previousEndNanos - nowNanos <= 0) {
            previous = null;
            return null;
        }
        return old != null && old.isMeantBy(message) ? old : null;
    }

    /** Notes an authenticated check. */
    void checked(Generation with, boolean nominates, long nowNanos) {
        if (with != current) {
            return;
        }
        if (!used) {
            used = true;
            previousEndNanos = nowNanos + OVERLAP_NANOS;
        }
        if (nominates && !nominated) {
            nominated = true;
            previousEndNanos = nowNanos + NOMINATED_GRACE_NANOS;
        }
    }

    /** Whether checks of this generation may move media: not those that a nomination overtook. */
    boolean mayMove(Generation with) {
        return with == current || !nominated;
    }
}
