package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.otel.trace.Tracing;
import dev.parley.proto.control.ErrorTrailers;
import dev.parley.proto.control.v1.JoinEventsRequest;
import dev.parley.proto.control.v1.JoinEventsResponse;
import dev.parley.proto.control.v1.TransceiverGrpc;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.ServerEvent;
import dev.parley.transceiver.control.ControlServer;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Backends that take part in a call's events. */
@Timeout(60)
class SidebandCallTest {
    private static final Place PLACE = new Place(Address.ipv4(1, 50_001), true);

    private final Rig rig = Rig.withOpus();
    private final ControlServer server =
            ControlServer.start(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    rig.control(),
                    Tracing.none());
    private final ManagedChannel channel =
            NettyChannelBuilder.forAddress(server.address()).usePlaintext().build();

    @AfterEach
    void close() {
        channel.shutdownNow();
        server.close();
        rig.close();
    }

    /** Signaling's end of a sideband; reads as many messages as it says. */
    private static final class Backend
            implements ClientResponseObserver<JoinEventsRequest, JoinEventsResponse> {
        final BlockingQueue<JoinEventsResponse> heard = new LinkedBlockingQueue<>();
        final BlockingQueue<Status> ends = new LinkedBlockingQueue<>();
        volatile String code = "";
        private final int reads;
        private @Nullable ClientCallStreamObserver<JoinEventsRequest> out;

        Backend(int reads) {
            this.reads = reads;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<JoinEventsRequest> requests) {
            out = requests;
            requests.disableAutoRequestWithInitial(reads);
        }

        @Override
        public void onNext(JoinEventsResponse message) {
            heard.add(message);
        }

        @Override
        public void onError(Throwable thrown) {
            var trailers = Status.trailersFromThrowable(thrown);
            String given = trailers == null ? null : trailers.get(ErrorTrailers.CODE);
            code = given == null ? "" : given;
            ends.add(Status.fromThrowable(thrown));
        }

        @Override
        public void onCompleted() {
            ends.add(Status.OK);
        }

        ClientCallStreamObserver<JoinEventsRequest> out() {
            return java.util.Objects.requireNonNull(out);
        }

        void say(String text) {
            out().onNext(
                            JoinEventsRequest.newBuilder()
                                    .setEvent(ClientEvent.newBuilder().setText(text))
                                    .build());
        }

        JoinEventsResponse next() throws InterruptedException {
            JoinEventsResponse next = heard.poll(30, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("nothing was heard");
            }
            return next;
        }

        Status end() throws InterruptedException {
            Status end = ends.poll(30, TimeUnit.SECONDS);
            if (end == null) {
                throw new AssertionError("the stream goes on");
            }
            return end;
        }
    }

    private Backend join(ByteString session, int reads) {
        Backend backend = new Backend(reads);
        var _ = TransceiverGrpc.newStub(channel).joinEvents(backend);
        backend.out()
                .onNext(
                        JoinEventsRequest.newBuilder()
                                .setJoin(JoinEventsRequest.Join.newBuilder().setSessionId(session))
                                .build());
        return backend;
    }

    private Backend joined(ByteString session) throws InterruptedException {
        Backend backend = join(session, Integer.MAX_VALUE);
        assertThat(backend.next().hasJoined()).isTrue();
        return backend;
    }

    private static void tell(FakeVoiceAgent.Call call, String text) {
        call.send(
                ConverseResponse.newBuilder()
                        .setServerEvent(ServerEvent.newBuilder().setText(text))
                        .build());
    }

    @Test
    void everySidebandHearsWhatTheClientIsToldAndMaySpeak() throws Exception {
        Peer peer = rig.client("actpass", PLACE);
        ByteString session = rig.connect(peer).getSessionId();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        Backend one = joined(session);
        Backend two = joined(session);
        tell(call, "event");
        assertThat(one.next().getServerEvent().getText()).isEqualTo("event");
        assertThat(two.next().getServerEvent().getText()).isEqualTo("event");

        for (int i = 0; i < 500; i++) {
            one.say("said " + i);
        }
        for (int i = 0; i < 500; i++) {
            assertThat(call.await(ConverseRequest::hasClientEvent).getClientEvent().getText())
                    .isEqualTo("said " + i);
        }
    }

