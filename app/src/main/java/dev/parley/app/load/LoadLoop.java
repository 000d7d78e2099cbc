package dev.parley.app.load;

import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.rtp.NtpTime;
import dev.parley.runtime.udp.DatagramBatch;
import dev.parley.runtime.udp.UdpBindException;
import dev.parley.runtime.udp.UdpCounters;
import dev.parley.runtime.udp.UdpMode;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Carries many calls on one thread: receives for all, and calls each when it has something due.
 * Other threads only {@link #post}.
 */
final class LoadLoop implements LoadHost, AutoCloseable {
    private static final int BATCH = 64;
    private static final int PAYLOAD_BYTES = 2_048;
    private static final int SOCKET_BUFFER_BYTES = 1 << 20;
    private static final long MAX_WAIT_NANOS = 100_000_000L;

    /** Loopback addresses behind 127.0.0.1, where each call can have its own. */
    private static final int FIRST_LOOPBACK = 0x7F01_0001;

    private static final int SHARED_ON_LOOPBACK = 16;

    private final LoadOptions options;
    private final SpeechFrames speech;
    private final CallRequests requests;
    private final Consumer<LoadCall> onOver;
    private final Random random;
    private final NtpTime ntp;
    private final UdpMode mode = UdpMode.AUTO;
    private final UdpPoller poller = mode.open();
    private final Queue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<LoadCall> due =
            new PriorityQueue<>((a, b) -> Long.compare(a.dueNanos() - b.dueNanos(), 0));
    private final Set<LoadCall> calls = new HashSet<>();
    private final List<CallSocket> sockets = new ArrayList<>();
    private final DatagramBatch incoming = new DatagramBatch(BATCH, 0, PAYLOAD_BYTES);
    private final DatagramBatch outgoing = new DatagramBatch(BATCH, 0, PAYLOAD_BYTES);
    private final Queue<Tally> tallies = new ConcurrentLinkedQueue<>();
    private final Thread thread;

    private Tally tally = new Tally();
    private @Nullable CallSocket sending;
    private int filled;
    private int sentSlots;
    private int nextLoopback = FIRST_LOOPBACK;
    private boolean leaving;
    private volatile boolean stopped;
    private volatile @Nullable Throwable fault;

    /**
     * @param number of the loop, which makes it unlike the others
     * @param onOver told on the loop's thread whenever a call is over
     */
    LoadLoop(
            LoadOptions options,
            SpeechFrames speech,
            CallRequests requests,
            int number,
            Consumer<LoadCall> onOver) {
        this.onOver = onOver;
        this.options = options;
        this.speech = speech;
        this.requests = requests;
        this.random = new Random(options.seed() + number * 1_000_003L);
        this.ntp = new NtpTime(System.currentTimeMillis() * 1_000_000L, System.nanoTime());
        this.thread = Thread.ofPlatform().daemon().name("load-" + number).unstarted(this::run);
    }

    public void start() {
        thread.start();
    }

    // --- for other threads

    /** Takes a call in. */
    public void add(PlacedCall placed) {
        post(() -> admit(placed));
    }

    /** Has all calls end as they would, those to come as well. */
    public void leaveAll() {
        post(
                () -> {
                    leaving = true;
                    long nowNanos = System.nanoTime();
                    for (LoadCall call : List.copyOf(calls)) {
                        call.leave(nowNanos);
                    }
                });
    }

    /** All calls of the run are there: what comes now shows the server under all of them. */
    public void settle() {
        post(() -> calls.forEach(LoadCall::settled));
    }

    /** Has what happened since the last time put out for {@link #pollTally}. */
    public void report() {
        post(
                () -> {
                    countKernelDrops();
                    tallies.add(tally);
                    tally = new Tally();
                });
    }

    public @Nullable Tally pollTally() {
        return tallies.poll();
    }

    /** What has ended the loop before its time; null as long as nothing has. */
    public @Nullable Throwable fault() {
        return fault;
    }

    @Override
    public void post(Runnable command) {
        commands.add(command);
        poller.wakeup();
    }

    // --- the loop

    private void run() {
        try (UdpPoller closing = poller) {
            while (!stopped) {
                runCommands();
                receive();
                long nowNanos = System.nanoTime();
                fire(nowNanos);
                flush();
                closing.await(untilNext());
            }
        } catch (RuntimeException | Error e) {
            fault = e;
        }
    }

    private long untilNext() {
        LoadCall first = due.peek();
        if (!commands.isEmpty()) {
            return 0;
        }
        return first == null
                ? MAX_WAIT_NANOS
                : Math.clamp(first.dueNanos() - System.nanoTime(), 0, MAX_WAIT_NANOS);
    }

    private void runCommands() {
        for (Runnable next = commands.poll(); next != null; next = commands.poll()) {
            next.run();
        }
    }

    private void receive() {
        for (int i = 0; i < sockets.size(); i++) {
            CallSocket socket = sockets.get(i);
            int received = socket.port().receive(incoming);
            if (received == 0) {
                continue;
            }
            long nowNanos = System.nanoTime();
            for (int k = 0; k < received; k++) {
                LoadCall call = socket.find(incoming.localLow(k));
                if (call != null) {
                    call.receive(incoming.bytes(), incoming.start(k), incoming.length(k), nowNanos);
                }
            }
        }
    }

    private void fire(long nowNanos) {
        for (LoadCall first = due.peek();
                first != null && first.dueNanos() - nowNanos <= 0;
                first = due.peek()) {
            due.remove();
            first.scheduled(false);
            first.onTimer(System.nanoTime());
            schedule(first);
        }
    }

    private void schedule(LoadCall call) {
        long nowNanos = System.nanoTime();
        long deadline = call.deadlineNanos(nowNanos);
        // Not within this turn, or what is received would wait.
        call.dueNanos(deadline - nowNanos <= 0 ? nowNanos + 1 : deadline);
        call.scheduled(true);
        due.add(call);
    }

    // --- calls

    private void admit(PlacedCall placed) {
        long nowNanos = System.nanoTime();
        LoadCall call = new LoadCall(this, options, speech, placed, nowNanos);
        calls.add(call);
        place(call);
        schedule(call);
        if (leaving) {
            call.leave(nowNanos);
        }
    }

    /** Gives a call a socket; one that the system has none for is over. */
    private void place(LoadCall call) {
        try {
            findSocket(call);
        } catch (UdpBindException e) {
            call.withoutSocket(System.nanoTime());
        }
    }

    private void findSocket(LoadCall call) {
        InetAddress to = call.destination().getAddress();
        boolean loopback = to.isLoopbackAddress() && to instanceof Inet4Address;
        int capacity =
                options.callsPerSocket() == 0 ? SHARED_ON_LOOPBACK : options.callsPerSocket();
        if (!loopback || !mode.isBatched() || capacity == 1) {
            open(to, 1).add(call, 0);
            return;
        }
        CallSocket last = sockets.isEmpty() ? null : sockets.getLast();
        CallSocket socket =
                last != null && last.isShared() && last.hasRoom() ? last : open(to, capacity);
        long local = DatagramBatch.IPV4_MAPPED_LOW | (nextLoopback & 0xFFFF_FFFFL);
        nextLoopback = nextLoopback == 0x7FFF_FFFE ? FIRST_LOOPBACK : nextLoopback + 1;
        socket.add(call, local);
    }

    private CallSocket open(InetAddress to, int capacity) {
        String any = to instanceof Inet4Address ? "0.0.0.0" : "::";
        UdpPort port =
                poller.bind(
                        new InetSocketAddress(InetAddress.ofLiteral(any), 0),
                        new UdpOptions(false, SOCKET_BUFFER_BYTES, SOCKET_BUFFER_BYTES));
        CallSocket socket = new CallSocket(port, capacity);
        sockets.add(socket);
        return socket;
    }

    @Override
    public void rebind(LoadCall call) {
        flush();
        displace(call);
        place(call);
    }

    @Override
    public void redirect(LoadCall call) {
        rebind(call);
    }

    private void displace(LoadCall call) {
        CallSocket socket = call.socket();
        if (socket == null) {
            return;
        }
        socket.remove(call);
        call.socket(null);
        if (socket.isEmpty()) {
            count(socket);
            sockets.remove(socket);
            socket.port().close();
        }
    }

    @Override
    public void hasten(LoadCall call) {
        if (call.scheduled() && due.remove(call)) {
            schedule(call);
        }
    }

    @Override
    public void over(LoadCall call) {
        flush();
        calls.remove(call);
        if (call.scheduled()) {
            due.remove(call);
            call.scheduled(false);
        }
        displace(call);
        if (!call.isConnected() || options.rebindSeconds() > 0) {
            // The server will not hear of its end, or does not know yet where that comes from.
            Thread.ofVirtual().start(() -> hangUp(call));
        }
        onOver.accept(call);
    }

    private void hangUp(LoadCall call) {
        try {
            requests.hangUp(call.handle());
        } catch (IOException _) {
            // It has failed already; the server will notice in its own time.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void restartIce(LoadCall call) {
        Thread.ofVirtual().start(() -> restart(call));
    }

    private void restart(LoadCall call) {
        IceCredentials fresh = IceCredentials.random(new Random());
        try {
            String answer =
                    requests.restart(
                            call.handle(),
                            CallOffer.text(
                                    fresh,
                                    CallDtls.IDENTITY,
                                    options.messagesPerSecond() >= 0,
                                    options.nack()));
            CallAnswer parsed = CallAnswer.parse(answer);
            post(() -> call.restarted(fresh, parsed, System.nanoTime()));
        } catch (IOException | IllegalArgumentException e) {
            post(() -> call.tally().error("ice_restart_refused"));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    // --- sending

    @Override
    public ByteBuffer bytes() {
        return outgoing.bytes();
    }

    @Override
    public int payloadOffset() {
        return outgoing.slotOffset(filled);
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // A socket is itself.
    public void commit(LoadCall call, int length) {
        CallSocket socket = call.socket();
        if (socket == null) {
            return;
        }
        if (socket != sending) {
            send();
            sending = socket;
        }
        outgoing.datagram(filled, payloadOffset(), length);
        outgoing.peer(filled, call.remoteHigh(), call.remoteLow(), call.destination().getPort());
        outgoing.local(filled, 0, call.localLow());
        filled++;
        if (filled == BATCH) {
            flush();
        }
    }

    private void flush() {
        send();
        filled = 0;
        sentSlots = 0;
    }

    /** Sends what is written for the last socket; what its buffer does not take is lost. */
    private void send() {
        CallSocket socket = sending;
        if (socket != null && filled > sentSlots) {
            int unsent = filled - sentSlots - socket.port().send(outgoing, sentSlots, filled);
            tally.unsent += unsent;
        }
        sentSlots = filled;
    }

    @Override
    public Tally tally() {
        return tally;
    }

    @Override
    public NtpTime ntp() {
        return ntp;
    }

    @Override
    public RandomGenerator random() {
        return random;
    }

    private void countKernelDrops() {
        for (CallSocket socket : sockets) {
            count(socket);
        }
    }

    private void count(CallSocket socket) {
        socket.port().countKernelDrops();
        long drops = socket.port().counters().count(UdpCounters.Reason.RECEIVE_QUEUE_FULL);
        tally.kernelDrops += socket.newDrops(drops);
    }

    /** Stops without a word to the calls that are left. */
    @Override
    public void close() {
        stopped = true;
        poller.wakeup();
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
