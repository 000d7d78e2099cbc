package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.otel.grpc.ClientSpans;
import dev.parley.otel.trace.Tracing;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.runtime.config.Cidr;
import dev.parley.signaling.FakeTransceiver;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What another cluster's signaling may have a gateway do. */
class ClusterGatewayTest {
    private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private final FakeTransceiver own = new FakeTransceiver(1);

    /** Something of the same kind that is no transceiver of this cluster. */
    private final FakeTransceiver stranger = new FakeTransceiver(2);

    private @Nullable ManagedChannel channel;

    private ClusterGateway gateway(List<Cidr> ranges) {
        TransceiverPool pool =
                new TransceiverPool(
                        () -> Set.of(own.address()),
                        LONG,
                        LONG,
                        LONG,
                        new ClientSpans(Tracing.none()),
                        new KnownTransceivers(ranges, Set.of(stranger.address().port())));
        pool.start();
        ClusterGateway gateway =
                new ClusterGateway(
                        new InetSocketAddress(LOOPBACK, 0),
                        UnaryOperator.identity(),
                        pool,
                        auth(2),
                        () -> true);
        channel =
                NettyChannelBuilder.forAddress(gateway.address())
                        .usePlaintext()
                        .proxyDetector(_ -> null)
                        .intercept(auth(1).towards(2))
                        .build();
        return gateway;
    }

    private static ClusterAuth auth(int cluster) {
        return new ClusterAuth(List.of(KEY), cluster, InstantSource.system());
    }

    @AfterEach
    void stop() {
        if (channel != null) {
            channel.shutdownNow();
        }
        own.close();
        stranger.close();
    }

    private TransceiverBlockingStub at(FakeTransceiver transceiver) {
        InetSocketAddress control = new InetSocketAddress(LOOPBACK, transceiver.address().port());
        return TransceiverGrpc.newBlockingStub(Objects.requireNonNull(channel))
                .withOption(ClusterAuth.FOR, control);
    }

    private static Status.Code close(TransceiverBlockingStub stub) {
        CloseSessionRequest request =
                CloseSessionRequest.newBuilder()
                        .setSessionId(ByteString.copyFrom(new byte[16]))
                        .build();
        try {
            var _ = stub.closeSession(request);
            return Status.Code.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus().getCode();
        }
    }

    @Test
    void saysThatItIsThere() {
        try (ClusterGateway _ = gateway(List.of())) {
            HealthCheckRequest asked =
                    HealthCheckRequest.newBuilder()
                            .setService(TransceiverGrpc.SERVICE_NAME)
                            .build();

            assertThat(
                            HealthGrpc.newBlockingStub(Objects.requireNonNull(channel))
                                    .check(asked)
                                    .getStatus())
                    .isEqualTo(ServingStatus.SERVING);
        }
    }

    @Test
    void asksNothingThatIsNoTransceiverOfItsCluster() {
        try (ClusterGateway gateway = gateway(List.of())) {
            assertThat(close(at(stranger))).isEqualTo(Status.Code.NOT_FOUND);
            assertThat(gateway.unknown()).isEqualTo(1);
            var _ = close(at(own));
            assertThat(gateway.unknown()).isEqualTo(1);
            assertThat(stranger.closings()).isZero();
            assertThat(own.closings()).isEqualTo(1);
        }
    }

    @Test
    void asksThoseInConfiguredRangesThatItNeverFound() {
        try (ClusterGateway gateway = gateway(List.of(Cidr.parse("127.0.0.0/8")))) {
            var _ = close(at(stranger));
            assertThat(gateway.unknown()).isZero();
            assertThat(stranger.closings()).isEqualTo(1);
        }
    }
}
