package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.rtp.NtpTime;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpPort;
import dev.parley.transceiver.media.CallSummary;
import dev.parley.transceiver.session.LoopCommand.Add;
import dev.parley.transceiver.session.LoopCommand.Describe;
import dev.parley.transceiver.session.LoopCommand.Direct;
import dev.parley.transceiver.session.LoopCommand.DtlsConnected;
import dev.parley.transceiver.session.LoopCommand.DtlsKeyed;
import dev.parley.transceiver.session.LoopCommand.DtlsSend;
import dev.parley.transceiver.session.LoopCommand.End;
import dev.parley.transceiver.session.LoopCommand.EndAll;
import dev.parley.transceiver.session.LoopCommand.Nudge;
import dev.parley.transceiver.session.LoopCommand.Restart;
import dev.parley.transceiver.session.LoopCommand.UseKeys;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Carries the packets of its sessions on one socket, and owns all that belongs to them. Its methods
 * are called by one thread, {@link LoopThread}'s or a test's, except {@link #post} and what is
 * built on it: other threads leave commands. It knows neither thread nor clock.
 *
 * <p>Commands wait in an unbounded queue, but each source of them is bounded: a session has at most
 * 64 datagrams of its handshake and a handful of events waiting, and control requests wait for
 * their answer.
 *
 * <p>A fault of ours while something of a session is handled ends that session, never the loop.
 */
public final class MediaLoop {
    private static final Logger LOGGER = System.getLogger(MediaLoop.class.getName());

    /** Hears what becomes of sessions. */
    public interface Listener {
        /** A session has ended, and the loop has forgotten it. */
        void onEnded(Session session, EndedCall how);
    }

    private static final long KERNEL_COUNT_INTERVAL_NANOS = 1_000_000_000L;

    private static final int BATCH = 64;

    /** Batches that are received in a turn, before timers get theirs. */
    private static final int MAX_BATCHES = 4;

    private static final int MAX_DATAGRAM_BYTES = 2_048;

    private final UdpPort port;
    private final Runnable wakeup;
    private final NtpTime ntp;
    private final RandomGenerator random;
    private final Listener listener;
    private final LoopCounters counters = new LoopCounters();
    private final Queue<LoopCommand> commands = new ConcurrentLinkedQueue<>();
    private final DatagramBatch batch =
            new DatagramBatch(BATCH, 0, MAX_DATAGRAM_BYTES + ClientHeader.LENGTH);
    private final Runnable afterTurn;
    private final Outbox outbox;
    private final SessionTable table;
    private final Demux demux;
    private int handshakes;
    private volatile boolean dead;
    private long nowNanos;
    private boolean kernelCounted;
    private long nextKernelCountNanos;

    /**
     * @param wakeup has the thread that calls {@link #runOnce} call it soon; from any thread
     * @param ntp maps the clock of {@link #runOnce} to wall-clock time
     * @param random for what must not be guessed, so a secure one
     * @param listener told on the loop's thread
     * @param afterTurn run by the loop's thread when a turn has sent what it had
     */
    public MediaLoop(
            LoopSettings settings,
            UdpPort port,
            Runnable wakeup,
            NtpTime ntp,
            RandomGenerator random,
            Listener listener,
            Runnable afterTurn) {
        this.afterTurn = afterTurn;
        this.port = port;
        this.wakeup = wakeup;
        this.ntp = ntp;
        this.random = random;
        this.listener = listener;
        this.outbox = new Outbox(port, counters);
        this.table = new SessionTable(random.nextLong());
        this.demux = new Demux(settings, table, counters);
    }

    // --- for other threads

    /** Takes a session in; done when packets for it are understood. */
    public CompletableFuture<Void> add(Session session) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        post(new Add(session, done));
        return done;
    }

    /**
     * Restarts a session's ICE; done when checks with the new credentials are answered, false when
     * the session is over.
     *
     * @param remote the client's new ones
     */
    public CompletableFuture<Boolean> restart(
            Session session, IceCredentials fresh, IceCredentials remote) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        post(new Restart(session, fresh, remote, done));
        return done;
    }

    /** Has a session's audio flow this way, as we see it, from now on. */
    public void direct(Session session, SdpDirection direction) {
        post(new Direct(session, direction));
    }

    /** Opens route tokens with these keys from now on. */
    public void useKeys(RouteKeys keys) {
        post(new UseKeys(keys));
    }

    /** Ends a session, if it has not ended yet. */
    public void end(Session session, EndReason reason, String message) {
        post(new End(session, reason, message));
    }

    /** Ends all sessions; done when they are gone. */
    public CompletableFuture<Void> endAll(EndReason reason, String message) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        post(new EndAll(reason, message, done));
        return done;
    }

    /** Tells about a session. */
    public CompletableFuture<SessionSnapshot> describe(Session session) {
        CompletableFuture<SessionSnapshot> answer = new CompletableFuture<>();
        post(new Describe(session, answer));
        return answer;
    }

    /** Has a session look for what inference has for its client. */
    public void nudge(Session session) {
        post(new Nudge(session));
    }

    /** Ends a session because of a fault of ours. */
    public void fault(Session session, String where, Throwable fault) {
        LOGGER.log(Level.ERROR, "session=" + session.id() + " fault in " + where, fault);
        end(session, EndReason.INTERNAL_ERROR, "internal error");
    }

    /** Whether the loop has died of a fault of ours: it carries nothing any more. */
    public boolean isDead() {
        return dead;
    }

    void post(LoopCommand command) {
        commands.add(command);
        if (dead) {
            refuseCommands();
        } else {
            wakeup.run();
        }
    }

    // --- for the loop's thread

    /**
     * One turn: commands, then what has been received, then what is due. Answers the work done, 0
     * telling the caller that it may wait for {@link #untilNext}.
     */
    public int runOnce(long now) {
        nowNanos = now;
        int work = receive();
        for (Session due = table.due(now); due != null; due = table.due(now)) {
            fire(due);
            work++;
        }
        flush();
        afterTurn.run();
        countKernelDrops();
        return work;
    }

    /**
     * After a fault that the loop cannot contain: ends its sessions as well as can be and takes no
     * more. Called by the loop's thread, last.
     */
    void die() {
        dead = true;
        for (Session each : table.all()) {
            try {
                each.end(EndReason.INTERNAL_ERROR, "internal error");
                settle(each);
            } catch (RuntimeException | Error e) {
                LOGGER.log(Level.ERROR, "session=" + each.id() + " fault while it ends", e);
            }
        }
        flush();
        refuseCommands();
    }

    private void refuseCommands() {
        for (LoopCommand command = commands.poll(); command != null; command = commands.poll()) {
            answer(command, new IllegalStateException("the media loop has died"));
        }
    }

    /** Takes one of so many places for a handshake; {@link #endHandshake} gives it back. */
    boolean beginHandshake(int most) {
        if (handshakes >= most) {
            return false;
        }
        handshakes++;
        counters.handshakes.setRelease(handshakes);
        return true;
    }

    void endHandshake() {
        handshakes--;
        counters.handshakes.setRelease(handshakes);
    }

    /** Nanoseconds until something is due, at most {@code limitNanos}. */
    public long untilNext(long now, long limitNanos) {
        return commands.isEmpty() ? table.untilNext(now, limitNanos) : 0;
    }

    private void countKernelDrops() {
        if (!kernelCounted || nextKernelCountNanos - nowNanos <= 0) {
            kernelCounted = true;
            nextKernelCountNanos = nowNanos + KERNEL_COUNT_INTERVAL_NANOS;
            port.countKernelDrops();
        }
    }

    private void flush() {
        try {
            outbox.flush();
        } catch (RuntimeException e) {
            counters.drops.increment(Drop.INTERNAL_ERROR);
            fail(null, "send", e);
        }
    }

    private int receive() {
        int all = 0;
        int received = BATCH;
        for (int batches = 0; received == BATCH && batches < MAX_BATCHES; batches++) {
            received = port.receive(batch);
            // A session is posted before its client can know of it: with this order no check that
            // was received overtakes it.
            all += runCommands();
            for (int i = 0; i < received; i++) {
                receive(i);
            }
            all += received;
        }
        return all;
    }

    private void receive(int i) {
        try {
            demux.handle(batch, i, nowNanos);
            Session session = demux.touched();
            if (session != null) {
                settle(session);
            }
        } catch (RuntimeException e) {
            counters.drops.increment(Drop.INTERNAL_ERROR);
            fail(demux.touched(), "packet", e);
        }
    }

    private void fire(Session session) {
        try {
            session.onTimer(nowNanos);
            if (session.ending() == null) {
                table.reschedule(session, nowNanos);
            }
            settle(session);
        } catch (RuntimeException e) {
            fail(session, "timer", e);
        }
    }

    private int runCommands() {
        int done = 0;
        for (LoopCommand command = commands.poll(); command != null; command = commands.poll()) {
            run(command);
            done++;
        }
        return done;
    }

    private void run(LoopCommand command) {
        Session session =
                switch (command) {
                    case Add add -> add.session();
                    case DtlsSend send -> send.session();
                    case Nudge nudge -> nudge.session();
                    case DtlsKeyed keyed -> keyed.session();
                    case DtlsConnected connected -> connected.session();
                    case Restart restart -> restart.session();
                    case Direct direct -> direct.session();
                    case End end -> end.session();
                    case Describe describe -> describe.session();
                    case EndAll _, UseKeys _ -> null;
                };
        try {
            switch (command) {
                case Add add -> {
                    table.add(add.session(), nowNanos);
                    SessionLog.started(add.session());
                    add.done().complete(null);
                }
                case DtlsSend send -> send.session().sendQueuedDtls(send.datagram());
                case Nudge nudge -> nudge.session().takeOutput(nowNanos);
                case DtlsKeyed keyed -> keyed.session().dtlsKeyed(keyed.media(), nowNanos);
                case DtlsConnected connected -> {
                    connected
                            .session()
                            .dtlsConnected(connected.open(), connected.media(), nowNanos);
                    demux.releaseMedia(connected.session(), nowNanos);
                }
                case Restart restart -> restart.done().complete(restart(restart));
                case Direct direct -> direct.session().direct(direct.direction());
                case End end -> end.session().end(end.reason(), end.message());
                case Describe describe ->
                        describe.answer().complete(describe.session().snapshot(nowNanos));
                case EndAll all -> endAll(all);
                case UseKeys use -> demux.useKeys(use.keys());
            }
            if (session != null) {
                settle(session);
            }
        } catch (RuntimeException e) {
            answer(command, e);
            fail(session, "command", e);
        }
    }

    private boolean restart(Restart restart) {
        boolean lives = table.contains(restart.session());
        if (lives) {
            restart.session().ice().restart(restart.fresh(), restart.remote());
            restart.session().phases().observer().restarted(nowNanos);
        }
        return lives;
    }

    private void endAll(EndAll all) {
        try {
            for (Session each : table.all()) {
                endOne(each, all);
            }
            flush();
        } finally {
            all.done().complete(null);
        }
    }

    /** A session that cannot end well must not keep the others from it. */
    private void endOne(Session session, EndAll all) {
        try {
            session.end(all.reason(), all.message());
            settle(session);
        } catch (RuntimeException e) {
            fail(session, "end", e);
        }
    }

    /** Who waits for a command's answer hears of the fault instead. */
    private static void answer(LoopCommand command, RuntimeException fault) {
        switch (command) {
            case Add add -> add.done().completeExceptionally(fault);
            case Restart restart -> restart.done().completeExceptionally(fault);
            case Describe describe -> describe.answer().completeExceptionally(fault);
            case EndAll all -> all.done().complete(null);
            case UseKeys _, DtlsSend _, Nudge _, DtlsKeyed _, DtlsConnected _, Direct _, End _ -> {}
        }
    }

    /** After something happened to a session: retires it, or has it called in time. */
    private void settle(Session session) {
        if (!table.contains(session)) {
            return;
        }
        Session.Ending ending = session.ending();
        if (ending == null) {
            table.hasten(session, nowNanos);
        } else {
            retire(session, ending);
        }
    }

    private void retire(Session session, Session.Ending ending) {
        table.remove(session);
        SessionSnapshot last = session.snapshot(nowNanos);
        counters.ended.increment(ending.reason());
        LoopCounters.add(counters.rtpLost, last.lost());
        countQuality(last.quality());
        try {
            session.retire(ending, nowNanos);
        } finally {
            SessionLog.ended(session, ending, last);
            listener.onEnded(session, new EndedCall(ending.reason(), ending.message(), last));
        }
    }

    private void countQuality(@Nullable CallSummary quality) {
        if (quality != null && quality.input() != null) {
            counters.inputQuality.increment(quality.input().qualityClass());
        }
        if (quality != null && quality.output() != null) {
            counters.outputQuality.increment(quality.output().qualityClass());
        }
    }

    private void fail(@Nullable Session session, String where, RuntimeException fault) {
        if (session == null) {
            LOGGER.log(Level.ERROR, "fault in " + where, fault);
            return;
        }
        LOGGER.log(Level.ERROR, "session=" + session.id() + " fault in " + where, fault);
        session.end(EndReason.INTERNAL_ERROR, "internal error");
        try {
            settle(session);
        } catch (RuntimeException e) {
            LOGGER.log(Level.ERROR, "session=" + session.id() + " fault while it ends", e);
        }
    }

    /** The time of the turn under way. */
    long nowNanos() {
        return nowNanos;
    }

    SessionTable table() {
        return table;
    }

    Outbox outbox() {
        return outbox;
    }

    /** Written by the loop, readable by any thread. */
    LoopCounters counters() {
        return counters;
    }

    /** What the operating system refused; readable by any thread. */
    UdpCounters udpCounters() {
        return port.counters();
    }

    NtpTime ntp() {
        return ntp;
    }

    RandomGenerator random() {
        return random;
    }
}
