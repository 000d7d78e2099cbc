package dev.parley.signaling.ws;

import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.calls.Access;
import dev.parley.signaling.calls.CallDesk;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.net.Upgrades;
import io.helidon.common.buffers.BufferData;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http1.spi.Http1Upgrader;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.websocket.WsConnection;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@link CallSocket}s. A request that cannot become one goes on to the route of the same
 * path, which tells why in the way of all other errors.
 */
public final class SocketEndpoint implements Http1Upgrader, HttpService {
    /** Where it is. */
    public static final String PATH = "/v1/realtime/signaling";

    private final CallDesk desk;
    private final Access access;
    private final Cors cors;
    private final int maxMessageBytes;

    /** Starts calls at this desk. */
    public SocketEndpoint(CallDesk desk, Access access, Cors cors, int maxMessageBytes) {
        this.desk = desk;
        this.access = access;
        this.cors = cors;
        this.maxMessageBytes = maxMessageBytes;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.any("/", Endpoint.of(cors, Method.GET, this::refuse));
    }

    private void refuse(ServerRequest request, ServerResponse response) {
        var _ = access.caller(request.headers());
        if (!cors.permits(request.headers())) {
            throw new RefusedException(
                    ErrorCode.FORBIDDEN, "Pages of this origin may not call.", "origin");
        }
        throw new RefusedException(
                        ErrorCode.UPGRADE_REQUIRED, "This is a WebSocket: open it with RFC 6455.")
                .with(HeaderNames.UPGRADE, "websocket")
                .with(Handshake.VERSION, Handshake.SUPPORTED_VERSION);
    }

    @Override
    public String supportedProtocol() {
        return "websocket";
    }

    @Override
    public @Nullable ServerConnection upgrade(
            ConnectionContext context, HttpPrologue prologue, WritableHeaders<?> headers) {
        if (!prologue.method().equals(Method.GET)
                || !prologue.uriPath().path().equals(PATH)
                || !Handshake.isSound(headers)) {
            return null;
        }
        ServerRequestHeaders request = ServerRequestHeaders.create(headers);
        Handshake.credential(headers)
                .filter(_ -> !headers.contains(HeaderNames.AUTHORIZATION))
                .ifPresent(
                        credential ->
                                headers.set(HeaderNames.AUTHORIZATION, "Bearer " + credential));
        Optional<Caller> caller = access.recognise(request);
        if (caller.isEmpty() || !cors.permits(request)) {
            return null;
        }
        InetAddress client = access.client(request, context.remotePeer().address());
        accept(context, headers);
        Upgrades.done(context);
        return WsConnection.create(
                context, prologue, headers, "", socket(caller.get(), client, request));
    }

    private CallSocket socket(Caller caller, InetAddress client, ServerRequestHeaders headers) {
        return new CallSocket(
                desk,
                caller,
                CallDesk.Origin.of(headers, client, "websocket"),
                () -> countStart(caller, client),
                maxMessageBytes);
    }

    private void countStart(Caller caller, InetAddress client) {
        access.countAddress(client);
        Access.requireStarter(caller);
        access.countCaller(caller, Access.CALLS);
    }

    private static void accept(ConnectionContext context, Headers headers) {
        StringBuilder answer =
                new StringBuilder("HTTP/1.1 101 Switching Protocols\r\n")
                        .append("Connection: Upgrade\r\nUpgrade: websocket\r\n")
                        .append("Sec-WebSocket-Accept: ")
                        .append(Handshake.accept(headers.first(Handshake.KEY).orElseThrow()))
                        .append("\r\n");
        Handshake.protocol(headers)
                .ifPresent(
                        protocol ->
                                answer.append("Sec-WebSocket-Protocol: ")
                                        .append(protocol)
                                        .append("\r\n"));
        byte[] bytes = answer.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
        context.dataWriter().writeNow(BufferData.create(bytes));
    }
}
