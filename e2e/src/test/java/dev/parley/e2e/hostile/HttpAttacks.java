package dev.parley.e2e.hostile;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Attacks on signaling's HTTP by those who open connections all the time. */
final class HttpAttacks {
    private static final int ADDRESSES = 50;
    private static final long PAUSE_NANOS = 2_000_000;
    private static final int OPENED_AT_ONCE = 8;
    private static final int PATIENCE_MILLIS = 1_000;
    private static final byte[] END = "\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private HttpAttacks() {}

    /** Connections that are opened, used for nonsense and dropped, as fast as it goes. */
    static Attack connections() {
        return (target, going) -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < OPENED_AT_ONCE; i++) {
                int number = i;
                threads.add(Thread.ofVirtual().start(() -> churn(target, number, going)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private static void churn(Target target, int number, BooleanSupplier going) {
        Random random = new Random(number);
        byte[] noise = new byte[200];
        for (int i = number; going.getAsBoolean(); i += OPENED_AT_ONCE) {
            try (Socket socket = open(target.base(), i)) {
                target.done().increment();
                random.nextBytes(noise);
                socket.getOutputStream().write(noise);
                socket.getOutputStream().write(END);
                // Seen, lest the reset take away what was never read.
                socket.setSoTimeout(PATIENCE_MILLIS);
                var _ = socket.getInputStream().read();
                socket.setSoLinger(true, 0);
            } catch (IOException _) {
                // Closed, which is as well.
            }
            // What one attacker does is not limited by what the machine under attack leaves him.
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** A connection from one of many addresses. */
    static Socket open(URI base, int number) throws IOException {
        return open(base, number, 0);
    }

    /**
     * The same of one who takes little at a time. What is asked for later makes no window smaller.
     *
     * @param receiveBytes size of the buffer; 0 for the usual one
     */
    static Socket open(URI base, int number, int receiveBytes) throws IOException {
        Socket socket = new Socket();
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.bind(
                new InetSocketAddress(
                        InetAddress.ofLiteral("127.0.2." + (1 + number % ADDRESSES)), 0));
        socket.connect(new InetSocketAddress(base.getHost(), base.getPort()));
        return socket;
    }

    /** Says a word, a byte each character; false when nobody listens any more. */
    static boolean say(Socket socket, String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Reads what there is, which at most says goodbye; true when nothing more will come. */
    static boolean hasEnded(Socket socket) {
        try {
            socket.setSoTimeout(1);
            var _ = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }
}
