package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DtlsSession;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.sdp.SdpDirection;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What other threads ask of a media loop. */
sealed interface LoopCommand {
    /** Take a session in; done when packets for it are understood. */
    record Add(Session session, CompletableFuture<Void> done) implements LoopCommand {}

    /** Send a datagram of the session's DTLS. */
    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    record DtlsSend(Session session, byte[] datagram) implements LoopCommand {}

    /** Inference has something for a session's client. */
    record Nudge(Session session) implements LoopCommand {}

    /** Our media may go out, though the handshake is not done. */
    record DtlsKeyed(Session session, SrtpContexts media) implements LoopCommand {}

    /** The handshake is done; media is null when it keys none. */
    record DtlsConnected(Session session, DtlsSession open, @Nullable SrtpContexts media)
            implements LoopCommand {}

    /** Restart a session's ICE; answers false when it is over. */
    record Restart(
            Session session,
            IceCredentials fresh,
            IceCredentials remote,
            CompletableFuture<Boolean> done)
            implements LoopCommand {}

    /** A session's audio flows this way from now on. */
    record Direct(Session session, SdpDirection direction) implements LoopCommand {}

    /** Open route tokens with these keys. */
    record UseKeys(RouteKeys keys) implements LoopCommand {}

    /** End a session, if it has not ended yet. */
    record End(Session session, EndReason reason, String message) implements LoopCommand {}

    /** End all sessions. */
    record EndAll(EndReason reason, String message, CompletableFuture<Void> done)
            implements LoopCommand {}

    /** Tell about a session. */
    record Describe(Session session, CompletableFuture<SessionSnapshot> answer)
            implements LoopCommand {}
}
