package dev.parley.e2e.lab;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A TUN device: a network interface whose other end is this object. It can be moved to another
 * namespace and stays readable from here. One thread reads it, any thread writes it.
 */
@SuppressWarnings("restricted") // calls into libc are what this class is for
public final class Tun implements Closeable {
    private static final int MAX_PACKET = 65_535;
    private static final int O_RDWR = 2;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_CLOEXEC = 0x80000;
    private static final long TUNSETIFF = 0x400454CAL;
    // IFF_TUN and IFF_NO_PI: whole IP packets, nothing in front of them.
    private static final short FLAGS = 0x0001 | 0x1000;
    private static final int NAME_LENGTH = 16;
    private static final int IFREQ_LENGTH = 40;
    private static final short POLLIN = 1;
    private static final int EAGAIN = 11;
    private static final int EINTR = 4;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO = Linker.Option.captureCallState("errno");
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO_FIELD =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MethodHandle OPEN =
            call(
                    "open",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle CLOSE =
            call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    private static final MethodHandle IOCTL =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("ioctl"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS),
                    ERRNO,
                    Linker.Option.firstVariadicArg(2));
    private static final FunctionDescriptor TRANSFER =
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG);
    private static final MethodHandle READ = call("read", TRANSFER);
    private static final MethodHandle WRITE = call("write", TRANSFER);
    private static final MethodHandle PPOLL =
            call(
                    "ppoll",
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            ValueLayout.ADDRESS,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.ADDRESS,
                            ValueLayout.ADDRESS));

    private final Arena arena = Arena.ofShared();
    private final MemorySegment readState = arena.allocate(STATE);
    private final MemorySegment readBuffer = arena.allocate(MAX_PACKET);
    private final MemorySegment pollRequest = arena.allocate(8, 4);
    private final MemorySegment timeout = arena.allocate(16, 8);
    private final int descriptor;

    /** Creates the interface of this name in the namespace of this process. */
    public Tun(String name) throws IOException {
        MemorySegment path = arena.allocateFrom("/dev/net/tun");
        descriptor = (int) invoke(OPEN, readState, path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
        check(descriptor >= 0, "open /dev/net/tun");
        MemorySegment request = arena.allocate(IFREQ_LENGTH, 8);
        byte[] text = name.getBytes(StandardCharsets.US_ASCII);
        if (text.length >= NAME_LENGTH) {
            throw new IllegalArgumentException("longer than an interface name may be: " + name);
        }
        MemorySegment.copy(text, 0, request, ValueLayout.JAVA_BYTE, 0, text.length);
        request.set(ValueLayout.JAVA_SHORT, NAME_LENGTH, FLAGS);
        boolean made = (int) invoke(IOCTL, readState, descriptor, TUNSETIFF, request) == 0;
        if (!made) {
            int error = (int) ERRNO_FIELD.get(readState, 0L);
            close();
            throw new IOException("TUNSETIFF " + name + ": errno " + error);
        }
        pollRequest.set(ValueLayout.JAVA_INT, 0, descriptor);
        pollRequest.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
    }

    /** Waits until a packet can be read, or the time is over. */
    public void await(long nanos) {
        timeout.set(ValueLayout.JAVA_LONG, 0, nanos / 1_000_000_000L);
        timeout.set(ValueLayout.JAVA_LONG, 8, nanos % 1_000_000_000L);
        var _ = invoke(PPOLL, readState, pollRequest, 1L, timeout, MemorySegment.NULL);
    }

    /** The next packet that the namespace sent, or null when there is none. */
    public byte @Nullable [] poll() throws IOException {
        long length = (long) invoke(READ, readState, descriptor, readBuffer, (long) MAX_PACKET);
        if (length < 0) {
            int error = (int) ERRNO_FIELD.get(readState, 0L);
            if (error == EAGAIN || error == EINTR) {
                return null;
            }
            throw new IOException("read: errno " + error);
        }
        return readBuffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** Lets the namespace receive a packet; one that it cannot take is lost. */
    public void write(byte[] packet) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment bytes = call.allocateFrom(ValueLayout.JAVA_BYTE, packet);
            var _ = invoke(WRITE, call.allocate(STATE), descriptor, bytes, (long) packet.length);
        }
    }

    private void check(boolean ok, String what) throws IOException {
        if (!ok) {
            int error = (int) ERRNO_FIELD.get(readState, 0L);
            arena.close();
            throw new IOException(what + ": errno " + error);
        }
    }

    private static MethodHandle call(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, ERRNO);
    }

    private static Object invoke(MethodHandle function, Object... arguments) {
        try {
            return function.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Removes the interface wherever it is. Nobody may be reading or writing any more. */
    @Override
    public void close() {
        var _ = invoke(CLOSE, readState, descriptor);
        arena.close();
    }
}
