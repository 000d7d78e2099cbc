package dev.parley.bench.sessions;

import dev.parley.app.load.LoadRun;
import dev.parley.app.load.LoadSample;
import dev.parley.app.load.Tally;
import dev.parley.bench.sessions.PinnedProcess.Use;
import java.io.IOException;
import java.util.Map;

/** Gathers what happens between two seconds of a run, with the processor time meanwhile. */
final class Window implements LoadRun.Listener {
    private final PinnedProcess transceiver;
    private final double from;
    private final double to;
    private final Tally tally = new Tally();
    private Map<Use, Long> before = Map.of();
    private Map<Use, Long> after = Map.of();
    private double began;
    private double ended;
    private double residentMib;

    Window(PinnedProcess transceiver, double from, double to) {
        this.transceiver = transceiver;
        this.from = from;
        this.to = to;
    }

    @Override
    public void sampled(LoadSample sample, Tally interval, Tally total) {
        try {
            if (before.isEmpty() && sample.seconds() >= from) {
                before = transceiver.cpuNanos();
                began = sample.seconds();
            } else if (!before.isEmpty() && sample.seconds() <= to) {
                tally.add(interval);
                after = transceiver.cpuNanos();
                ended = sample.seconds();
                residentMib = transceiver.residentMib();
            }
        } catch (IOException e) {
            throw new IllegalStateException("the transceiver is gone", e);
        }
    }

    double cpuNanos(Use use) {
        return after.getOrDefault(use, 0L) - before.getOrDefault(use, 0L);
    }

    /** All that it takes to carry calls: the compiler is done before long. */
    double cpuNanos() {
        return cpuNanos(Use.CALLS)
                + cpuNanos(Use.GRPC)
                + cpuNanos(Use.COLLECTOR)
                + cpuNanos(Use.OTHER);
    }

    /** What callers saw in it. */
    Tally tally() {
        return tally;
    }

    /** Its length. */
    double seconds() {
        return ended - began;
    }

    double residentMib() {
        return residentMib;
    }
}
