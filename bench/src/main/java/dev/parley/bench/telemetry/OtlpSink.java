package dev.parley.bench.telemetry;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A collector that takes everything and looks at nothing, in a process of its own so that its work
 * is nobody else's. Owned by the benchmark.
 */
final class OtlpSink implements AutoCloseable {
    private static final List<String> SERVICES =
            List.of(
                    "opentelemetry.proto.collector.trace.v1.TraceService",
                    "opentelemetry.proto.collector.metrics.v1.MetricsService");

    private static final Marshaller<byte[]> BYTES =
            new Marshaller<>() {
                @Override
                public InputStream stream(byte[] value) {
                    return new ByteArrayInputStream(value);
                }

                @Override
                public byte[] parse(InputStream stream) {
                    try {
                        return stream.readAllBytes();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }
            };

    private final Process process;
    private final String endpoint;

    private OtlpSink(Process process, String endpoint) {
        this.process = process;
        this.endpoint = endpoint;
    }

    /** Starts it. */
    static OtlpSink start() throws IOException {
        Process process =
                new ProcessBuilder(
                                ProcessHandle.current().info().command().orElse("java"),
                                "-Xmx128m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                OtlpSink.class.getName())
                        .redirectError(Redirect.DISCARD)
                        .start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String port = output.readLine();
        if (port == null) {
            throw new IOException("the collector does not start");
        }
        return new OtlpSink(process, "http://127.0.0.1:" + port);
    }

    String endpoint() {
        return endpoint;
    }

    /** Prints its port and serves until standard input ends. */
    public static void main(String[] arguments) throws IOException {
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .directExecutor();
        SERVICES.forEach(service -> builder.addService(taking(service)));
        Server server = builder.build().start();
        System.out.println(server.getPort());
        var _ = System.in.read();
        server.shutdownNow();
    }

    private static ServerServiceDefinition taking(String service) {
        MethodDescriptor<byte[], byte[]> export =
                MethodDescriptor.newBuilder(BYTES, BYTES)
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(
                                MethodDescriptor.generateFullMethodName(service, "Export"))
                        .build();
        return ServerServiceDefinition.builder(service)
                .addMethod(
                        export,
                        ServerCalls.asyncUnaryCall(
                                (_, response) -> {
                                    response.onNext(new byte[0]);
                                    response.onCompleted();
                                }))
                .build();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
