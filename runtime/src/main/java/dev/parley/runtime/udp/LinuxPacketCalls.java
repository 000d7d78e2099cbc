package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The packet loop's system calls on Linux. One poller's thread owns each instance, because the
 * errno of a call is left in it. Allocates nothing per call.
 *
 * <p>A waiting {@link #await} keeps the carrier of a virtual thread, on purpose: it is the reader
 * locked to a thread, at half the cost of parking.
 */
final class LinuxPacketCalls implements PacketCalls {
    private static final long FOREVER = Long.MAX_VALUE;
    private static final int MSG_DONTWAIT = 0x40;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    // Pointers go as plain longs: the memory belongs to objects that outlive the call.
    private static final MethodHandle RECVMMSG =
            Libc.find("recvmmsg", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle SENDMMSG =
            Libc.find("sendmmsg", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final MethodHandle EPOLL_WAIT =
            Libc.find("epoll_wait", JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT);
    private static final boolean HAS_PWAIT2 =
            Libc.LINKER.defaultLookup().find("epoll_pwait2").isPresent();
    // glibc 2.35 and Linux 5.11; the plain call stands in its place where it is missing.
    private static final MethodHandle EPOLL_PWAIT2 =
            Libc.find(
                    HAS_PWAIT2 ? "epoll_pwait2" : "epoll_pwait",
                    JAVA_INT,
                    JAVA_LONG,
                    JAVA_INT,
                    JAVA_LONG,
                    JAVA_LONG);

    // Reads the 8-byte count of a timer as well.
    private static final MethodHandle EVENTFD_READ = Libc.find("eventfd_read", JAVA_INT, JAVA_LONG);

    private static final MethodHandle EVENTFD_WRITE =
            Libc.find("eventfd_write", JAVA_INT, JAVA_LONG);

    /** Where calls of any thread leave an errno that nobody reads. */
    private static final MemorySegment UNREAD = Arena.global().allocate(Libc.CALL_STATE);

    private final MemorySegment firings = Arena.ofAuto().allocate(JAVA_LONG);
    private final MemorySegment callState = Arena.ofAuto().allocate(Libc.CALL_STATE);
    private final MemorySegment timespec = Arena.ofAuto().allocate(16, 8);
    private boolean precise = HAS_PWAIT2;

    @Override
    public int receive(int descriptor, long messages, int count) {
        try {
            int received =
                    (int)
                            RECVMMSG.invokeExact(
                                    callState, descriptor, messages, count, MSG_DONTWAIT, 0L);
            return received >= 0 ? received : -errno();
        } catch (Throwable e) {
            throw new LinkageError("recvmmsg", e);
        }
    }

    @Override
    public int send(int descriptor, long messages, int count) {
        try {
            int sent =
                    (int)
                            SENDMMSG.invokeExact(
                                    callState, descriptor, messages, count, MSG_DONTWAIT);
            return sent >= 0 ? sent : -errno();
        } catch (Throwable e) {
            throw new LinkageError("sendmmsg", e);
        }
    }

    @Override
    public int await(int epoll, long events, int count, long timeoutNanos) {
        if (precise) {
            int result = awaitPrecisely(epoll, events, count, timeoutNanos);
            // Older kernels and some sandboxes refuse the newer call.
            precise = result != -Errno.ENOSYS && result != -Errno.EPERM;
            if (precise) {
                return result;
            }
        }
        int timeoutMillis = wholeMillis(timeoutNanos);
        try {
            int result =
                    (int) EPOLL_WAIT.invokeExact(callState, epoll, events, count, timeoutMillis);
            return result >= 0 ? result : -errno();
        } catch (Throwable e) {
            throw new LinkageError("epoll_wait", e);
        }
    }

    private int awaitPrecisely(int epoll, long events, int count, long timeoutNanos) {
        long timeout = 0;
        if (timeoutNanos != FOREVER) {
            long nanos = Math.max(0, timeoutNanos);
            timespec.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
            timespec.set(JAVA_LONG, 8, nanos % NANOS_PER_SECOND);
            timeout = timespec.address();
        }
        try {
            int result =
                    (int) EPOLL_PWAIT2.invokeExact(callState, epoll, events, count, timeout, 0L);
            return result >= 0 ? result : -errno();
        } catch (Throwable e) {
            throw new LinkageError("epoll_pwait2", e);
        }
    }

    @Override
    public void takeFirings(int timer) {
        try {
            // Fails only when the timer was set anew in the meantime.
            var _ = (int) EVENTFD_READ.invokeExact(callState, timer, firings.address());
        } catch (Throwable e) {
            throw new LinkageError("read", e);
        }
    }

    /** Makes an eventfd readable; any thread may call it. */
    static void wake(int eventfd) {
        try {
            // Fails only when it is closed, and then nobody waits any more.
            var _ = (int) EVENTFD_WRITE.invokeExact(UNREAD, eventfd, 1L);
        } catch (Throwable e) {
            throw new LinkageError("eventfd_write", e);
        }
    }

    private static int wholeMillis(long timeoutNanos) {
        if (timeoutNanos == FOREVER) {
            return -1;
        }
        long millis = Math.ceilDiv(Math.max(0, timeoutNanos), NANOS_PER_MILLI);
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    private int errno() {
        return callState.get(JAVA_INT, Libc.ERRNO_OFFSET);
    }
}
