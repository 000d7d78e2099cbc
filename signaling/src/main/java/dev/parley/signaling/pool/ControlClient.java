package dev.parley.signaling.pool;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.proto.control.v1.DescribeLoadRequest;
import dev.parley.proto.control.v1.DescribeLoadResponse;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverBlockingStub;
import dev.parley.proto.control.v1.TransceiverGrpc.TransceiverStub;
import dev.parley.runtime.config.HostPort;
import dev.parley.signaling.http.ErrorCode;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ConnectivityState;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One transceiver's control server as signaling sees it. Owns the channel; any thread may call.
 * Calls block, which is what virtual threads are for.
 */
final class ControlClient implements AutoCloseable {
    private static final CallOptions.Key<AtomicReference<@Nullable InetSocketAddress>> ANSWERED_BY =
            CallOptions.Key.create("dev.parley.signaling.answered-by");

    private static final long KEEP_ALIVE_SECONDS = 30;

    /**
     * How long one that has no room is left alone: far shorter than the work that it lets wait, so
     * it does not run dry, and long enough that refusing callers costs it nothing.
     */
    private static final long REST_NANOS = 100_000_000L;

    /** Until when a transceiver is not asked, and why. */
    private record Rest(long untilNanos, ErrorCode why) {}

    private final HostPort target;
    private final ManagedChannel channel;
    private final AtomicInteger startedSinceReport = new AtomicInteger();
    private final AtomicReference<@Nullable InetSocketAddress> reporter = new AtomicReference<>();
    private volatile boolean accepting = true;
    private volatile @Nullable Rest rest;
    private volatile double reportedLoad;
    private volatile int reportedSessions;
    private volatile int capacity = 1;

    ControlClient(HostPort target, ClientSpans spans) {
        this(target, spans, NettyChannelBuilder::usePlaintext);
    }

    /**
     * @param transport of the channel: its TLS, and what is added to each call
     */
    ControlClient(
            HostPort target, ClientSpans spans, UnaryOperator<NettyChannelBuilder> transport) {
        this.target = target;
        this.channel =
                transport
                        .apply(NettyChannelBuilder.forAddress(target.host(), target.port()))
                        .disableRetry()
                        // Tells a sideband of a transceiver that is gone without a word.
                        .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
                        .disableServiceConfigLookUp()
                        // The environment's HTTP proxy is for the outside world.
                        .proxyDetector(_ -> null)
                        .intercept(new PeerReporter(), spans)
                        .build();
    }

    /** For calls that are passed on as they are. */
    Channel channel() {
        return channel;
    }

    HostPort target() {
        return target;
    }

    /** The address that told its load last; null when it never did. */
    @Nullable InetSocketAddress findReporter() {
        return reporter.get();
    }

    /** Whether it took new calls when it was last heard of. */
    boolean isAccepting() {
        return accepting;
    }

    /** Notes that it said it takes no new calls. */
    void refusedForNow() {
        accepting = false;
    }

    /** Notes that it said it has no room for a moment. */
    void rest(ErrorCode why) {
        rest = new Rest(System.nanoTime() + REST_NANOS, why);
    }

    /** Why it is left alone for a moment, if it is. */
    Optional<ErrorCode> findRest() {
        Rest last = rest;
        return last != null && last.untilNanos() - System.nanoTime() > 0
                ? Optional.of(last.why())
                : Optional.empty();
    }

    /**
     * Its sessions as a share of those that it can have: by its last report, and with those that
     * were handed to it since.
     */
    double load() {
        return reportedLoad + (double) startedSinceReport.get() / capacity;
    }

    /** Its sessions by its last report, and those that were handed to it since. */
    int sessions() {
        return reportedSessions + startedSinceReport.get();
    }

    /** Sessions that it can have. */
    int capacity() {
        return capacity;
    }

    /** Notes that a call was handed to it. */
    void started() {
        startedSinceReport.incrementAndGet();
    }

    /**
     * Asks for its load; answers why it takes no calls, or an empty text.
     *
     * @throws StatusRuntimeException when it does not answer
     */
    String report(Duration deadline) {
        int before = startedSinceReport.get();
        DescribeLoadResponse load =
                within(deadline, reporter).describeLoad(DescribeLoadRequest.getDefaultInstance());
        capacity = Math.max(1, load.getMaxSessions());
        reportedSessions = load.getSessions();
        reportedLoad = (double) reportedSessions / capacity;
        startedSinceReport.addAndGet(-before);
        boolean full = load.getSessions() >= load.getMaxSessions();
        accepting = !load.getDraining() && !full;
        if (load.getSetupPressure() >= 1) {
            rest(ErrorCode.OVERLOADED);
        }
        if (load.getDraining()) {
            return "is draining";
        }
        return full ? "is full" : "";
    }

    /** A stub for one call, which fails with DEADLINE_EXCEEDED after the given time. */
    TransceiverBlockingStub within(Duration deadline) {
        return TransceiverGrpc.newBlockingStub(channel)
                .withDeadlineAfter(deadline.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** A stub for streams that last as long as calls do. */
    TransceiverStub streaming() {
        return TransceiverGrpc.newStub(channel);
    }

    /**
     * A stub for one call that reports the address of the server that answered, which need not be
     * the only one behind a name.
     */
    TransceiverBlockingStub within(
            Duration deadline, AtomicReference<@Nullable InetSocketAddress> answeredBy) {
        return within(deadline).withOption(ANSWERED_BY, answeredBy);
    }

    /**
     * Starts connecting unless connected. After a failure that means at once: waiting out the
     * back-off, which grows to two minutes, would leave a restarted transceiver unused.
     */
    void connect() {
        if (channel.getState(true) == ConnectivityState.TRANSIENT_FAILURE) {
            channel.resetConnectBackoff();
        }
    }

    /** Whether the last attempt to connect failed. If so another one has been started. */
    boolean isUnreachable() {
        boolean unreachable = channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE;
        connect();
        return unreachable;
    }

    /** Lets what it was asked be answered, and then ends. */
    void retire() {
        channel.shutdown();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }

    private static final class PeerReporter implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            ClientCall<Q, A> call = next.newCall(method, options);
            AtomicReference<@Nullable InetSocketAddress> peer = options.getOption(ANSWERED_BY);
            return peer == null ? call : new ReportingCall<>(call, peer);
        }
    }

    private static final class ReportingCall<Q, A> extends SimpleForwardingClientCall<Q, A> {
        private final AtomicReference<@Nullable InetSocketAddress> peer;

        ReportingCall(ClientCall<Q, A> call, AtomicReference<@Nullable InetSocketAddress> peer) {
            super(call);
            this.peer = peer;
        }

        @Override
        public void start(Listener<A> listener, Metadata headers) {
            super.start(
                    new SimpleForwardingClientCallListener<>(listener) {
                        @Override
                        public void onHeaders(Metadata answerHeaders) {
                            var remote = getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
                            if (remote instanceof InetSocketAddress address) {
                                peer.set(address);
                            }
                            super.onHeaders(answerHeaders);
                        }
                    },
                    headers);
        }
    }
}
