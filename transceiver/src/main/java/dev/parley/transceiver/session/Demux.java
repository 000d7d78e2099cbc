package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IcePath;
import dev.parley.rtc.ice.IceVerdict;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteToken;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.route.RouteVerdict;
import dev.parley.rtc.srtp.SrtpVerdict;
import dev.parley.rtc.stun.StunReader;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.udp.DatagramBatch;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what a datagram is and whose, and hands it to its session. Owned by one media loop. Bad
 * input is counted and dropped, never answered; a datagram in order of a known session costs no
 * allocation here.
 */
final class Demux {
    private static final int ALERT = 21;
    private static final int APPLICATION_DATA = 23;

    private final List<Cidr> relays;
    private final SessionTable table;
    private final LoopCounters counters;
    private RouteTokens routes;
    private final EarlyDatagrams earlyHellos = new EarlyDatagrams();
    private final EarlyDatagrams earlyMedia = new EarlyDatagrams();
    private final ClientHeader header = new ClientHeader();
    private final StunReader stun = new StunReader();
    private final RouteToken route = new RouteToken();
    private final IcePath from = new IcePath();
    private @Nullable Session touched;

    Demux(LoopSettings settings, SessionTable table, LoopCounters counters) {
        this.relays = settings.relays();
        this.table = table;
        this.counters = counters;
        this.routes = new RouteTokens(settings.routeKeys());
    }

    /** Opens route tokens with these keys from now on. */
    void useKeys(RouteKeys keys) {
        routes = new RouteTokens(keys);
    }

    /** The session that the last {@link #handle} has reached, or null. */
    @Nullable Session touched() {
        return touched;
    }

    /** Handles one received datagram. */
    void handle(DatagramBatch batch, int i, long nowNanos) {
        touched = null;
        ByteBuffer bytes = batch.bytes();
        int offset = batch.start(i);
        int length = batch.length(i);
        PacketKind kind = PacketKind.classify(bytes, offset, length);
        if (kind != PacketKind.CLIENT_HEADER) {
            from.client(batch.addressHigh(i), batch.addressLow(i), batch.port(i))
                    .proxy(0, 0, 0)
                    .relay(0, 0, 0);
            handle(kind, bytes, offset, length, nowNanos);
        } else if (!isRelay(batch.addressHigh(i), batch.addressLow(i))) {
            drop(Drop.FOREIGN_HEADER);
        } else if (header.wrap(bytes, offset, length)) {
            from.client(header.clientHigh(), header.clientLow(), header.clientPort())
                    .proxy(header.proxyHigh(), header.proxyLow(), header.proxyPort())
                    .relay(batch.addressHigh(i), batch.addressLow(i), batch.port(i));
            int payloadAt = header.payloadOffset();
            int payloadLength = header.payloadLength();
            handle(
                    PacketKind.classify(bytes, payloadAt, payloadLength),
                    bytes,
                    payloadAt,
                    payloadLength,
                    nowNanos);
        }
    }

    private boolean isRelay(long high, long low) {
        for (int i = 0; i < relays.size(); i++) {
            if (relays.get(i).contains(high, low)) {
                return true;
            }
        }
        return false;
    }

    private void handle(PacketKind kind, ByteBuffer bytes, int offset, int length, long nowNanos) {
        switch (kind) {
            case STUN -> handleStun(bytes, offset, length, nowNanos);
            case DTLS -> handleDtls(bytes, offset, length, nowNanos);
            case RTP, RTCP -> handleMedia(kind, bytes, offset, length, nowNanos);
            case CLIENT_HEADER -> drop(Drop.NESTED_HEADER);
            case UNKNOWN -> drop(Drop.UNKNOWN_KIND);
        }
    }

    private void handleStun(ByteBuffer bytes, int offset, int length, long nowNanos) {
        if (!stun.wrap(bytes, offset, length)) {
            drop(Drop.STUN_MALFORMED);
            return;
        }
        if (stun.isBindingSuccess()) {
            handleAnswer(nowNanos);
            return;
        }
        // The ufrag wins over the address: an ICE restart or a second call may share the address.
        int ufragLength = stun.isBindingRequest() ? stun.receiverUfragLength() : StunReader.ABSENT;
        if (ufragLength == StunReader.ABSENT) {
            drop(Drop.STUN_NOT_A_CHECK);
            return;
        }
        RouteVerdict opened = routes.open(bytes, stun.usernameOffset(), ufragLength, route);
        counters.routes.increment(opened);
        if (opened != RouteVerdict.OPENED) {
            return;
        }
        Session session = table.find(route.sessionIdHigh(), route.sessionIdLow());
        if (session == null) {
            drop(Drop.STUN_UNKNOWN_SESSION);
            return;
        }
        touched = session;
        IceVerdict verdict = session.receiveStun(stun, from, nowNanos);
        counters.checks.increment(verdict);
        if (verdict == IceVerdict.ANSWERED || verdict == IceVerdict.SELECTED) {
            if (table.checked(session, from, nowNanos)) {
                drop(Drop.ADDRESS_CROWDED);
            }
            // Its first path, or one that it tries as well while it shakes hands.
            if (session.ice().hasArrived() && session.state() == Session.State.CONNECTING) {
                earlyHellos.release(
                        from,
                        nowNanos,
                        (kept, at, size) -> receiveDtls(session, kept, at, size, nowNanos));
            }
        }
    }

