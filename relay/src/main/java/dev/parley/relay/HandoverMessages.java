package dev.parley.relay;

import dev.parley.runtime.udp.LocalSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What two relay processes say to each other when one takes over from the other, in this order.
 *
 * <pre>
 * successor:   magic 4 | version 4 | text: the addresses it is to serve
 * predecessor: 0 4 | text: why not              or
 *              workers 4, and for each worker:
 *              its sockets (SCM_RIGHTS), public ones in order, then the one towards transceivers,
 *              then the one towards other clusters' relays if it has legs
 *              bytes 4 | flows (FlowTransfer)
 * successor:   confirmation 4, when it reads the sockets
 * predecessor: agreement 4, when it is not too late for that (version 3)
 * successor:   superseded 4, when a third relay reads them: the predecessor is to let go of them
 * text:        bytes 4 | UTF-8
 * </pre>
 *
 * A successor that gets no agreement lets go of the sockets. One of version 2 is given none and
 * stays; a predecessor of version 2 refuses version 3 and is asked again with its own.
 *
 * <p>The end of the connection tells the predecessor that the successor is gone, and it reads the
 * sockets again unless it has let go of them.
 */
final class HandoverMessages {
    static final int MAGIC = 0x5041_524C;
    static final int VERSION = 3;
    static final int VERSION_WITHOUT_AGREEMENT = 2;
    static final int CONFIRMED = 0x4F4B;
    static final int AGREED = 0x4F59;
    static final int SUPERSEDED = 0x4F46;

    private static final int MAX_TEXT = 1 << 16;
    private static final int MAX_FLOWS_BYTES = 1 << 30;

    private HandoverMessages() {}

    /** Why a predecessor of one version refuses another. */
    static String knowsOnly(int version) {
        return "it knows version " + version + " only";
    }

    static void sendInt(LocalSocket to, int value) throws IOException {
        to.send(ByteBuffer.allocate(Integer.BYTES).putInt(value).flip());
    }

    static int receiveInt(LocalSocket from) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES);
        from.receive(bytes);
        return bytes.flip().getInt();
    }

    static void sendText(LocalSocket to, String text) throws IOException {
        sendBytes(to, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static String receiveText(LocalSocket from) throws IOException {
        ByteBuffer bytes = receiveBytes(from, MAX_TEXT);
        return StandardCharsets.UTF_8.decode(bytes).toString();
    }

    static void sendFlows(LocalSocket to, ByteBuffer flows) throws IOException {
        sendBytes(to, flows);
    }

    static ByteBuffer receiveFlows(LocalSocket from) throws IOException {
        return receiveBytes(from, MAX_FLOWS_BYTES);
    }

    private static void sendBytes(LocalSocket to, ByteBuffer bytes) throws IOException {
        sendInt(to, bytes.remaining());
        to.send(bytes);
    }

    private static ByteBuffer receiveBytes(LocalSocket from, int most) throws IOException {
        int length = receiveInt(from);
        if (length < 0 || length > most) {
            throw new IOException("a length of " + length + " is not sensible");
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        from.receive(bytes);
        return bytes.flip();
    }
}
