package dev.parley.e2e.hostile;

import dev.parley.e2e.hostile.Counts.Expected;
import dev.parley.e2e.hostile.HostileSystem.Service;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Clients who turn their connections into signaling's WebSocket and do there what nobody does, a
 * few in each way at a time. Whoever is thrown out comes again. Owned by one drill.
 */
final class WebSocketFlood implements Attack {
    private static final int OF_EACH_WAY = 4;
    private static final int SMALLEST_BUFFER = 2_048;
    private static final int PATIENCE_MILLIS = 2_000;
    private static final long PAUSE_NANOS = 5_000_000;
    private static final String UPGRADE =
            """
            GET /v1/realtime/signaling HTTP/1.1\r
            Host: x\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r
            """;

    // RFC 6455 5.2.
    private static final int CONTINUATION = 0x0;
    private static final int TEXT = 0x1;
    private static final int BINARY = 0x2;
    private static final int RESERVED = 0x3;
    private static final int PING = 0x9;
    private static final int LAST = 0x80;
    private static final int MASKED = 0x80;

    /** What somebody says once, what again and again, and the reason that he is ended for. */
    private enum Way {
        COMES_AND_GOES("", "", ""),
        STOPS_SENDING("", "", ""),
        SAYS_NOTHING("", "", "idle"),
        DOES_NOT_MASK("\u0081\u0002{}", "", "protocol_error"),
        MAKES_UP_OPCODES(frame(LAST | RESERVED, 0), "", "protocol_error"),
        PINGS_AT_LENGTH(frame(LAST | PING, 1_000), "", "protocol_error"),
        CONTINUES_NOTHING(frame(CONTINUATION, 10), "", "protocol_error"),
        ANNOUNCES_MUCH("\u0081\u00ff\0\0\0\0\1\0\0\0\0\0\0\0", "x".repeat(1_000), "too_large"),
        NEVER_ENDS(frame(TEXT, 4_000), frame(CONTINUATION, 4_000), "too_large"),
        NEVER_BEGINS(frame(TEXT, 0), frame(CONTINUATION, 0).repeat(100), "too_many_frames"),
        PINGS("", frame(LAST | PING, 125).repeat(100), "too_many_frames"),
        SAYS_BYTES(frame(LAST | BINARY, 100), "", "binary"),
        NEVER_READS("", frame(LAST | TEXT, 20).repeat(20), "too_many_messages");

        private final String first;
        private final String more;
        private final String reason;

        Way(String first, String more, String reason) {
            this.first = first;
            this.more = more;
            this.reason = reason;
        }
    }

    private final Map<Way, LongAdder> ended = new EnumMap<>(Way.class);

    WebSocketFlood() {
        for (Way way : Way.values()) {
            ended.put(way, new LongAdder());
        }
    }

    @Override
    public void run(Target target, BooleanSupplier going) throws InterruptedException {
        List<Thread> clients = new ArrayList<>();
        ended.forEach(
                (way, count) -> {
                    for (int i = 0; i < OF_EACH_WAY; i++) {
                        clients.add(
                                Thread.ofVirtual()
                                        .start(() -> comeAgain(target, way, count, going)));
                    }
                });
        for (Thread client : clients) {
            client.join();
        }
    }

    private static void comeAgain(Target target, Way way, LongAdder ended, BooleanSupplier going) {
        int window = way == Way.NEVER_READS ? SMALLEST_BUFFER : 0;
        for (int i = way.ordinal(); going.getAsBoolean(); i++) {
            try (Socket socket = HttpAttacks.open(target.base(), i, window)) {
                upgrade(socket);
                target.done().increment();
                if (way != Way.COMES_AND_GOES && isEnded(socket, way, going)) {
                    ended.increment();
                }
            } catch (IOException _) {
                // Turned away at the door.
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static void upgrade(Socket socket) throws IOException {
        socket.setSoTimeout(PATIENCE_MILLIS);
        var _ = HttpAttacks.say(socket, UPGRADE);
        InputStream in = socket.getInputStream();
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("closed");
            }
            head.append((char) next);
        }
        if (head.indexOf(" 101 ") < 0) {
            throw new IOException(head.toString());
        }
    }

    /** Goes on until the service ends it; false when it is time to stop before. */
    private static boolean isEnded(Socket socket, Way way, BooleanSupplier going)
            throws IOException {
        boolean there = HttpAttacks.say(socket, way.first);
        if (there && way == Way.STOPS_SENDING) {
            socket.shutdownOutput();
        }
        while (there && going.getAsBoolean()) {
            there =
                    (way.more.isEmpty() || HttpAttacks.say(socket, way.more))
                            && (way == Way.NEVER_READS || !HttpAttacks.hasEnded(socket));
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return !there;
    }

    @Override
    public List<Kind> kinds() {
        Map<String, Long> byReason = new TreeMap<>();
        ended.forEach((way, count) -> byReason.merge(way.reason, count.sum(), Long::sum));
        byReason.remove("");
        return byReason.entrySet().stream()
                .map(each -> new Kind(each.getKey(), each.getValue(), closed(each.getKey())))
                .toList();
    }

    private static Expected closed(String reason) {
        return Expected.of(Service.SIGNALING, "_closed_total.*\"" + reason + "\"");
    }

    /** How often the service ended who had stopped sending. */
    double stoppedSending() {
        return ended.getOrDefault(Way.STOPS_SENDING, new LongAdder()).doubleValue();
    }

    /** One that is masked by zeros and full of them; each character is a byte. */
    private static String frame(int start, int length) {
        String announced =
                length < 126
                        ? Character.toString(MASKED | length)
                        : Character.toString(MASKED | 126)
                                + Character.toString(length >> 8)
                                + Character.toString(length & 0xFF);
        return Character.toString(start) + announced + "\0".repeat(4 + length);
    }
}
