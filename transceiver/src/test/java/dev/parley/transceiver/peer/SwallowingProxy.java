package dev.parley.transceiver.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A TCP proxy that can begin to swallow all bytes, in both directions and without closing anything:
 * what a connection looks like whose other end has lost its power.
 */
public final class SwallowingProxy implements AutoCloseable {
    private static final int BUFFER_BYTES = 65_536;

    private final ServerSocket listening;
    private final int port;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean swallows;

    /**
     * @param port of the server on this machine
     */
    public SwallowingProxy(int port) {
        this.port = port;
        try {
            listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    /** {@code host:port} of its own. */
    public String target() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    /** Passes nothing on from now on. */
    public void swallow() {
        swallows = true;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                sockets.add(client);
                sockets.add(server);
                Thread.ofVirtual().start(() -> carry(client, server));
                Thread.ofVirtual().start(() -> carry(server, client));
            }
        } catch (IOException _) {
            // It is closed.
        }
    }

    private void carry(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (!swallows) {
                    out.write(buffer, 0, read);
                }
            }
        } catch (IOException _) {
            // One of them is closed.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
