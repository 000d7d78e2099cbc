package dev.parley.signaling.pool;

import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.seal.TokenSealer;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * How signaling of one cluster shows another's that it is of the same fleet, and names transceivers
 * to it: by metadata of each gRPC call. What it shows is sealed with the keys of call ids, which
 * the whole fleet shares; it is good for a minute, at one cluster, for one method and one
 * transceiver. Any thread may use it.
 */
public final class ClusterAuth {
    static final Metadata.Key<String> CREDENTIAL = key("parley-cluster-credential");

    /** Of a request: which transceiver is meant. Of an answer: which one it came from. */
    static final Metadata.Key<String> CONTROL = key("parley-control-address");

    /** Which transceiver a call is for. */
    static final CallOptions.Key<InetSocketAddress> FOR =
            CallOptions.Key.create("dev.parley.signaling.for");

    /** Takes which transceiver answered. */
    static final CallOptions.Key<AtomicReference<@Nullable InetSocketAddress>> FROM =
            CallOptions.Key.create("dev.parley.signaling.from");

    private static final String PREFIX = "pcl_";
    private static final int VERSION = 1;
    private static final int PURPOSE_BYTES = 16;
    private static final int BYTES = 2 * Short.BYTES + Long.BYTES + PURPOSE_BYTES;
    private static final long GOOD_FOR_MILLIS = 60_000;

    private final TokenSealer sealer;
    private final InstantSource clock;
    private final int cluster;

    /**
     * Shows what these keys seal.
     *
     * @param keys of call ids; the first one seals
     * @param cluster that this process belongs to
     */
    public ClusterAuth(List<byte[]> keys, int cluster, InstantSource clock) {
        this.sealer =
                new TokenSealer(PREFIX, VERSION, "parley cluster v1", keys, new SecureRandom());
        this.clock = clock;
        this.cluster = cluster;
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }

    String credential(int to, String method, String control) {
        return sealer.seal(
                ByteBuffer.allocate(BYTES)
                        .putShort((short) cluster)
                        .putShort((short) to)
                        .putLong(clock.millis())
                        .put(purpose(method, control))
                        .array());
    }

    private static byte[] purpose(String method, String control) {
        byte[] text = (method + "\n" + control).getBytes(StandardCharsets.UTF_8);
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text);
            return Arrays.copyOf(digest, PURPOSE_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK lacks SHA-256", e);
        }
    }

    /**
     * Whether a call comes from signaling of this fleet, and is meant for this cluster.
     *
     * @param method that is called
     */
    boolean isOurs(Metadata headers, String method) {
        String control = Optional.ofNullable(headers.get(CONTROL)).orElse("");
        return Optional.ofNullable(headers.get(CREDENTIAL))
                .flatMap(sealer::open)
                .filter(bytes -> bytes.length == BYTES)
                .filter(bytes -> isFor(ByteBuffer.wrap(bytes), purpose(method, control)))
                .isPresent();
    }

    private boolean isFor(ByteBuffer shown, byte[] purpose) {
        int from = shown.getShort() & 0xFFFF;
        int to = shown.getShort() & 0xFFFF;
        return from != cluster
                && to == cluster
                && isFresh(shown.getLong())
                && shown.equals(ByteBuffer.wrap(purpose));
    }

    private boolean isFresh(long millis) {
        return Math.abs(clock.millis() - millis) <= GOOD_FOR_MILLIS;
    }

    /** A transceiver's control address as metadata has it; empty when it has none that can be. */
    static Optional<InetSocketAddress> control(Metadata headers) {
        try {
            return Optional.ofNullable(headers.get(CONTROL))
                    .map(HostPort::parse)
                    .map(at -> new InetSocketAddress(InetAddress.ofLiteral(at.host()), at.port()));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** Shows a cluster's gateway, with each call, what it wants to see. */
    ClientInterceptor towards(int to) {
        return new ClientInterceptor() {
            @Override
            public <Q, A> ClientCall<Q, A> interceptCall(
                    MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
                return showing(to, method, options, next.newCall(method, options));
            }
        };
    }

    private <Q, A> ClientCall<Q, A> showing(
            int to, MethodDescriptor<Q, A> method, CallOptions options, ClientCall<Q, A> call) {
        return new SimpleForwardingClientCall<>(call) {
            @Override
            public void start(Listener<A> listener, Metadata headers) {
                InetSocketAddress wanted = options.getOption(FOR);
                String control = wanted == null ? "" : HostPort.of(wanted).toString();
                if (wanted != null) {
                    headers.put(CONTROL, control);
                }
                headers.put(CREDENTIAL, credential(to, method.getFullMethodName(), control));
                AtomicReference<@Nullable InetSocketAddress> from = options.getOption(FROM);
                super.start(from == null ? listener : telling(listener, from), headers);
            }
        };
    }

    private static <A> ClientCall.Listener<A> telling(
            ClientCall.Listener<A> listener, AtomicReference<@Nullable InetSocketAddress> from) {
        return new SimpleForwardingClientCallListener<>(listener) {
            @Override
            public void onHeaders(Metadata headers) {
                control(headers).ifPresent(from::set);
                super.onHeaders(headers);
            }
        };
    }
}
