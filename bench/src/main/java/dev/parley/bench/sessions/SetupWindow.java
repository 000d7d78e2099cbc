package dev.parley.bench.sessions;

import dev.parley.app.load.LoadRun;
import dev.parley.app.load.LoadSample;
import dev.parley.app.load.Tally;
import dev.parley.bench.sessions.PinnedProcess.Use;
import java.io.IOException;
import java.util.Map;

/** Watches the processor time of calls that are placed at once, until the last is up. */
final class SetupWindow implements LoadRun.Listener {
    private final PinnedProcess transceiver;
    private final int calls;
    private Map<Use, Long> before = Map.of();
    private Map<Use, Long> after = Map.of();
    private boolean done;

    SetupWindow(PinnedProcess transceiver, int calls) {
        this.transceiver = transceiver;
        this.calls = calls;
    }

    void begin() throws IOException {
        before = transceiver.cpuNanos();
    }

    @Override
    public void sampled(LoadSample sample, Tally interval, Tally total) {
        if (done) {
            return;
        }
        try {
            after = transceiver.cpuNanos();
            done = total.connected() + total.failed() >= calls;
        } catch (IOException e) {
            throw new IllegalStateException("the transceiver is gone", e);
        }
    }

    double compilerNanos() {
        return after.getOrDefault(Use.COMPILER, 0L) - before.getOrDefault(Use.COMPILER, 0L);
    }

    double usedNanos() {
        double used = 0;
        for (Map.Entry<Use, Long> each : after.entrySet()) {
            used += each.getValue() - before.getOrDefault(each.getKey(), 0L);
        }
        return used;
    }
}
