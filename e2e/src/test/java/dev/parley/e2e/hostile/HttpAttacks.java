package dev.parley.e2e.hostile;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Attacks on signaling's HTTP by those who hold connections or open new ones all the time. */
final class HttpAttacks {
    private static final int HELD = 2_000;
    private static final int ADDRESSES = 50;
    private static final long STEP_NANOS = 20_000_000;
    private static final int OPENED_AT_ONCE = 8;

    private HttpAttacks() {}

    /** Thousands of connections that send a byte now and then, in heads and in bodies. */
    static Attack slow() {
        return (target, going) -> {
            List<Socket> held = new ArrayList<>();
            Random random = new Random(1);
            try {
                for (int i = 0; i < HELD && going.getAsBoolean(); i++) {
                    held.add(open(target.base(), i));
                    say(held.getLast(), beginning(i));
                }
                while (going.getAsBoolean()) {
                    for (int i = 0; i < 100; i++) {
                        say(held.get(random.nextInt(held.size())), "x");
                    }
                    LockSupport.parkNanos(STEP_NANOS);
                }
            } finally {
                for (Socket socket : held) {
                    socket.close();
                }
            }
        };
    }

    private static String beginning(int number) {
        return switch (number % 3) {
            case 0 -> "GET /healthz HT";
            case 1 -> "POST /v1/realtime/calls HTTP/1.1\r\nHost: x\r\nX-Slow: ";
            default ->
                    "POST /v1/realtime/calls HTTP/1.1\r\nHost: x\r\nContent-Type: application/sdp\r\n"
                            + "Content-Length: 60000\r\n\r\nv=0";
        };
    }

    /** Connections that are opened, used for nonsense and dropped, as fast as it goes. */
    static Attack connections() {
        return (target, going) -> {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < OPENED_AT_ONCE; i++) {
                int number = i;
                threads.add(Thread.ofVirtual().start(() -> churn(target.base(), number, going)));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private static void churn(URI base, int number, BooleanSupplier going) {
        Random random = new Random(number);
        byte[] noise = new byte[200];
        for (int i = number; going.getAsBoolean(); i += OPENED_AT_ONCE) {
            try (Socket socket = open(base, i)) {
                random.nextBytes(noise);
                socket.getOutputStream().write(noise);
                socket.setSoLinger(true, 0);
            } catch (IOException _) {
                // Closed, which is as well.
            }
            // What one attacker does is not limited by what the machine under attack leaves him.
            LockSupport.parkNanos(STEP_NANOS / 10);
        }
    }

    private static Socket open(URI base, int number) throws IOException {
        Socket socket = new Socket();
        socket.bind(
                new InetSocketAddress(
                        InetAddress.ofLiteral("127.0.2." + (1 + number % ADDRESSES)), 0));
        socket.connect(new InetSocketAddress(base.getHost(), base.getPort()));
        return socket;
    }

    private static void say(Socket socket, String text) {
        try {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException _) {
            // Closed, which is as well.
        }
    }
}
