package dev.parley.bench.relay;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What contestants are put under in one measurement.
 *
 * @param rate round trips a second, each two datagrams forwarded; {@link #MAX} for as many as go
 * @param payloadBytes length of each client's datagrams
 * @param flows clients
 */
record Load(int rate, int payloadBytes, int flows) {
    static final int MAX = 0;

    static final List<Integer> VOICE_BYTES = List.of(172);
    static final List<Integer> FLOWS = List.of(1_000);

    private static final List<Integer> RATES = List.of(10_000, 25_000, 50_000, MAX);
    private static final List<Integer> MIDDLE_RATE = List.of(25_000);
    private static final List<Integer> OTHER_SIZES = List.of(60, 200, 1_200);
    private static final List<Integer> OTHER_FLOWS = List.of(100, 10_000, 100_000);

    /** Every rate with voice; what takes no more than a minute. */
    static List<Load> quick() {
        return every(RATES, VOICE_BYTES, FLOWS);
    }

    /** The same, and other sizes and numbers of clients at the middle rate. */
    static List<Load> usual() {
        List<Load> loads = new ArrayList<>(quick());
        loads.addAll(every(MIDDLE_RATE, OTHER_SIZES, FLOWS));
        loads.addAll(every(MIDDLE_RATE, VOICE_BYTES, OTHER_FLOWS));
        return loads;
    }

    /** Every combination; an empty list of rates stands for all of them. */
    static List<Load> every(List<Integer> rates, List<Integer> sizes, List<Integer> flows) {
        List<Load> loads = new ArrayList<>();
        for (int rate : rates.isEmpty() ? RATES : rates) {
            for (int size : sizes) {
                for (int count : flows) {
                    loads.add(new Load(rate, size, count));
                }
            }
        }
        return loads;
    }

    boolean isMaximum() {
        return rate == MAX;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s, %d-byte payloads, %,d flows",
                isMaximum()
                        ? "as fast as it goes"
                        : String.format(Locale.ROOT, "%,d round trips/s", rate),
                payloadBytes,
                flows);
    }
}
