package dev.parley.app.load;

import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.ice.IceControlling;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import dev.parley.runtime.udp.IpAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One client's call from its answer to its end: ICE, DTLS, media. It knows neither thread nor clock
 * nor socket. Owned by its loop; its DTLS runs on a thread of its own and speaks through the loop.
 */
final class LoadCall implements CallDtls.Listener {
    private enum State {
        CHECKING,
        SHAKING_HANDS,
        TALKING,
        /** Nothing is sent any more; what is on its way may still come. */
        LEAVING,
        OVER
    }

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    /** How long a candidate has before the next one is tried. */
    private static final long CANDIDATE_NANOS = 2 * NANOS_PER_SECOND;

    private static final long SETUP_NANOS = 30 * NANOS_PER_SECOND;
    private static final long LEAVE_NANOS = NANOS_PER_SECOND;
    private static final long SHORTEST_NANOS = NANOS_PER_SECOND / 2;
    private static final int MTU = 1_500;

    /** Why calls are over that the generator itself could not make. */
    static final String NO_SOCKET = "generator_sockets";

    private final LoadHost host;
    private final LoadOptions options;
    private final SpeechFrames speech;
    private final PlacedCall placed;
    private final CallDtls dtls;
    private final StunReader stun = new StunReader();

    /** Where a call of the warm-up counts, so that nobody sees it. */
    private final @Nullable Tally aside;

    private State state = State.CHECKING;
    private IceControlling ice;
    private int candidate;
    private long checkedNanos;
    private long iceNanos;
    private long stunNanos;
    private @Nullable CallMedia media;
    private @Nullable CallData data;
    private long endNanos;
    private long rebindNanos;
    private long restartNanos;
    private boolean endedBadly;

    // The loop's own.
    private @Nullable CallSocket socket;
    private long localLow;
    private long remoteHigh;
    private long remoteLow;
    private long dueNanos;
    private boolean scheduled;

    LoadCall(
            LoadHost host,
            LoadOptions options,
            SpeechFrames speech,
            PlacedCall placed,
            long nowNanos) {
        this.host = host;
        this.options = options;
        this.speech = speech;
        this.placed = placed;
        this.aside = placed.warmUp() ? new Tally() : null;
        this.dtls = new CallDtls(placed.answer().role(), placed.answer().fingerprint(), this);
        this.ice = newIce(placed.local(), placed.answer().remote(), nowNanos);
        this.checkedNanos = nowNanos;
        aim();
        Tally.record(tally().post, placed.answeredNanos() - placed.dueNanos());
        if (placed.answer().role() == DtlsRole.SERVER) {
            dtls.start();
        }
    }

    private IceControlling newIce(IceCredentials local, IceCredentials remote, long nowNanos) {
        return new IceControlling(
                local, remote, IceControlling.Nomination.AGGRESSIVE, host.random(), nowNanos);
    }

    private void aim() {
        remoteHigh = IpAddress.high(destination().getAddress());
        remoteLow = IpAddress.low(destination().getAddress());
    }

    int number() {
        return placed.number();
    }

    boolean isWarmUp() {
        return placed.warmUp();
    }

    /** Whether it is over because it failed or broke off. */
    boolean endedBadly() {
        return endedBadly;
    }

    /** Counts. */
    Tally tally() {
        return aside == null ? host.tally() : aside;
    }

    String handle() {
        return placed.handle();
    }

    /** Where it sends. */
    InetSocketAddress destination() {
        return placed.answer().candidates().get(candidate);
    }

    long remoteHigh() {
        return remoteHigh;
    }

    long remoteLow() {
        return remoteLow;
    }

    @Nullable CallSocket socket() {
        return socket;
    }

    void socket(@Nullable CallSocket from) {
        socket = from;
    }

    /** Low half of the address that it sends from; 0 when the system chooses. */
    long localLow() {
        return localLow;
    }

    void localLow(long low) {
        localLow = low;
    }

    boolean scheduled() {
        return scheduled;
    }

    void scheduled(boolean now) {
        scheduled = now;
    }

    long dueNanos() {
        return dueNanos;
    }

    /** Keeps {@link #deadlineNanos} for the loop, which must not change while it is sorted in. */
    void dueNanos(long nanos) {
        dueNanos = nanos;
    }

    boolean isConnected() {
        return media != null;
    }

    // --- time

    /** When {@link #onTimer} has something to do next. */
    long deadlineNanos(long nowNanos) {
        if (state == State.OVER) {
            return nowNanos + NANOS_PER_SECOND;
        }
        long deadline = ice.deadlineNanos(nowNanos);
        CallMedia talking = media;
        if (talking == null) {
            deadline = earlier(deadline, placed.answeredNanos() + SETUP_NANOS, nowNanos);
            if (state == State.CHECKING) {
                deadline = earlier(deadline, checkedNanos + CANDIDATE_NANOS, nowNanos);
            }
        } else {
            deadline = earlier(deadline, talking.deadlineNanos(), nowNanos);
            deadline = earlier(deadline, endNanos, nowNanos);
            if (options.rebindSeconds() > 0) {
                deadline = earlier(deadline, rebindNanos, nowNanos);
            }
            if (options.restartSeconds() > 0) {
                deadline = earlier(deadline, restartNanos, nowNanos);
            }
        }
        CallData channel = data;
        return channel == null ? deadline : channel.deadlineNanos(deadline, nowNanos);
    }

