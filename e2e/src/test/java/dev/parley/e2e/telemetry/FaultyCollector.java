package dev.parley.e2e.telemetry;

import dev.parley.otel.TelemetrySettings.OtlpProtocol;
import io.grpc.Status;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector that something is wrong with. Owned by one test. */
public final class FaultyCollector implements AutoCloseable {
    /** What is wrong. */
    public enum Fault {
        /** Nobody listens. */
        DOWN(OtlpProtocol.GRPC, "ailed to connect"),
        /** It accepts connections and never says a word. */
        SILENT(OtlpProtocol.GRPC, ""),
        /** The same over HTTP. */
        SILENT_HTTP(OtlpProtocol.HTTP, ""),
        /** It answers that it has no time. */
        UNAVAILABLE(OtlpProtocol.GRPC, "UNAVAILABLE: too busy"),
        /** The same over HTTP. */
        UNAVAILABLE_HTTP(OtlpProtocol.HTTP, "HTTP status 503"),
        /** It speaks TLS and is spoken to without. */
        TLS(OtlpProtocol.GRPC, ""),
        /** It is spoken to in TLS and does not know it. */
        NO_TLS(OtlpProtocol.GRPC, "SSL");

        private final OtlpProtocol protocol;
        private final String told;

        Fault(OtlpProtocol protocol, String told) {
            this.protocol = protocol;
            this.told = told;
        }

        /** How long to wait for an answer; who gets none need not wait long. */
        int timeoutMillis() {
            return this == SILENT || this == SILENT_HTTP ? 200 : 60_000;
        }

        OtlpProtocol protocol() {
            return protocol;
        }

        /** What people are told of it, among other things. */
        String told() {
            return told;
        }
    }

    // RFC 8446 6: a fatal unexpected_message, which is what a TLS server makes of anything else.
    private static final byte[] ALERT = {21, 3, 3, 0, 2, 2, 10};

    private static final byte[] BUSY =
            "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private final String endpoint;
    private final List<AutoCloseable> open = new CopyOnWriteArrayList<>();

    private FaultyCollector(Fault fault) throws IOException {
        endpoint =
                switch (fault) {
                    case DOWN -> {
                        ServerSocket gone = listen();
                        gone.close();
                        yield "http://127.0.0.1:" + gone.getLocalPort();
                    }
                    case SILENT, SILENT_HTTP -> answering(new byte[0]);
                    case TLS -> answering(ALERT);
                    case UNAVAILABLE_HTTP -> answering(BUSY);
                    case UNAVAILABLE -> {
                        OtlpReceiver busy = OtlpReceiver.overGrpc();
                        busy.answer(Status.UNAVAILABLE.withDescription("too busy"));
                        open.add(busy);
                        yield busy.endpoint();
                    }
                    case NO_TLS -> {
                        OtlpReceiver plain = OtlpReceiver.overGrpc();
                        open.add(plain);
                        yield plain.endpoint().replace("http:", "https:");
                    }
                };
    }

    /** Starts one. */
    public static FaultyCollector with(Fault fault) {
        try {
            return new FaultyCollector(fault);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a process is told of it. */
    public String endpoint() {
        return endpoint;
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /** Answers whoever has said something with these bytes and hangs up, or says nothing at all. */
    private String answering(byte[] bytes) throws IOException {
        ServerSocket listening = listen();
        open.add(listening);
        Thread.ofVirtual()
                .start(
                        () -> {
                            while (!listening.isClosed()) {
                                answer(listening, bytes);
                            }
                        });
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    private void answer(ServerSocket listening, byte[] bytes) {
        try {
            Socket client = listening.accept();
            open.add(client);
            if (bytes.length > 0) {
                var _ = client.getInputStream().read();
                client.getOutputStream().write(bytes);
                client.close();
            }
        } catch (IOException _) {
            // Closed, or the client has gone.
        }
    }

    @Override
    public void close() {
        for (AutoCloseable each : open) {
            try {
                each.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
