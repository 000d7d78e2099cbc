package dev.parley.signaling.ws;

import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.calls.Access;
import dev.parley.signaling.calls.Admission;
import dev.parley.signaling.calls.CallDesk;
import dev.parley.signaling.calls.CallEndpoints;
import dev.parley.signaling.http.Cors;
import dev.parley.signaling.http.Endpoint;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.net.EndingConnection;
import dev.parley.signaling.net.Upgrades;
import dev.parley.signaling.steering.Whereabouts;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.uri.UriQuery;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http.HttpRules;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.http1.spi.Http1Upgrader;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.websocket.WsConnection;
import io.helidon.websocket.WsListener;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Opens {@link CallSocket}s and, on the path of calls, {@link SidebandSocket}s. A request that
 * cannot become one goes on to the route of the same path, which tells why in the way of all other
 * errors.
 */
public final class SocketEndpoint implements Http1Upgrader, HttpService {
    /** Where it is. */
    public static final String PATH = "/v1/realtime/signaling";

    /** The longest frame that is taken of a sideband. */
    public static final int MAX_FRAME_BYTES = SidebandSocket.MAX_MESSAGE_BYTES;

    private final CallDesk desk;
    private final Access access;
    private final Admission admission;
    private final Cors cors;
    private final SocketLimits limits;
    private final SocketCounters counters;

    /** Starts calls at this desk. */
    public SocketEndpoint(
            CallDesk desk,
            Access access,
            Admission admission,
            Cors cors,
            SocketLimits limits,
            SocketCounters counters) {
        this.desk = desk;
        this.access = access;
        this.admission = admission;
        this.cors = cors;
        this.limits = limits;
        this.counters = counters;
    }

    @Override
    public void routing(HttpRules rules) {
        rules.any("/", Endpoint.of(cors, Method.GET, this::refuse));
    }

    private void refuse(ServerRequest request, ServerResponse response) {
        var _ = access.caller(request.headers());
        cors.requirePermitted(request.headers());
        var _ = access.where(request);
        throw RefusedException.needsWebSocket();
    }

    @Override
    public String supportedProtocol() {
        return "websocket";
    }

    @Override
    public @Nullable ServerConnection upgrade(
            ConnectionContext context, HttpPrologue prologue, WritableHeaders<?> headers) {
        String path = prologue.uriPath().path();
        boolean sideband = path.equals(CallEndpoints.ROOT);
        if (!prologue.method().equals(Method.GET)
                || !(sideband || path.equals(PATH))
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
        Opening opening = new Opening(context, prologue, headers);
        if (!sideband) {
            Optional<Whereabouts> where = where(request, context, prologue.query());
            if (where.isEmpty()) {
                return null;
            }
            CallSocket socket = socket(caller.get(), where.get(), request);
            counters.openedForCalls();
            return open(opening, socket, socket::leave, limits.maxMessageBytes());
        }
        SidebandSocket joined = findSideband(caller.get(), prologue.query());
        if (joined == null) {
            return null;
        }
        counters.openedForSideband();
        return open(opening, joined, joined::leave, MAX_FRAME_BYTES);
    }

    private ServerConnection open(
            Opening opening, WsListener listener, Runnable leave, int maxFrameBytes) {
        try {
            accept(opening.context(), opening.headers());
        } catch (RuntimeException e) {
            // Gone while it was let in: there will be no connection to end.
            leave.run();
            throw e;
        }
        Upgrades.done(opening.context(), maxFrameBytes);
        WsConnection opened =
                WsConnection.create(
                        opening.context(),
                        opening.prologue(),
                        opening.headers(),
                        "",
                        new FrameGuard(listener, System::nanoTime));
        return new EndingConnection(opened, end -> ended(opened, end), leave);
    }

    /** What a connection is that becomes a WebSocket. */
    private record Opening(ConnectionContext context, HttpPrologue prologue, Headers headers) {}

    private void ended(WsConnection connection, RuntimeException end) {
        Violation violation = Violation.find(end);
        if (violation != null) {
            counters.ended(violation);
            connection.close(violation.closeCode(), violation.text());
            throw new CloseConnectionException(violation.text(), end);
        }
    }

    private @Nullable SidebandSocket findSideband(Caller caller, UriQuery query) {
        try {
            return new SidebandSocket(
                    desk.join(caller, query.all("call_id", List::of)),
                    query.all("client_events", List::of).contains("true"),
                    counters,
                    limits.pingPeriod());
        } catch (RefusedException _) {
            return null;
        }
    }

    private Optional<Whereabouts> where(
            ServerRequestHeaders headers, ConnectionContext context, UriQuery query) {
        try {
            return Optional.of(access.where(headers, context.remotePeer().address(), query));
        } catch (RefusedException _) {
            return Optional.empty();
        }
    }

    private CallSocket socket(Caller caller, Whereabouts where, ServerRequestHeaders headers) {
        return new CallSocket(
                desk,
                access,
                caller,
                CallDesk.Origin.of(headers, where, "websocket"),
                () -> countStart(caller, where.address()),
                limits);
    }

    private void countStart(Caller caller, InetAddress client) {
        admission.requireRoom();
        access.countAddress(client);
        Access.requireStarter(caller);
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
