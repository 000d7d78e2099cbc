package dev.parley.signaling;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** A client that sends exactly the bytes it is told to. */
final class RawHttp implements AutoCloseable {
    private final Socket socket;

    RawHttp(Signaling signaling) throws IOException {
        socket = new Socket(signaling.address().getAddress(), signaling.address().getPort());
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(60_000);
    }

    RawHttp send(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** One response with its content, which must have a Content-Length. */
    String response() throws IOException {
        String head = head();
        String lower = head.toLowerCase(Locale.ROOT);
        int at = lower.indexOf("content-length:");
        int length =
                at < 0
                        ? 0
                        : Integer.parseInt(
                                lower.substring(at + 15).lines().findFirst().orElseThrow().strip());
        byte[] content = socket.getInputStream().readNBytes(length);
        return head + new String(content, StandardCharsets.UTF_8);
    }

    /** One response up to its content. */
    String head() throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed after \"" + head + "\"");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** The next bytes, a character each. */
    String bytes(int count) throws IOException {
        return new String(socket.getInputStream().readNBytes(count), StandardCharsets.ISO_8859_1);
    }

    /** What comes until the server closes the connection, a character each byte. */
    String rest() throws IOException {
        ByteArrayOutputStream rest = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(rest);
        } catch (SocketException reset) {
            // Closed.
        }
        return rest.toString(StandardCharsets.ISO_8859_1);
    }

    /** Waits for the server to close the connection. */
    boolean isClosed() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Closes the connection in the way of a client that crashes. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
