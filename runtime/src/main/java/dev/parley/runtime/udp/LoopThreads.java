package dev.parley.runtime.udp;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the threads of packet loops. A loop over batched calls is a virtual thread that blocks in a
 * native wait and so keeps its carrier, and the JDK puts no other in its place: if the loops of the
 * process took all carriers, no other virtual thread would ever run. So the carriers they hold are
 * counted, for the whole process because carriers are the process's, and a loop that would take the
 * last one gets a platform thread instead.
 */
public final class LoopThreads {
    private static final System.Logger LOG = System.getLogger(LoopThreads.class.getName());
    private static final String PROPERTY = "jdk.virtualThreadScheduler.parallelism";
    private static final AtomicInteger HELD = new AtomicInteger();

    private LoopThreads() {}

    /**
     * Threads for loops that wait in pollers of this kind.
     *
     * @param prefix name of the threads, before their number
     */
    public static ThreadFactory factory(String prefix, UdpMode mode) {
        ThreadFactory virtual = Thread.ofVirtual().name(prefix, 0).factory();
        if (!mode.isBatched()) {
            return virtual;
        }
        ThreadFactory platform = Thread.ofPlatform().name(prefix, 0).daemon().factory();
        return body ->
                holdsCarrier(prefix)
                        ? virtual.newThread(releasing(body))
                        : platform.newThread(body);
    }

    private static boolean holdsCarrier(String prefix) {
        int carriers = Integer.getInteger(PROPERTY, Runtime.getRuntime().availableProcessors());
        int held = HELD.incrementAndGet();
        if (held < carriers) {
            return true;
        }
        HELD.decrementAndGet();
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} runs on a platform thread: start the JVM with -D{1}={2} or more to give it a carrier of its own",
                prefix,
                PROPERTY,
                Integer.toString(Runtime.getRuntime().availableProcessors() + held));
        return false;
    }

    private static Runnable releasing(Runnable body) {
        return () -> {
            try {
                body.run();
            } finally {
                HELD.decrementAndGet();
            }
        };
    }
}
