package dev.parley.runtime.udp;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A stream between two processes of one machine that also carries open sockets (unix(7),
 * SCM_RIGHTS), which the JDK's own does not. Names are in Linux' abstract namespace: they need no
 * file, end with the process, and belong to a network namespace as ports do. Linux on x86_64 and
 * aarch64 only.
 *
 * <p>Calls block, also the carrier of a virtual thread, so a platform thread makes them.
 */
public final class LocalSocket implements AutoCloseable {
    /** Sockets that one {@link #sendDescriptors} may carry, of the kernel's 253. */
    public static final int MAX_DESCRIPTORS = 128;

    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int CLOEXEC = 0x80000;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int SCM_RIGHTS = 1;
    private static final int SHUT_RDWR = 2;
    private static final int MSG_PEEK = 2;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x4000_0000;
    private static final int BACKLOG = 4;
    private static final int CHUNK = 1 << 16;

    // struct ucred: pid, uid, gid.
    private static final int CREDENTIALS = 3;
    private static final int UID = 1;

    // struct sockaddr_un: family 2 | path 108, which in the abstract namespace begins with a 0.
    private static final int PATH = 2;
    private static final int MAX_NAME = 107;

    // struct msghdr and struct cmsghdr, see MessageVectors.
    private static final int MESSAGE_BYTES = 56;
    private static final int VECTOR = 16;
    private static final int VECTOR_COUNT = 24;
    private static final int CONTROL = 32;
    private static final int CONTROL_LENGTH = 40;
    private static final int CONTROL_HEADER = 16;

    private static final MethodHandle LISTEN = Libc.find("listen", JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT4 =
            Libc.find("accept4", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SENDMSG = Libc.find("sendmsg", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RECVMSG = Libc.find("recvmsg", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle SEND =
            Libc.find("send", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle RECV =
            Libc.find("recv", JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SHUTDOWN = Libc.find("shutdown", JAVA_INT, JAVA_INT);
    private static final MethodHandle GETEUID = Libc.find("geteuid");

    private final int descriptor;
    private boolean closed;

    private LocalSocket(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Whether this machine has such sockets. */
    public static boolean isSupported() {
        return LinuxUdpPoller.isSupported();
    }

    /**
     * Takes connections under a name.
     *
     * @throws IOException when the name is taken; the message has the system's reason
     */
    public static LocalSocket listen(String name) throws IOException {
        LocalSocket socket = open();
        try (Arena arena = Arena.ofConfined()) {
            Libc.bind(socket.descriptor, address(name, arena));
            var _ = Libc.check(s -> (int) LISTEN.invokeExact(s, socket.descriptor, BACKLOG));
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Connects to who listens under a name; null when nobody does. */
    public static @Nullable LocalSocket connect(String name) {
        LocalSocket socket = null;
        try (Arena arena = Arena.ofConfined()) {
            socket = open();
            Libc.connect(socket.descriptor, address(name, arena));
            return socket;
        } catch (IOException _) {
            if (socket != null) {
                socket.close();
            }
            return null;
        }
    }

    private static LocalSocket open() throws IOException {
        return new LocalSocket(Libc.socket(AF_UNIX, SOCK_STREAM | CLOEXEC));
    }

    private static MemorySegment address(String name, Arena arena) throws IOException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_NAME) {
            throw new IOException("the name is longer than " + MAX_NAME + " bytes");
        }
        MemorySegment address = arena.allocate(PATH + 1 + bytes.length, 8);
        address.set(JAVA_SHORT, 0, (short) AF_UNIX);
        MemorySegment.copy(bytes, 0, address, JAVA_BYTE, PATH + 1, bytes.length);
        return address;
    }

    /** Waits for a connection. {@link #shutdown} ends the waiting with an exception. */
    public LocalSocket accept() throws IOException {
        return new LocalSocket(
                Libc.checkWaiting(s -> (int) ACCEPT4.invokeExact(s, descriptor, 0L, 0L, CLOEXEC)));
    }

    /** Whether the other side runs as the same user, or as root. */
    public boolean isPeerTrusted() throws IOException {
        int peer = Libc.getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, CREDENTIALS, UID);
        return peer == 0 || peer == Libc.check(s -> (int) GETEUID.invokeExact(s));
    }

    /** Limits how long a later call waits; zero for ever. */
    public void timeout(Duration time) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            // struct timeval: seconds, microseconds.
            MemorySegment value = arena.allocate(JAVA_LONG, 2);
            value.setAtIndex(JAVA_LONG, 0, time.toSeconds());
            value.setAtIndex(JAVA_LONG, 1, time.toNanosPart() / 1_000L);
            Libc.setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, value);
            Libc.setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, value);
        }
    }

    /** Sends all that remains in a buffer. */
    public void send(ByteBuffer bytes) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment chunk = arena.allocate(CHUNK);
            while (bytes.hasRemaining()) {
                int length = Math.min(CHUNK, bytes.remaining());
                MemorySegment.copy(MemorySegment.ofBuffer(bytes), 0, chunk, 0, length);
                int sent =
                        Libc.checkWaiting(
                                s ->
                                        (int)
                                                SEND.invokeExact(
                                                        s,
                                                        descriptor,
                                                        chunk,
                                                        (long) length,
                                                        MSG_NOSIGNAL));
                bytes.position(bytes.position() + sent);
            }
        }
    }

