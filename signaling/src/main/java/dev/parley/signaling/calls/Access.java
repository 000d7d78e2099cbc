package dev.parley.signaling.calls;

import dev.parley.signaling.auth.Authenticator;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.http.ErrorCode;
import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.net.TrustedProxies;
import dev.parley.signaling.steering.LocationHeaders;
import dev.parley.signaling.steering.Whereabouts;
import io.helidon.common.uri.UriQuery;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Decides for each request who makes it, what they may and how often, by RFC 6750. Refusals never
 * tell which part of a credential was wrong. Any thread may ask.
 */
public final class Access {
    /** Of what callers are limited: calls. */
    private static final String CALLS = "calls of ";

    /** Of what callers are limited: client secrets. */
    static final String SECRETS = "secrets of ";

    private static final String SCHEME = "bearer ";
    private static final String REALM = "Bearer realm=\"parley\"";

    private final boolean open;
    private final Authenticator authenticator;
    private final CallLimiter limiter;
    private final TrustedProxies proxies;
    private final LocationHeaders locationHeaders;

    /**
     * Asks for credentials, or not.
     *
     * @param open whether everyone may call
     * @param authenticator recognises credentials
     */
    public Access(
            boolean open,
            Authenticator authenticator,
            CallLimiter limiter,
            TrustedProxies proxies,
            LocationHeaders locationHeaders) {
        this.open = open;
        this.authenticator = authenticator;
        this.limiter = limiter;
        this.proxies = proxies;
        this.locationHeaders = locationHeaders;
    }

    /** Who makes the request; empty when that has to be known and is not. */
    public Optional<Caller> recognise(ServerRequestHeaders headers) {
        Optional<Caller> caller = authenticator.authenticate(credential(headers));
        // Where everyone may call, a client secret still brings its session along; whatever else is
        // shown means nothing.
        return open ? caller.filter(Caller::mayStart).or(() -> Optional.of(Caller.ANYONE)) : caller;
    }

    /**
     * Who makes the request.
     *
     * @throws RefusedException when that has to be known and is not
     */
    public Caller caller(ServerRequestHeaders headers) {
        return recognise(headers).orElseThrow(() -> unauthorized(!credential(headers).isEmpty()));
    }

    /**
     * Who makes the request, when that is someone who may start calls.
     *
     * @throws RefusedException when not
     */
    public Caller starter(ServerRequestHeaders headers) {
        Caller caller = caller(headers);
        requireStarter(caller);
        return caller;
    }

    /**
     * Insists that the caller may start calls.
     *
     * @throws RefusedException when the client secret has expired
     */
    public static void requireStarter(Caller caller) {
        if (!caller.mayStart()) {
            throw unauthorized(true);
        }
    }

    /** The address that the request comes from. */
    public InetAddress client(ServerRequest request) {
        return client(request.headers(), request.remotePeer().address());
    }

    /** The address that a request comes from, by its headers and who is at the other end. */
    public InetAddress client(ServerRequestHeaders headers, SocketAddress peer) {
        return proxies.client(headers, peer);
    }

    /** Where the client of a request is. */
    public Whereabouts where(ServerRequest request) {
        return where(request.headers(), request.remotePeer().address(), request.query());
    }

    /**
     * Where the client of a request is, by its headers and query and who is at the other end.
     *
     * @throws RefusedException when the query asks for what cannot be
     */
    public Whereabouts where(ServerRequestHeaders headers, SocketAddress peer, UriQuery query) {
        InetAddress client = client(headers, peer);
        Whereabouts where =
                proxies.isOurs(peer)
                        ? locationHeaders.read(headers, client)
                        : Whereabouts.at(client);
        return Wish.of(query).at(where);
    }

    /**
     * Counts the request against the limit of the address that it comes from, and answers that.
     *
     * @throws RefusedException when it is over
     */
    public InetAddress countAddress(ServerRequest request) {
        InetAddress client = client(request);
        countAddress(client);
        return client;
    }

    /**
     * Counts a request against an address's limit.
     *
     * @throws RefusedException when it is over
     */
    public void countAddress(InetAddress client) {
        requireNoWait(limiter.acquire(client), "from this address");
    }

    /**
     * Counts a request of this caller against its limit.
     *
     * @param what is asked for, see {@link CallLimiter#acquire(Caller, String)}
     * @throws RefusedException when it is over
     */
    void countCaller(Caller caller, String what) {
        requireNoWait(limiter.acquire(caller, what), "with this credential");
    }

    /**
     * Starts a call of this caller and counts it against its limit. An offer that is refused counts
     * as well: it costs what a call costs until then, and could be repeated without end. Only what
     * there is no room for costs the caller nothing, who is told to come back.
     *
     * @throws RefusedException when the limit is over, and what starting throws
     */
    public <T> T counted(Caller caller, Supplier<T> start) {
        countCaller(caller, CALLS);
        try {
            return start.get();
        } catch (RefusedException refusal) {
            if (refusal.code().status() == Status.SERVICE_UNAVAILABLE_503.code()) {
                limiter.giveBack(caller, CALLS);
            }
            throw refusal;
        }
    }

    private static void requireNoWait(long waitNanos, String whose) {
        if (waitNanos > 0) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(waitNanos) + 1;
            throw new RefusedException(
                            ErrorCode.RATE_LIMIT_EXCEEDED,
                            "Too many requests " + whose + ". Try again in " + seconds + " s.")
                    .with(HeaderNames.RETRY_AFTER, String.valueOf(seconds));
        }
    }

    /**
     * Insists that the caller may use the model, whether there is one or not.
     *
     * @throws RefusedException when not
     */
    static void requireModel(Caller caller, String model) {
        if (!caller.grant().allows(model)) {
            throw new RefusedException(
                    ErrorCode.FORBIDDEN, "This credential does not allow that model.", "model");
        }
    }

    private static String credential(ServerRequestHeaders headers) {
        List<String> values =
                headers.contains(HeaderNames.AUTHORIZATION)
                        ? headers.values(HeaderNames.AUTHORIZATION)
                        : List.of();
        // Two of them may mean two things to two readers.
        String value = values.size() == 1 ? values.getFirst() : "";
        return value.toLowerCase(Locale.ROOT).startsWith(SCHEME)
                ? value.substring(SCHEME.length()).strip()
                : "";
    }

    // RFC 6750 3.1: a request without any credential is not told an error code.
    private static RefusedException unauthorized(boolean shown) {
        return new RefusedException(
                        ErrorCode.UNAUTHORIZED,
                        "This needs a valid credential in the header Authorization: Bearer.")
                .with(
                        HeaderNames.WWW_AUTHENTICATE,
                        shown ? REALM + ", error=\"invalid_token\"" : REALM);
    }
}
