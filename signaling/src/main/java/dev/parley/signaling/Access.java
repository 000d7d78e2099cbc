package dev.parley.signaling;

import dev.parley.signaling.auth.Authenticator;
import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.net.TrustedProxies;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Decides for each request who makes it, what they may and how often, by RFC 6750. Refusals never
 * tell which part of a credential was wrong. Any thread may ask.
 */
final class Access {
    private static final String SCHEME = "bearer ";
    private static final HeaderName WWW_AUTHENTICATE = HeaderNames.WWW_AUTHENTICATE;
    private static final String REALM = "Bearer realm=\"parley\"";

    private final SignalingConfig.Auth mode;
    private final Authenticator authenticator;
    private final CallLimiter limiter;
    private final TrustedProxies proxies;

    /**
     * @param mode whether a credential is needed
     * @param authenticator recognises them
     */
    Access(
            SignalingConfig.Auth mode,
            Authenticator authenticator,
            CallLimiter limiter,
            TrustedProxies proxies) {
        this.mode = mode;
        this.authenticator = authenticator;
        this.limiter = limiter;
        this.proxies = proxies;
    }

    /**
     * Who makes the request.
     *
     * @throws RefusedException when that has to be known and is not
     */
    Caller caller(ServerRequest request, ServerResponse response) {
        String credential = credential(request.headers());
        if (mode == SignalingConfig.Auth.ANY) {
            // A client secret still brings its session along; whatever else is shown means nothing.
            return authenticator
                    .authenticate(credential)
                    .filter(Caller::mayStart)
                    .orElse(Caller.ANYONE);
        }
        return authenticator
                .authenticate(credential)
                .orElseThrow(() -> unauthorized(response, !credential.isEmpty()));
    }

    /**
     * Who makes the request, when that is someone who may start calls.
     *
     * @throws RefusedException when not
     */
    Caller starter(ServerRequest request, ServerResponse response) {
        Caller caller = caller(request, response);
        if (!caller.mayStart()) {
            throw unauthorized(response, true);
        }
        return caller;
    }

    /**
     * Counts the request against the limit of the address that it comes from, and answers that.
     *
     * @throws RefusedException when it is over
     */
    InetAddress countAddress(ServerRequest request, ServerResponse response) {
        InetAddress client = proxies.client(request);
        requireNoWait(limiter.acquire(client), "from this address", response);
        return client;
    }

    /**
     * Counts a request of this caller against its limit.
     *
     * @param what is asked for, see {@link CallLimiter#acquire(Caller, String)}
     * @throws RefusedException when it is over
     */
    void countCaller(Caller caller, String what, ServerResponse response) {
        requireNoWait(limiter.acquire(caller, what), "with this credential", response);
    }

    private static void requireNoWait(long waitNanos, String whose, ServerResponse response) {
        if (waitNanos > 0) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(waitNanos) + 1;
            response.headers().set(HeaderNames.RETRY_AFTER, String.valueOf(seconds));
            throw new RefusedException(
                    ErrorCode.RATE_LIMIT_EXCEEDED,
                    "Too many requests " + whose + ". Try again in " + seconds + " s.");
        }
    }

    /**
     * @throws RefusedException when the caller may not use the model, whether there is one or not
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
    private static RefusedException unauthorized(ServerResponse response, boolean shown) {
        response.headers()
                .set(WWW_AUTHENTICATE, shown ? REALM + ", error=\"invalid_token\"" : REALM);
        return new RefusedException(
                ErrorCode.UNAUTHORIZED,
                "This needs a valid credential in the header Authorization: Bearer.");
    }
}