    private static long earlier(long a, long b, long nowNanos) {
        return Long.compare(a - nowNanos, b - nowNanos) <= 0 ? a : b;
    }

    void onTimer(long nowNanos) {
        if (state == State.OVER) {
            return;
        }
        checkIce(nowNanos);
        CallMedia talking = media;
        if (talking == null) {
            checkSetup(nowNanos);
            return;
        }
        talking.onTimer(nowNanos, state == State.TALKING);
        CallData channel = data;
        if (channel != null) {
            channel.onTimer(nowNanos);
        }
        if (state == State.TALKING) {
            wander(nowNanos);
        }
        if (endNanos - nowNanos <= 0) {
            if (state == State.TALKING) {
                leave(nowNanos);
            } else if (state == State.LEAVING) {
                finish();
            }
        }
    }

    private void checkIce(long nowNanos) {
        if (host.bytes().capacity() - host.payloadOffset() < StunWriter.MAX_LENGTH) {
            throw new IllegalStateException("a slot is too small for a check");
        }
        int length = ice.poll(nowNanos, host.bytes(), host.payloadOffset());
        if (length > 0) {
            host.commit(this, length);
        } else if (ice.state() == IceControlling.State.FAILED && state != State.CHECKING) {
            breakOff(
                    ice.errorCode() > 0 ? "ice_error_" + ice.errorCode() : "consent_expired",
                    nowNanos);
        }
    }

    private void checkSetup(long nowNanos) {
        if (state == State.CHECKING && nowNanos - checkedNanos >= CANDIDATE_NANOS) {
            checkedNanos = nowNanos;
            if (candidate + 1 < placed.answer().candidates().size()) {
                candidate++;
                aim();
                ice = newIce(placed.local(), placed.answer().remote(), nowNanos);
                host.redirect(this);
            }
        }
        if (nowNanos - placed.answeredNanos() >= SETUP_NANOS) {
            fail(state == State.CHECKING ? "ice_timeout" : "dtls_timeout");
        }
    }

    /** Changes port or credentials when it is time to. */
    private void wander(long nowNanos) {
        if (options.rebindSeconds() > 0 && rebindNanos - nowNanos <= 0) {
            rebindNanos = nowNanos + spread(options.rebindSeconds());
            tally().rebinds++;
            CallMedia talking = media;
            if (talking != null) {
                talking.rebound();
            }
            host.rebind(this);
        }
        if (options.restartSeconds() > 0 && restartNanos - nowNanos <= 0) {
            restartNanos = nowNanos + spread(options.restartSeconds());
            host.restartIce(this);
        }
    }

    private long spread(double meanSeconds) {
        return (long) (meanSeconds * host.random().nextDouble(0.5, 1.5) * NANOS_PER_SECOND);
    }

    /** All calls of the run are there. */
    void settled() {
        CallMedia talking = media;
        if (talking != null) {
            talking.settled();
        }
    }

    /** The server has agreed to a restart. */
    void restarted(IceCredentials local, CallAnswer answer, long nowNanos) {
        if (state == State.TALKING) {
            ice = newIce(local, answer.remote(), nowNanos);
            tally().restarts++;
            host.hasten(this);
        }
    }

    // --- what comes from the server

    void receive(ByteBuffer bytes, int offset, int length, long nowNanos) {
        if (length > MTU) {
            return;
        }
        CallMedia talking = media;
        switch (PacketKind.classify(bytes, offset, length)) {
            case STUN -> receiveStun(bytes, offset, length, nowNanos);
            case DTLS -> {
                byte[] copy = new byte[length];
                bytes.get(offset, copy);
                dtls.offer(copy);
            }
            case RTP -> {
                if (talking != null) {
                    talking.receiveRtp(bytes, offset, length, nowNanos, state == State.TALKING);
                }
            }
            case RTCP -> {
                if (talking != null) {
                    talking.receiveRtcp(bytes, offset, length, nowNanos);
                }
            }
            case CLIENT_HEADER, UNKNOWN -> tally().undecryptable++;
        }
    }

    private void receiveStun(ByteBuffer bytes, int offset, int length, long nowNanos) {
        if (!stun.wrap(bytes, offset, length)) {
            return;
        }
        if (!ice.handle(stun, nowNanos)) {
            answerCheck();
            return;
        }
        if (ice.roundTripNanos() > 0 && ice.roundTripNanos() != stunNanos) {
            // Of a check that was sent again there is none, and the last one's is told already.
            stunNanos = ice.roundTripNanos();
            Tally.record(tally().stun, stunNanos);
        }
        if (state == State.CHECKING && ice.state() == IceControlling.State.CONNECTED) {
            state = State.SHAKING_HANDS;
            iceNanos = nowNanos;
            Tally.record(tally().ice, nowNanos - placed.answeredNanos());
            if (placed.answer().role() == DtlsRole.CLIENT) {
                dtls.start();
            }
        }
        host.hasten(this);
    }

