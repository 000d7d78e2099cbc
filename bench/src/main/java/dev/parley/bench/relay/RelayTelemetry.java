package dev.parley.bench.relay;

import dev.parley.bench.telemetry.Setting;
import dev.parley.runtime.udp.CoreAffinity;
import dev.parley.runtime.udp.IpAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Processor time of a relay per datagram, by how much it tells of itself. All the relays live at
 * once and are measured in turn, in short windows, so that whatever else the machine does meets all
 * of them alike.
 */
public final class RelayTelemetry {
    private static final int LOAD_CORE = 0;
    private static final int FLOWS = 1_000;
    private static final int BYTES = 172;
    private static final int RATE = 25_000;
    private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(2);

    private record Running(RelayProcess process, InetSocketAddress address) {}

    private RelayTelemetry() {}

    /** Nanoseconds by setting, those of each round. */
    public static Map<Setting, List<Double>> nanosPerPacket(
            List<Setting> settings, int rounds, long windowNanos) throws IOException {
        Map<Setting, List<Double>> nanos = new LinkedHashMap<>();
        Map<Setting, Running> running = new LinkedHashMap<>();
        CoreAffinity affinity = BenchRun.relayCore() < 0 ? null : CoreAffinity.pin(LOAD_CORE);
        try (LoadGenerator load = new LoadGenerator()) {
            for (Setting setting : settings) {
                InetSocketAddress address = BenchRun.freeAddress();
                RelayProcess process = launch(setting, address, load.sinkAddress());
                running.put(setting, new Running(process, address));
                process.awaitReady();
                open(load, setting, address);
                var _ = load.pace(RATE, FLOWS, BYTES, WARM_UP_NANOS);
            }
            for (int round = 0; round < rounds; round++) {
                for (Map.Entry<Setting, Running> each : running.entrySet()) {
                    open(load, each.getKey(), each.getValue().address());
                    long before = each.getValue().process().cpuNanos();
                    LoadFigures figures = load.pace(RATE, FLOWS, BYTES, windowNanos);
                    double used = each.getValue().process().cpuNanos() - before;
                    nanos.computeIfAbsent(each.getKey(), _ -> new ArrayList<>())
                            .add(used / (figures.sent() + figures.received()));
                }
            }
        } finally {
            running.values().forEach(each -> each.process().close());
            if (affinity != null) {
                affinity.close();
            }
        }
        return nanos;
    }

    private static void open(LoadGenerator load, Setting setting, InetSocketAddress address)
            throws IOException {
        load.sampledPercent(setting.sampledPercent());
        load.target(address);
        load.open(FLOWS);
    }

    private static RelayProcess launch(
            Setting setting, InetSocketAddress address, InetSocketAddress sink) throws IOException {
        List<String> options =
                setting.options().entrySet().stream()
                        .map(option -> option.getKey() + "=" + option.getValue())
                        .toList();
        return RelayProcess.launch(
                Contestant.ours("batched", "native").with(setting.name(), options),
                IpAddress.text(address),
                IpAddress.text(sink),
                BenchRun.relayCore());
    }
}
