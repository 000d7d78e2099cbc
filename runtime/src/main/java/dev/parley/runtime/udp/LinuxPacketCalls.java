package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The packet loop's system calls on Linux. One poller's thread owns each instance.
 *
 * <p>Each call has two handles. The one of every packet takes primitives only and does not tell
 * errno: the JDK slices a segment for errno with each call, which is garbage whenever the compiler
 * does not see through it. Only when that one fails is the call made again by the other, which
 * tells errno, or succeeds because what was wrong has passed.
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
    private static final MemoryLayout[] RECEIVE = {
        JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_LONG
    };
    private static final MemoryLayout[] SEND = {JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT};
    private static final MemoryLayout[] WAIT = {JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_INT};
    private static final MemoryLayout[] WAIT2 = {
        JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG
    };
    private static final MethodHandle RECVMMSG = Libc.findWithoutErrno("recvmmsg", RECEIVE);
    private static final MethodHandle RECVMMSG_ERRNO = Libc.find("recvmmsg", RECEIVE);
    private static final MethodHandle SENDMMSG = Libc.findWithoutErrno("sendmmsg", SEND);
    private static final MethodHandle SENDMMSG_ERRNO = Libc.find("sendmmsg", SEND);
    private static final MethodHandle EPOLL_WAIT = Libc.findWithoutErrno("epoll_wait", WAIT);
    private static final MethodHandle EPOLL_WAIT_ERRNO = Libc.find("epoll_wait", WAIT);
    private static final boolean HAS_PWAIT2 =
            Libc.LINKER.defaultLookup().find("epoll_pwait2").isPresent();
    // glibc 2.35 and Linux 5.11; epoll_wait stands in its place where it is missing.
    private static final MethodHandle EPOLL_PWAIT2 =
            Libc.findWithoutErrno(HAS_PWAIT2 ? "epoll_pwait2" : "epoll_pwait", WAIT2);
    // Reads the 8-byte count of a timer as well.
    private static final MethodHandle EVENTFD_READ =
            Libc.findWithoutErrno("eventfd_read", JAVA_INT, JAVA_LONG);
    private static final MethodHandle EVENTFD_WRITE =
            Libc.findWithoutErrno("eventfd_write", JAVA_INT, JAVA_LONG);

    private final MemorySegment firings = Arena.ofAuto().allocate(JAVA_LONG);
    private final MemorySegment callState = Arena.ofAuto().allocate(Libc.CALL_STATE);
    private final MemorySegment timespec = Arena.ofAuto().allocate(16, 8);
    private boolean precise = HAS_PWAIT2;

    @Override
    public int receive(int descriptor, long messages, int count) {
        try {
            int received =
                    (int) RECVMMSG.invokeExact(descriptor, messages, count, MSG_DONTWAIT, 0L);
            return received >= 0 ? received : receiveAgain(descriptor, messages, count);
        } catch (Throwable e) {
            throw new LinkageError("recvmmsg", e);
        }
    }

    private int receiveAgain(int descriptor, long messages, int count) throws Throwable {
        int received =
                (int)
                        RECVMMSG_ERRNO.invokeExact(
                                callState, descriptor, messages, count, MSG_DONTWAIT, 0L);
        return received >= 0 ? received : -errno();
    }

    @Override
    public int send(int descriptor, long messages, int count) {
        try {
            int sent = (int) SENDMMSG.invokeExact(descriptor, messages, count, MSG_DONTWAIT);
            return sent >= 0 ? sent : sendAgain(descriptor, messages, count);
        } catch (Throwable e) {
            throw new LinkageError("sendmmsg", e);
        }
    }

    private int sendAgain(int descriptor, long messages, int count) throws Throwable {
        int sent =
                (int)
                        SENDMMSG_ERRNO.invokeExact(
                                callState, descriptor, messages, count, MSG_DONTWAIT);
        return sent >= 0 ? sent : -errno();
    }

    @Override
    public int await(int epoll, long events, int count, long timeoutNanos) {
        try {
            int ready =
                    precise
                            ? waitPrecisely(epoll, events, count, timeoutNanos)
                            : (int)
                                    EPOLL_WAIT.invokeExact(
                                            epoll, events, count, wholeMillis(timeoutNanos));
            return ready >= 0 ? ready : lookAgain(epoll, events, count);
        } catch (Throwable e) {
            throw new LinkageError("epoll_wait", e);
        }
    }

    private int waitPrecisely(int epoll, long events, int count, long timeoutNanos)
            throws Throwable {
        long timeout = 0;
        if (timeoutNanos != FOREVER) {
            long nanos = Math.max(0, timeoutNanos);
            timespec.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
            timespec.set(JAVA_LONG, 8, nanos % NANOS_PER_SECOND);
            timeout = timespec.address();
        }
        return (int) EPOLL_PWAIT2.invokeExact(epoll, events, count, timeout, 0L);
    }

    // A signal came, or an older kernel or a sandbox refuses the newer call; then the older one
    // serves from now on.
    private int lookAgain(int epoll, long events, int count) throws Throwable {
        if (precise) {
            timespec.fill((byte) 0);
            long atOnce = timespec.address();
            int ready = (int) EPOLL_PWAIT2.invokeExact(epoll, events, count, atOnce, 0L);
            precise = ready >= 0;
            if (precise) {
                return ready;
            }
        }
        int ready = (int) EPOLL_WAIT_ERRNO.invokeExact(callState, epoll, events, count, 0);
        return ready >= 0 ? ready : -errno();
    }

    @Override
    public void takeFirings(int timer) {
        try {
            // Fails only when the timer was set anew in the meantime.
            var _ = (int) EVENTFD_READ.invokeExact(timer, firings.address());
        } catch (Throwable e) {
            throw new LinkageError("read", e);
        }
    }

    /** Makes an eventfd readable; any thread may call it. */
    static void wake(int eventfd) {
        try {
            // Fails only when it is closed, and then nobody waits any more.
            var _ = (int) EVENTFD_WRITE.invokeExact(eventfd, 1L);
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
