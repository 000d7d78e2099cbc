package dev.parley.bench.audio;

import dev.parley.bench.ProcessMemory;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a transceiver holds at a moment without calls, as its JVM's {@code jcmd} and the kernel tell
 * it.
 *
 * @param heapBytes of live objects, garbage having been collected
 * @param mediaObjects live instances of classes of sessions, protocols and inference calls
 * @param virtualThreads live, not yet ended
 * @param threads of the platform
 * @param files open
 */
record Holdings(long heapBytes, long mediaObjects, long virtualThreads, long threads, long files) {
    private static final Pattern ROW = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+\\d+\\s+(\\S+).*");
    private static final Pattern TOTAL = Pattern.compile("Total\\s+\\d+\\s+(\\d+)");
    private static final Pattern LIVE_THREADS = Pattern.compile("java\\.threads\\.live=(\\d+)");
    private static final String MEDIA =
            "dev\\.parley\\.(rtc\\.(ice|dtls|srtp|rtp|sctp)|transceiver\\.(session|inference))\\..*";

    static Holdings of(TransceiverProcess transceiver) throws IOException {
        long heap = 0;
        long media = 0;
        long virtual = 0;
        for (String line :
                ProcessMemory.jcmd(transceiver.pid(), "GC.class_histogram").lines().toList()) {
            Matcher row = ROW.matcher(line);
            Matcher total = TOTAL.matcher(line);
            if (total.matches()) {
                heap = Long.parseLong(total.group(1));
            } else if (row.matches()) {
                long instances = Long.parseLong(row.group(1));
                media += row.group(2).matches(MEDIA) ? instances : 0;
                virtual += row.group(2).equals("java.lang.VirtualThread") ? instances : 0;
            }
        }
        Matcher threads =
                LIVE_THREADS.matcher(ProcessMemory.jcmd(transceiver.pid(), "PerfCounter.print"));
        return new Holdings(
                heap,
                media,
                virtual,
                threads.find() ? Long.parseLong(threads.group(1)) : -1,
                ProcessMemory.openFiles(transceiver.pid()));
    }

    void addTo(Results results, String row) {
        results.add(row, "heap after GC MB", heapBytes / 1e6);
        results.add(row, "session objects", (double) mediaObjects);
        results.add(row, "virtual threads", (double) virtualThreads);
        results.add(row, "threads", (double) threads);
        results.add(row, "open files", (double) files);
    }
}
