package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The packet loop's system calls on Linux. One poller's thread owns each instance.
 *
 * <p>They go through the C library's {@code syscall}: its functions of their names are points of
 * cancellation, which costs two atomic operations around each call and serves nobody here.
 *
 * <p>The handles of every packet take primitives only and do not tell errno: the JDK slices a
 * segment for errno with each call, which is garbage whenever the compiler does not see through it.
 * Only when a call fails is it made again by a handle that tells errno, or succeeds because what
 * was wrong has passed.
 *
 * <p>Receiving and sending never wait, so their handle is a critical one: the thread stays in Java
 * as far as the JVM knows, which saves two changes of its state with a fence each. What asks all
 * threads to stop waits for one batch at most, a fraction of a millisecond.
 *
 * <p>A waiting {@link #await} keeps the carrier of a virtual thread, on purpose: it is the reader
 * locked to a thread, at half the cost of parking.
 */
final class LinuxPacketCalls implements PacketCalls {
    private static final long FOREVER = Long.MAX_VALUE;
    private static final long MSG_DONTWAIT = 0x40;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;
    private static final long NANOS_PER_MILLI = 1_000_000L;

    private static final boolean AARCH64 = LinuxUdpPoller.isAarch64();
    private static final long RECVMMSG = AARCH64 ? 243 : 299;
    private static final long SENDMMSG = AARCH64 ? 269 : 307;
    private static final long EPOLL_PWAIT = AARCH64 ? 22 : 281;
    // Linux 5.11; the older one stands in its place where it is missing.
    private static final long EPOLL_PWAIT2 = 441;

    // Pointers go as plain longs: the memory belongs to objects that outlive the call.
    private static final MethodHandle AT_ONCE = Libc.syscall(Linker.Option.critical(false));
    private static final MethodHandle WAITING = Libc.syscall();
    private static final MethodHandle TELLING_ERRNO = Libc.syscall(Libc.CAPTURE_ERRNO);
    // Reads the 8-byte count of a timer as well.
    private static final MethodHandle EVENTFD_READ =
            Libc.findWithoutErrno("eventfd_read", JAVA_INT, JAVA_LONG);
    private static final MethodHandle EVENTFD_WRITE =
            Libc.findWithoutErrno("eventfd_write", JAVA_INT, JAVA_LONG);

    private final MemorySegment firings = Arena.ofAuto().allocate(JAVA_LONG);
    private final MemorySegment callState = Arena.ofAuto().allocate(Libc.CALL_STATE);
    private final MemorySegment timespec = Arena.ofAuto().allocate(16, 8);
    private boolean precise = true;

    @Override
    public int receive(int descriptor, long messages, int count) {
        try {
            long received =
                    (long)
                            AT_ONCE.invokeExact(
                                    RECVMMSG,
                                    (long) descriptor,
                                    messages,
                                    (long) count,
                                    MSG_DONTWAIT,
                                    0L,
                                    0L);
            return received >= 0
                    ? (int) received
                    : again(RECVMMSG, descriptor, messages, count, MSG_DONTWAIT);
        } catch (Throwable e) {
            throw new LinkageError("recvmmsg", e);
        }
    }

    @Override
    public int send(int descriptor, long messages, int count) {
        try {
            long sent =
                    (long)
                            AT_ONCE.invokeExact(
                                    SENDMMSG,
                                    (long) descriptor,
                                    messages,
                                    (long) count,
                                    MSG_DONTWAIT,
                                    0L,
                                    0L);
            return sent >= 0
                    ? (int) sent
                    : again(SENDMMSG, descriptor, messages, count, MSG_DONTWAIT);
        } catch (Throwable e) {
            throw new LinkageError("sendmmsg", e);
        }
    }

    private int again(long number, long first, long second, long third, long fourth)
            throws Throwable {
        long result =
                (long)
                        TELLING_ERRNO.invokeExact(
                                callState, number, first, second, third, fourth, 0L, 0L);
        return result >= 0 ? (int) result : -callState.get(JAVA_INT, Libc.ERRNO_OFFSET);
    }

    @Override
    public int await(int epoll, long events, int count, long timeoutNanos) {
        try {
            long ready =
                    precise
                            ? waitPrecisely(epoll, events, count, timeoutNanos)
                            : (long)
                                    WAITING.invokeExact(
                                            EPOLL_PWAIT,
                                            (long) epoll,
                                            events,
                                            (long) count,
                                            wholeMillis(timeoutNanos),
                                            0L,
                                            0L);
            return ready >= 0 ? (int) ready : lookAgain(epoll, events, count);
        } catch (Throwable e) {
            throw new LinkageError("epoll_pwait2", e);
        }
    }

    private long waitPrecisely(int epoll, long events, int count, long timeoutNanos)
            throws Throwable {
        long timeout = 0;
        if (timeoutNanos != FOREVER) {
            long nanos = Math.max(0, timeoutNanos);
            timespec.set(JAVA_LONG, 0, nanos / NANOS_PER_SECOND);
            timespec.set(JAVA_LONG, 8, nanos % NANOS_PER_SECOND);
            timeout = timespec.address();
        }
        return (long)
                WAITING.invokeExact(
                        EPOLL_PWAIT2, (long) epoll, events, (long) count, timeout, 0L, 0L);
    }

    // A signal came, or an older kernel or a sandbox refuses the newer call; then the older one
    // serves from now on.
    private int lookAgain(int epoll, long events, int count) throws Throwable {
        if (precise) {
            timespec.fill((byte) 0);
            int ready = again(EPOLL_PWAIT2, epoll, events, count, timespec.address());
            precise = ready >= 0;
            if (precise) {
                return ready;
            }
        }
        return again(EPOLL_PWAIT, epoll, events, count, 0);
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

    private static long wholeMillis(long timeoutNanos) {
        if (timeoutNanos == FOREVER) {
            return -1;
        }
        long millis = Math.ceilDiv(Math.max(0, timeoutNanos), NANOS_PER_MILLI);
        return Math.min(millis, Integer.MAX_VALUE);
    }
}
