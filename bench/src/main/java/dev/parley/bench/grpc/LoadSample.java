package dev.parley.bench.grpc;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * One measurement of one client against one server. Costs are microseconds of processor time and
 * wake-ups per message sent and echoed, without what the sending thread itself costs; latencies are
 * round trips in microseconds. Messages and bytes are those of one way and second, bytes with what
 * gRPC and HTTP/2 put around each message.
 */
record LoadSample(
        double clientCpu,
        double serverCpu,
        double clientWakeups,
        double serverWakeups,
        double sendCall,
        double p50,
        double p99,
        int clientThreads,
        int clientVirtualThreads,
        int serverThreads,
        int serverVirtualThreads,
        double messages,
        double bytes,
        String fault) {
    private static final int WARM_UP_STREAMS = 50;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(8);
    private static final long BASELINE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** Measures in this process, which must be fresh, with the server in another one. */
    static LoadSample take(Transport client, Transport server, int streams, int seconds)
            throws IOException, InterruptedException {
        try (BenchPeer peer = new BenchPeer(server)) {
            Transport.Connected connected = client.connect(peer.port);
            EchoLoad warmUp = EchoLoad.over(connected.channel(), WARM_UP_STREAMS);
            warmUp.run(WARM_UP_NANOS);
            String warmUpFault = warmUp.finish();

            EchoLoad toNobody = EchoLoad.toNobody(streams);
            toNobody.run(BASELINE_NANOS / 3);
            ProcessFigures baselineBefore = ProcessFigures.now();
            EchoLoad.Outcome baselineRun = toNobody.run(BASELINE_NANOS);
            ProcessFigures baseline = ProcessFigures.now().since(baselineBefore);

            EchoLoad load = EchoLoad.over(connected.channel(), streams);
            load.run(TimeUnit.SECONDS.toNanos(1));
            ProcessFigures serverBefore = ProcessFigures.ofLine(peer.ask("figures"));
            ProcessFigures clientBefore = ProcessFigures.now();
            EchoLoad.Outcome run = load.run(TimeUnit.SECONDS.toNanos(seconds));
            ProcessFigures clientSpent = ProcessFigures.now().since(clientBefore);
            ProcessFigures serverSpent =
                    ProcessFigures.ofLine(peer.ask("figures")).since(serverBefore);
            int clientVirtual = ProcessFigures.now().countingVirtualThreads().virtualThreads();
            int serverVirtual = ProcessFigures.ofLine(peer.ask("threads")).virtualThreads();
            String fault = warmUpFault + load.finish();
            connected.stop().run();

            double sent = run.sent();
            double unloaded = baselineRun.sent();
            return new LoadSample(
                    clientSpent.cpuNanos() / 1e3 / sent - baseline.cpuNanos() / 1e3 / unloaded,
                    serverSpent.cpuNanos() / 1e3 / sent,
                    clientSpent.wakeups() / sent - baseline.wakeups() / unloaded,
                    serverSpent.wakeups() / sent,
                    run.sends().getValueAtPercentile(50) / 1e3,
                    run.roundTrips().getValueAtPercentile(50) / 1e3,
                    run.roundTrips().getValueAtPercentile(99) / 1e3,
                    clientSpent.platformThreads(),
                    clientVirtual,
                    serverSpent.platformThreads(),
                    serverVirtual,
                    sent / seconds,
                    (double) run.bytes() / seconds,
                    fault);
        }
    }

    String toLine() {
        return String.join(
                " ",
                Double.toString(clientCpu),
                Double.toString(serverCpu),
                Double.toString(clientWakeups),
                Double.toString(serverWakeups),
                Double.toString(sendCall),
                Double.toString(p50),
                Double.toString(p99),
                Integer.toString(clientThreads),
                Integer.toString(clientVirtualThreads),
                Integer.toString(serverThreads),
                Integer.toString(serverVirtualThreads),
                Double.toString(messages),
                Double.toString(bytes),
                fault);
    }

    static LoadSample ofLine(String line) {
        String[] parts = line.split(" ", 14);
        return new LoadSample(
                Double.parseDouble(parts[0]),
                Double.parseDouble(parts[1]),
                Double.parseDouble(parts[2]),
                Double.parseDouble(parts[3]),
                Double.parseDouble(parts[4]),
                Double.parseDouble(parts[5]),
                Double.parseDouble(parts[6]),
                Integer.parseInt(parts[7]),
                Integer.parseInt(parts[8]),
                Integer.parseInt(parts[9]),
                Integer.parseInt(parts[10]),
                Double.parseDouble(parts[11]),
                Double.parseDouble(parts[12]),
                parts[13]);
    }
}
