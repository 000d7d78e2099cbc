package dev.parley.bench.sessions;

import com.google.protobuf.ByteString;
import dev.parley.app.load.CallRequests;
import dev.parley.proto.control.v1.CloseSessionRequest;
import dev.parley.proto.control.v1.CreateSessionRequest;
import dev.parley.proto.control.v1.CreateSessionResponse;
import dev.parley.proto.control.v1.TransceiverGrpc;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.Locale;

/** Places calls at a transceiver itself, without signaling and relay. Any thread may use it. */
final class ControlCalls implements CallRequests, AutoCloseable {
    private static final long RETRY_MILLIS = 500;
    private static final HexFormat HEX = HexFormat.of();

    private final ManagedChannel channel;
    private final TransceiverGrpc.TransceiverBlockingStub control;
    private final String media;
    private final String model;
    private final String session;

    /**
     * @param media where the transceiver takes packets, which is all that answers tell
     * @param format of audio between transceiver and agent
     */
    ControlCalls(InetSocketAddress address, InetSocketAddress media, String model, String format) {
        this.channel = NettyChannelBuilder.forAddress(address).usePlaintext().build();
        this.control = TransceiverGrpc.newBlockingStub(channel);
        this.media = "127.0.0.1:" + media.getPort();
        this.model = model;
        this.session = "{\"format\": \"" + format + "\"}";
    }

    @Override
    public Accepted place(String offer) throws RefusedException {
        try {
            CreateSessionResponse created =
                    control.createSession(
                            CreateSessionRequest.newBuilder()
                                    .setOfferSdp(offer)
                                    .setModel(model)
                                    .addRelayAddresses(media)
                                    .setSessionJson(session)
                                    .build());
            return new Accepted(
                    created.getAnswerSdp(), HEX.formatHex(created.getSessionId().toByteArray()));
        } catch (StatusRuntimeException e) {
            boolean later =
                    switch (e.getStatus().getCode()) {
                        case UNAVAILABLE, RESOURCE_EXHAUSTED -> true;
                        default -> false;
                    };
            throw new RefusedException(
                    e.getStatus().getCode().name().toLowerCase(Locale.ROOT),
                    String.valueOf(e.getMessage()),
                    later ? RETRY_MILLIS : -1);
        }
    }

    @Override
    public String restart(String handle, String offer) throws RefusedException {
        throw new RefusedException("unsupported", "no call is restarted here", -1);
    }

    @Override
    public void hangUp(String handle) {
        try {
            var _ =
                    control.closeSession(
                            CloseSessionRequest.newBuilder()
                                    .setSessionId(ByteString.copyFrom(HEX.parseHex(handle)))
                                    .build());
        } catch (StatusRuntimeException _) {
            // It is over already.
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