    /** The answer to a check of ours, which names the session by the transaction alone. */
    private void handleAnswer(long nowNanos) {
        int position = table.firstPeer(from);
        if (position < 0) {
            drop(Drop.STUN_NOT_A_CHECK);
            return;
        }
        IceVerdict verdict = IceVerdict.PROVES_NOTHING;
        while (position >= 0 && verdict == IceVerdict.PROVES_NOTHING) {
            touched = table.peer(position);
            verdict = table.peer(position).receiveStun(stun, from, nowNanos);
            position = table.nextPeer(position);
        }
        counters.checks.increment(verdict);
    }

    private void handleDtls(ByteBuffer bytes, int offset, int length, long nowNanos) {
        int position = table.firstPeer(from);
        if (position < 0) {
            // Its check may come yet; it is dropped when it has waited in vain.
            if (earlyHellos.keep(from, bytes, offset, length, nowNanos)) {
                drop(Drop.UNKNOWN_PEER);
            }
            return;
        }
        // Of several sessions with one address the one that still shakes hands wants what belongs
        // to a handshake. The rest says by its keys whose it is: DTLS drops it for the others. What
        // none of those keys has made may have overtaken the end of a handshake.
        boolean isProtected = isProtectedDtls(bytes, offset);
        for (int other = position; !isProtected && other >= 0; other = table.nextPeer(other)) {
            if (table.peer(other).shakesHandsWith(from, nowNanos)) {
                receiveDtls(table.peer(other), bytes, offset, length, nowNanos);
                return;
            }
        }
        if (!offerDtls(true, bytes, offset, length, nowNanos)
                && !offerDtls(false, bytes, offset, length, nowNanos)) {
            drop(Drop.DTLS_REFUSED);
        }
    }

    /**
     * Offers a datagram to the sessions of its address that are connected, or to the others;
     * answers whether one has taken it. A connected one vouches for it, and no other is asked.
     */
    private boolean offerDtls(
            boolean connected, ByteBuffer bytes, int offset, int length, long nowNanos) {
        Session taker = null;
        for (int position = table.firstPeer(from);
                position >= 0 && !(connected && taker != null);
                position = table.nextPeer(position)) {
            Session session = table.peer(position);
            touched = session;
            if ((session.state() == Session.State.CONNECTED) == connected
                    && session.receiveDtls(from, bytes, offset, length, nowNanos)) {
                taker = session;
            }
        }
        touched = taker;
        return taker != null;
    }

    /** Whether it is data or an alert under the keys that a handshake has made. */
    private static boolean isProtectedDtls(ByteBuffer bytes, int offset) {
        // RFC 6347 4.1: content type, version (2), epoch (2), sequence number (6), length (2);
        // epoch 0 is in the clear.
        int type = bytes.get(offset);
        return (type == APPLICATION_DATA || type == ALERT) && bytes.getShort(offset + 3) != 0;
    }

    private void receiveDtls(
            Session session, ByteBuffer bytes, int offset, int length, long nowNanos) {
        touched = session;
        if (!session.receiveDtls(from, bytes, offset, length, nowNanos)) {
            drop(Drop.DTLS_REFUSED);
        }
    }

    private void handleMedia(
            PacketKind kind, ByteBuffer bytes, int offset, int length, long nowNanos) {
        int position = table.firstPeer(from);
        if (position < 0) {
            drop(Drop.UNKNOWN_PEER);
            return;
        }
        // Whatever one says who does not take it, it may be another's: some faults are seen before
        // the tag is looked at, and say nothing of whose keys it was made with.
        boolean tried = false;
        int result = SrtpVerdict.AUTHENTICATION_FAILED.code();
        while (position >= 0 && result < 0) {
            Session session = table.peer(position);
            if (session.hasMedia()) {
                touched = session;
                tried = true;
                result = receiveMedia(session, kind, bytes, offset, length, nowNanos);
            } else {
                var _ = earlyMedia.keep(from, bytes, offset, length, nowNanos);
            }
            position = table.nextPeer(position);
        }
        if (tried && result < 0) {
            counters.srtp.increment(SrtpVerdict.of(result));
        }
    }

    private int receiveMedia(
            Session session,
            PacketKind kind,
            ByteBuffer bytes,
            int offset,
            int length,
            long nowNanos) {
        return kind == PacketKind.RTP
                ? session.receiveRtp(from, bytes, offset, length, nowNanos)
                : session.receiveRtcp(from, bytes, offset, length, nowNanos);
    }

    /** Hands a session the media that has overtaken the end of its handshake. */
    void releaseMedia(Session session, long nowNanos) {
        IcePath path = session.ice().findSelected();
        if (path == null) {
            return;
        }
        earlyMedia.release(
                path,
                nowNanos,
                (bytes, offset, length) -> {
                    PacketKind kind = PacketKind.classify(bytes, offset, length);
                    if (kind == PacketKind.RTP) {
                        var _ = session.receiveRtp(path, bytes, offset, length, nowNanos);
                    } else if (kind == PacketKind.RTCP) {
                        var _ = session.receiveRtcp(path, bytes, offset, length, nowNanos);
                    }
                });
    }

    private void drop(Drop reason) {
        counters.drops.increment(reason);
    }
}