    /** After a rebinding the server asks whether what it sends to the new port arrives. */
    private void answerCheck() {
        int port = destination().getPort();
        int length =
                ice.answer(stun, remoteHigh, remoteLow, port, host.bytes(), host.payloadOffset());
        if (length > 0) {
            host.commit(this, length);
        }
    }

    // --- what comes from the DTLS thread

    @Override
    public void send(byte[] datagram) {
        host.post(
                () -> {
                    if (socket != null) {
                        host.bytes().put(host.payloadOffset(), datagram);
                        host.commit(this, datagram.length);
                    }
                });
    }

    @Override
    public void done(DtlsOutcome outcome) {
        host.post(
                () -> {
                    switch (outcome) {
                        case DtlsOutcome.Connected connected -> connected(connected);
                        case DtlsOutcome.Failed failed ->
                                fail("dtls_" + failed.reason().name().toLowerCase(Locale.ROOT));
                    }
                });
    }

    private void connected(DtlsOutcome.Connected connected) {
        if (state == State.OVER) {
            return;
        }
        long nowNanos = System.nanoTime();
        state = State.TALKING;
        Tally tally = tally();
        tally.connected++;
        Tally.record(tally.dtls, nowNanos - (iceNanos == 0 ? nowNanos : iceNanos));
        Tally.record(tally.connect, nowNanos - placed.dueNanos());
        Tally.record(tally.handshakeOwn, dtls.ownNanos());
        media =
                new CallMedia(
                        host,
                        this,
                        options,
                        speech,
                        connected.sender(),
                        connected.receiver(),
                        nowNanos);
        // Who took long to get through has the less to say, but not nothing.
        endNanos =
                placed.endNanos() - nowNanos < SHORTEST_NANOS
                        ? nowNanos + SHORTEST_NANOS
                        : placed.endNanos();
        rebindNanos = nowNanos + spread(options.rebindSeconds());
        restartNanos = nowNanos + spread(options.restartSeconds());
        if (options.messagesPerSecond() >= 0) {
            data =
                    new CallData(
                            host,
                            this,
                            dtls,
                            placed.answer().role(),
                            options.messagesPerSecond(),
                            nowNanos);
        }
        host.hasten(this);
    }

    @Override
    public void data(byte[] record) {
        host.post(
                () -> {
                    CallData channel = data;
                    if (channel != null && state != State.OVER) {
                        channel.receive(record, System.nanoTime());
                        host.hasten(this);
                    }
                });
    }

    @Override
    public void closed() {
        host.post(() -> breakOff("ended_by_server", System.nanoTime()));
    }

    // --- what the media tell

    /** The first packet of audio has come. */
    void heard(long nowNanos) {
        Tally.record(tally().firstAudio, nowNanos - placed.dueNanos());
    }

    void channelOpened() {
        host.hasten(this);
    }

    // --- the end

    /** Says no more, and hangs up when the last echo has had its time. */
    void leave(long nowNanos) {
        CallMedia talking = media;
        if (state == State.TALKING && talking != null && talking.fellSilent(nowNanos)) {
            breakOff("silent_at_the_end", nowNanos);
        } else if (state == State.TALKING && talking != null) {
            talking.stop(nowNanos);
            state = State.LEAVING;
            endNanos = nowNanos + LEAVE_NANOS;
            host.hasten(this);
        } else if (talking == null) {
            fail("not_connected_at_the_end");
        }
    }

    /** The generator has no socket for it. */
    void withoutSocket(long nowNanos) {
        breakOff(NO_SOCKET, nowNanos);
    }

    private void finish() {
        CallMedia talking = media;
        if (talking != null) {
            talking.leave();
        }
        tally().hungUp++;
        end();
    }

    private void breakOff(String reason, long nowNanos) {
        CallMedia talking = media;
        if (state == State.LEAVING) {
            finish();
        } else if (talking == null) {
            fail(reason);
        } else if (state != State.OVER) {
            endedBadly = true;
            talking.stop(nowNanos);
            tally().brokenOff++;
            tally().error(reason);
            end();
        }
    }

    private void fail(String reason) {
        if (state != State.OVER) {
            endedBadly = true;
            tally().failed++;
            tally().error(reason);
            end();
        }
    }

    private void end() {
        state = State.OVER;
        CallMedia talking = media;
        if (talking != null) {
            talking.sumUp(tally());
        }
        // Its last datagram passes the loop's queue, and so leaves before the socket is closed.
        dtls.close();
        host.post(() -> host.over(this));
    }
}
