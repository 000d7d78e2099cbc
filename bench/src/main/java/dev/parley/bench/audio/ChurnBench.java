package dev.parley.bench.audio;

import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The command {@code bench churn}: what a transceiver holds before and after thousands of callers
 * that vanish without a word. Of four, two have connected, one has sent a check, one has done
 * nothing after its answer.
 */
public final class ChurnBench {
    /**
     * Vanish before the first row is taken: what a process loads and pools once, and the ends of
     * the last 1,024 calls, which it remembers.
     */
    private static final int WARM_UP = 1_200;

    private static final int AT_ONCE = 8;
    private static final int ROUND = 40;
    private static final int POLL_MILLIS = 100;

    /** What other threads still have to do once no call is left. */
    private static final int SETTLE_MILLIS = 2_000;

    private ChurnBench() {}

    public static void main(String[] arguments)
            throws IOException, InterruptedException, ExecutionException {
        ChurnOptions options = ChurnOptions.of(arguments);
        Results results = new Results("transceiver");
        try (Agent agent = Agent.start();
                TransceiverProcess transceiver =
                        TransceiverProcess.start(
                                agent.target(),
                                List.of(
                                        "max_sessions: 20000",
                                        "setup_timeout: 10s",
                                        "consent_timeout: 5s"))) {
            vanish(transceiver, WARM_UP);
            Holdings.of(transceiver).addTo(results, "before");
            long begun = System.nanoTime();
            int cycles = vanish(transceiver, options.cycles());
            long seconds = (System.nanoTime() - begun) / 1_000_000_000;
            Holdings.of(transceiver).addTo(results, "after " + cycles + " cycles");
            System.out.println(cycles + " cycles in " + seconds + " s");
        }
        results.report(options.json());
    }

    /** Has at least so many callers vanish and waits until the transceiver has noticed. */
    private static int vanish(TransceiverProcess transceiver, int cycles)
            throws IOException, InterruptedException, ExecutionException {
        int rounds = Math.ceilDiv(cycles, ROUND);
        List<Future<?>> running = new ArrayList<>();
        // Kept open, so that no port is used again by another caller while its call still lives.
        Queue<DatagramChannel> vanished = new ConcurrentLinkedQueue<>();
        ManagedChannel channel =
                NettyChannelBuilder.forAddress(transceiver.control()).usePlaintext().build();
        try (ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE)) {
            TransceiverBlockingStub control = TransceiverGrpc.newBlockingStub(channel);
            for (int i = 0; i < rounds; i++) {
                int round = i;
                Callable<Void> task =
                        () -> {
                            vanish(transceiver, control, round, vanished);
                            return null;
                        };
                running.add(workers.submit(task));
            }
            for (Future<?> task : running) {
                task.get();
            }
            while (control.describeLoad(DescribeLoadRequest.getDefaultInstance()).getSessions()
                    > 0) {
                Thread.sleep(POLL_MILLIS);
            }
            Thread.sleep(SETTLE_MILLIS);
        } finally {
            channel.shutdownNow();
            for (DatagramChannel port : vanished) {
                port.close();
            }
        }
        return rounds * ROUND;
    }

    private static void vanish(
            TransceiverProcess transceiver,
            TransceiverBlockingStub control,
            int round,
            Queue<DatagramChannel> vanished)
            throws IOException, InterruptedException {
        ByteBuffer scratch = ByteBuffer.allocateDirect(2_048);
        for (int i = 0; i < ROUND / 2; i++) {
            Caller caller = Caller.call(control, transceiver.media(), Agent.OPUS, i);
            if (i % 2 == 0) {
                caller.check(scratch, System.nanoTime());
            }
            vanished.add(caller.channel());
        }
        Callers.call(transceiver, round % 2 == 0 ? Agent.OPUS : Agent.LINEAR16, ROUND / 2).close();
    }
}
