package dev.parley.e2e.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands before a TCP service and goes wrong when it is told to. Owned by one drill. */
final class FaultyProxy implements AutoCloseable {
    /** What it does with what passes. */
    enum Mode {
        PASS,
        /** Takes everything and passes nothing on. */
        SILENT,
        /** Each piece a good while later. */
        SLOW,
        /** Ends each connection at once, those that are there as well. */
        RESET
    }

    private static final long SLOW_MILLIS = 300;
    private static final int PIECE = 16_384;

    private final ServerSocket listening =
            new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final InetSocketAddress to;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger taken = new AtomicInteger();
    private volatile Mode mode = Mode.PASS;

    FaultyProxy(InetSocketAddress to) throws IOException {
        this.to = to;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Connections so far. */
    int taken() {
        return taken.get();
    }

    void mode(Mode from) {
        mode = from;
        if (from == Mode.RESET) {
            open.forEach(FaultyProxy::reset);
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                taken.incrementAndGet();
                open.add(client);
                if (mode == Mode.RESET) {
                    reset(client);
                } else {
                    Socket service = new Socket(to.getAddress(), to.getPort());
                    open.add(service);
                    Thread.ofVirtual().start(() -> pass(client, service));
                    Thread.ofVirtual().start(() -> pass(service, client));
                }
            }
        } catch (IOException _) {
            // The drill is over.
        }
    }

    private void pass(Socket from, Socket into) {
        byte[] piece = new byte[PIECE];
        try (from;
                into) {
            InputStream in = from.getInputStream();
            OutputStream out = into.getOutputStream();
            for (int length = in.read(piece); length >= 0; length = in.read(piece)) {
                if (mode == Mode.SLOW) {
                    TimeUnit.MILLISECONDS.sleep(SLOW_MILLIS);
                }
                if (mode != Mode.SILENT) {
                    out.write(piece, 0, length);
                }
            }
        } catch (IOException _) {
            // One of them has gone.
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(from);
            open.remove(into);
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException _) {
            // Gone already.
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        open.forEach(FaultyProxy::reset);
    }
}
