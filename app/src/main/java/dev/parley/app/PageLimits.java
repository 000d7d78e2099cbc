package dev.parley.app;

import dev.parley.runtime.load.FileDescriptors;

/**
 * Bounds the JDK's web server, which shows a process to those who run it. By itself it takes as
 * many connections as come and waits for their requests without end, and so could take the file
 * descriptors that calls need.
 */
final class PageLimits {
    private static final int MOST_CONNECTIONS = 4_096;
    private static final int FEWEST_CONNECTIONS = 16;

    /** Of the process's file descriptors. */
    private static final int PART = 4;

    private static final int REQUEST_SECONDS = 10;
    private static final int RESPONSE_SECONDS = 60;

    private PageLimits() {}

    /** Must run before the first such server is made, since the JDK reads the properties once. */
    static void set() {
        PacketLoops.setUnlessGiven(
                "jdk.httpserver.maxConnections",
                Math.clamp(FileDescriptors.limit() / PART, FEWEST_CONNECTIONS, MOST_CONNECTIONS));
        PacketLoops.setUnlessGiven("sun.net.httpserver.maxReqTime", REQUEST_SECONDS);
        PacketLoops.setUnlessGiven("sun.net.httpserver.maxRspTime", RESPONSE_SECONDS);
    }
}
