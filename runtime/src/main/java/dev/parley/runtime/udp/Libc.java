package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The C library's calls that open and set up sockets, as Java methods that throw its error texts.
 * Linux on x86_64 and aarch64 only; not for each packet.
 */
@SuppressWarnings("restricted") // Calling C is what this class is for.
final class Libc {
    static final Linker LINKER = Linker.nativeLinker();
    static final Linker.Option CAPTURE_ERRNO = Linker.Option.captureCallState("errno");
    static final MemoryLayout CALL_STATE = Linker.Option.captureStateLayout();
    static final long ERRNO_OFFSET =
            CALL_STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));

    private static final int MAX_ERROR_TEXT = 256;
    private static final int CLOCK_MONOTONIC = 1;
    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private static final MethodHandle SOCKET = find("socket", JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle BIND = find("bind", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKNAME = find("getsockname", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SETSOCKOPT =
            find("setsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle GETSOCKOPT =
            find("getsockopt", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle CONNECT = find("connect", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle CLOSE = find("close", JAVA_INT);
    private static final MethodHandle EPOLL_CREATE1 = find("epoll_create1", JAVA_INT);
    private static final MethodHandle EPOLL_CTL =
            find("epoll_ctl", JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle EVENTFD = find("eventfd", JAVA_INT, JAVA_INT);
    private static final MethodHandle TIMERFD_CREATE = find("timerfd_create", JAVA_INT, JAVA_INT);
    private static final MethodHandle TIMERFD_SETTIME =
            find("timerfd_settime", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle SCHED_SETAFFINITY =
            find("sched_setaffinity", JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle SCHED_GETAFFINITY =
            find("sched_getaffinity", JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle STRERROR =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("strerror"),
                    FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Libc() {}

    /** A call that answers an int, negative for an error, and tells errno. */
    static MethodHandle find(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, arguments),
                CAPTURE_ERRNO);
    }

    /** The same without errno; with primitive arguments only, such a call allocates nothing. */
    static MethodHandle findWithoutErrno(String name, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(JAVA_INT, arguments));
    }

    /**
     * Any system call, by its number and six arguments; answers a negative number for an error.
     * With primitive arguments only and without errno, such a call allocates nothing.
     */
    static MethodHandle syscall(Linker.Option... options) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow("syscall"),
                FunctionDescriptor.of(
                        JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                        JAVA_LONG),
                options);
    }

    static int socket(int family, int type) throws IOException {
        return check(state -> (int) SOCKET.invokeExact(state, family, type, 0));
    }

    static void bind(int descriptor, MemorySegment address) throws IOException {
        var _ =
                check(
                        state ->
                                (int)
                                        BIND.invokeExact(
                                                state,
                                                descriptor,
                                                address,
                                                (int) address.byteSize()));
    }

    static void connect(int descriptor, MemorySegment address) throws IOException {
        var _ =
                check(
                        state ->
                                (int)
                                        CONNECT.invokeExact(
                                                state,
                                                descriptor,
                                                address,
                                                (int) address.byteSize()));
    }

    /** Fills in the address that the socket is bound to. */
    static void getsockname(int descriptor, MemorySegment address) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) address.byteSize());
            var _ =
                    check(
                            state ->
                                    (int)
                                            GETSOCKNAME.invokeExact(
                                                    state, descriptor, address, length));
        }
    }

    static void setsockopt(int descriptor, int level, int option, int value) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            setsockopt(descriptor, level, option, arena.allocateFrom(JAVA_INT, value));
        }
    }

    static void setsockopt(int descriptor, int level, int option, MemorySegment value)
            throws IOException {
        var _ =
                check(
                        state ->
                                (int)
                                        SETSOCKOPT.invokeExact(
                                                state,
                                                descriptor,
                                                level,
                                                option,
                                                value,
                                                (int) value.byteSize()));
    }

    /** Reads an option of 32-bit numbers and answers the one at an index. */
    static int getsockopt(int descriptor, int level, int option, int count, int index)
            throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(JAVA_INT, count);
            MemorySegment length = arena.allocateFrom(JAVA_INT, (int) values.byteSize());
            var _ =
                    check(
                            state ->
                                    (int)
                                            GETSOCKOPT.invokeExact(
                                                    state,
                                                    descriptor,
                                                    level,
                                                    option,
                                                    values,
                                                    length));
            return values.getAtIndex(JAVA_INT, index);
        }
    }

    static void close(int descriptor) throws IOException {
        var _ = check(state -> (int) CLOSE.invokeExact(state, descriptor));
    }

    static int epollCreate(int flags) throws IOException {
        return check(state -> (int) EPOLL_CREATE1.invokeExact(state, flags));
    }

    static void epollControl(int epoll, int operation, int descriptor, MemorySegment event)
            throws IOException {
        var _ =
                check(
                        state ->
                                (int)
                                        EPOLL_CTL.invokeExact(
                                                state, epoll, operation, descriptor, event));
    }

    static int eventfd(int flags) throws IOException {
        return check(state -> (int) EVENTFD.invokeExact(state, 0, flags));
    }

    /** A timer that counts seconds since the system's start. */
    static int timerfd(int flags) throws IOException {
        return check(state -> (int) TIMERFD_CREATE.invokeExact(state, CLOCK_MONOTONIC, flags));
    }

    /** Makes a timer fire again and again; 0 stops it. */
    static void timerfdSettime(int descriptor, long intervalNanos) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            // struct itimerspec: interval, then the first time, each in seconds and nanoseconds.
            MemorySegment times = arena.allocate(JAVA_LONG, 4);
            for (int i = 0; i < 4; i += 2) {
                times.setAtIndex(JAVA_LONG, i, intervalNanos / NANOS_PER_SECOND);
                times.setAtIndex(JAVA_LONG, i + 1, intervalNanos % NANOS_PER_SECOND);
            }
            var _ =
                    check(
                            state ->
                                    (int)
                                            TIMERFD_SETTIME.invokeExact(
                                                    state,
                                                    descriptor,
                                                    0,
                                                    times,
                                                    MemorySegment.NULL));
        }
    }

    /** Says on which cores the calling thread may run, as a bit mask. */
    static void schedSetaffinity(MemorySegment mask) throws IOException {
        var _ =
                check(
                        state ->
                                (int)
                                        SCHED_SETAFFINITY.invokeExact(
                                                state, 0, mask.byteSize(), mask));
    }

    static void schedGetaffinity(MemorySegment mask) throws IOException {
        var _ =
                check(
                        state ->
                                (int)
                                        SCHED_GETAFFINITY.invokeExact(
                                                state, 0, mask.byteSize(), mask));
    }

    /** The system's text for an error number. */
    static String text(int errno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return text.reinterpret(MAX_ERROR_TEXT).getString(0);
        } catch (Throwable e) {
            throw new LinkageError("strerror", e);
        }
    }

    /** One call; the state takes its errno. */
    interface Call {
        int invoke(MemorySegment callState) throws Throwable;
    }

    /** Makes a call; an answer below 0 is thrown as errno's text. */
    static int check(Call call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            int result = invoke(call, state);
            if (result < 0) {
                throw new IOException(text(state.get(JAVA_INT, ERRNO_OFFSET)));
            }
            return result;
        }
    }

    // signal(7): calls that wait with a timeout fail with EINTR also when the process was stopped
    // and goes on, without any handler.
    /** The same for a call that waits: one that a signal has ended is made again. */
    static int checkWaiting(Call call) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(CALL_STATE);
            while (true) {
                int result = invoke(call, state);
                if (result >= 0) {
                    return result;
                }
                int errno = state.get(JAVA_INT, ERRNO_OFFSET);
                if (errno != Errno.EINTR) {
                    throw new IOException(text(errno));
                }
            }
        }
    }

    private static int invoke(Call call, MemorySegment state) {
        try {
            return call.invoke(state);
        } catch (Throwable e) {
            throw new LinkageError("system call", e);
        }
    }
}