    /**
     * Fills a buffer.
     *
     * @throws EOFException when the other side is gone
     */
    public void receive(ByteBuffer into) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment chunk = arena.allocate(CHUNK);
            while (into.hasRemaining()) {
                int room = Math.min(CHUNK, into.remaining());
                int received =
                        Libc.checkWaiting(
                                s -> (int) RECV.invokeExact(s, descriptor, chunk, (long) room, 0));
                if (received == 0) {
                    throw new EOFException("the other side is gone");
                }
                into.put(chunk.asSlice(0, received).asByteBuffer());
            }
        }
    }

    /** Whether the other side has closed, or has ended. */
    public boolean isPeerGone() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocate(1);
            int flags = MSG_PEEK | MSG_DONTWAIT;
            return Libc.check(s -> (int) RECV.invokeExact(s, descriptor, one, 1L, flags)) == 0;
        } catch (IOException e) {
            return !Libc.text(Errno.EAGAIN).equals(e.getMessage());
        }
    }

    /** Gives the other side copies of our sockets; ours stay open. */
    public void sendDescriptors(int[] descriptors) throws IOException {
        if (descriptors.length > MAX_DESCRIPTORS) {
            throw new IOException("more than " + MAX_DESCRIPTORS + " sockets at once");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = message(arena, descriptors.length);
            MemorySegment control = control(message, descriptors.length);
            control.set(JAVA_LONG, 0, CONTROL_HEADER + 4L * descriptors.length);
            control.set(JAVA_INT, 8, SOL_SOCKET);
            control.set(JAVA_INT, 12, SCM_RIGHTS);
            for (int i = 0; i < descriptors.length; i++) {
                control.set(JAVA_INT, CONTROL_HEADER + 4L * i, descriptors[i]);
            }
            var _ =
                    Libc.checkWaiting(
                            s -> (int) SENDMSG.invokeExact(s, descriptor, message, MSG_NOSIGNAL));
        }
    }

    /** Takes as many sockets as the other side has given; they are ours to close. */
    public int[] receiveDescriptors() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment message = message(arena, MAX_DESCRIPTORS);
            MemorySegment control = control(message, MAX_DESCRIPTORS);
            int received =
                    Libc.checkWaiting(
                            s ->
                                    (int)
                                            RECVMSG.invokeExact(
                                                    s, descriptor, message, MSG_CMSG_CLOEXEC));
            if (received == 0) {
                throw new EOFException("the other side is gone");
            }
            boolean rights =
                    message.get(JAVA_LONG, CONTROL_LENGTH) >= CONTROL_HEADER
                            && control.get(JAVA_INT, 8) == SOL_SOCKET
                            && control.get(JAVA_INT, 12) == SCM_RIGHTS;
            int count = rights ? (int) (control.get(JAVA_LONG, 0) - CONTROL_HEADER) / 4 : 0;
            int[] descriptors = new int[count];
            for (int i = 0; i < count; i++) {
                descriptors[i] = control.get(JAVA_INT, CONTROL_HEADER + 4L * i);
            }
            return descriptors;
        }
    }

    /** A message of one byte with room for sockets beside it. */
    private static MemorySegment message(Arena arena, int descriptors) {
        MemorySegment message = arena.allocate(MESSAGE_BYTES, 8);
        MemorySegment vector = arena.allocate(JAVA_LONG, 2);
        vector.setAtIndex(JAVA_LONG, 0, arena.allocate(1).address());
        vector.setAtIndex(JAVA_LONG, 1, 1);
        long controlBytes = (CONTROL_HEADER + 4L * descriptors + 7) & ~7L;
        message.set(JAVA_LONG, VECTOR, vector.address());
        message.set(JAVA_LONG, VECTOR_COUNT, 1L);
        message.set(JAVA_LONG, CONTROL, arena.allocate(controlBytes, 8).address());
        message.set(JAVA_LONG, CONTROL_LENGTH, controlBytes);
        return message;
    }

    @SuppressWarnings("restricted") // The memory is the message's own.
    private static MemorySegment control(MemorySegment message, int descriptors) {
        return MemorySegment.ofAddress(message.get(JAVA_LONG, CONTROL))
                .reinterpret(CONTROL_HEADER + 4L * descriptors);
    }

    /** Closes a socket that came by {@link #receiveDescriptors} and is not used. */
    public static void discard(int descriptor) {
        try {
            Libc.close(descriptor);
        } catch (IOException _) {
            // It is gone either way.
        }
    }

    /** Ends what waits in this socket; any thread may call it before {@link #close}. */
    public synchronized void shutdown() {
        if (!closed) {
            try {
                var _ = Libc.check(s -> (int) SHUTDOWN.invokeExact(s, descriptor, SHUT_RDWR));
            } catch (IOException _) {
                // Nothing waited, and nothing will.
            }
        }
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            discard(descriptor);
        }
    }
}