    @Test
    void aSidebandLeavesWithoutAnyoneNoticing() throws Exception {
        Peer peer = rig.client("actpass", PLACE);
        ByteString session = rig.connect(peer).getSessionId();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        Backend polite = joined(session);
        Backend rude = joined(session);
        polite.out().onCompleted();
        assertThat(polite.end().isOk()).isTrue();
        rude.out().cancel("gone", null);
        until(() -> rig.calls().sidebands().count() == 0);
        Backend last = joined(session);
        tell(call, "event");
        assertThat(last.next().getServerEvent().getText()).isEqualTo("event");
        assertThat(polite.heard).isEmpty();
    }

    @Test
    void hearsTheLastEventAndHowTheCallEnded() throws Exception {
        Peer peer = rig.client("actpass", PLACE);
        ByteString session = rig.connect(peer).getSessionId();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        Backend backend = joined(session);
        tell(call, "last words");
        call.hangUp("done");
        rig.advanceUntil(() -> rig.calls().count() == 0);
        assertThat(backend.next().getServerEvent().getText()).isEqualTo("last words");
        JoinEventsResponse.Ended ended = backend.next().getEnded();
        assertThat(ended.getReason()).isEqualTo(EndReason.END_REASON_AGENT_HANGUP);
        assertThat(ended.getMessage()).isEqualTo("done");
        assertThat(backend.end().isOk()).isTrue();
        assertThat(rig.calls().sidebands().count()).isZero();

        Backend late = join(session, Integer.MAX_VALUE);
        assertThat(late.end().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    }

    @Test
    void aSidebandThatDoesNotReadIsPartedWithAndHoldsNobodyUp() throws Exception {
        Peer peer = rig.client("actpass", PLACE);
        ByteString session = rig.connect(peer).getSessionId();
        FakeVoiceAgent.Call call = rig.agent().awaitCall();
        Backend slow = join(session, 1);
        assertThat(slow.next().hasJoined()).isTrue();
        Backend quick = joined(session);
        String event = "x".repeat(10_000);
        int told = 0;
        while (rig.calls().sidebands().count() == 2 && told < 1_000) {
            tell(call, event);
            told++;
            assertThat(quick.next().getServerEvent().getText()).isEqualTo(event);
        }
        // 1 MiB in the queue, and what gRPC and the network hold.
        assertThat(told).isBetween(100, 999);
        assertThat(rig.calls().sidebands().slow()).isOne();
        slow.out().request(1_000);
        assertThat(slow.end().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(slow.code).isEqualTo("sideband_too_slow");
    }

    @Test
    void aCallHasEightSidebandsAtMost() throws Exception {
        Peer peer = rig.client("actpass", PLACE);
        ByteString session = rig.connect(peer).getSessionId();
        List<Backend> backends = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            backends.add(joined(session));
        }
        Backend ninth = join(session, 1);
        assertThat(ninth.end().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        assertThat(ninth.code).isEqualTo("sideband_limit");
        backends.getFirst().out().onCompleted();
        assertThat(backends.getFirst().end().isOk()).isTrue();
        joined(session);
    }

    @Test
    void whoDoesNotJoinIsTold() throws Exception {
        Backend unknown = join(ByteString.copyFrom(new byte[16]), 1);
        assertThat(unknown.end().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        Backend nonsense = join(ByteString.copyFromUtf8("short"), 1);
        assertThat(nonsense.end().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        Backend early = new Backend(1);
        var _ = TransceiverGrpc.newStub(channel).joinEvents(early);
        early.say("hello");
        assertThat(early.end().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    private void until(BooleanSupplier done) {
        rig.pump(done);
    }
}
