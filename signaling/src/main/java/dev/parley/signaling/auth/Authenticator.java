package dev.parley.signaling.auth;

import java.util.List;
import java.util.Optional;

/**
 * One way of recognising callers by what follows {@code Bearer} in their requests. Any thread may
 * ask. Deployments add ways of their own through {@link java.util.ServiceLoader}: a public class
 * with a constructor without arguments, named in {@code
 * META-INF/services/dev.parley.signaling.auth.Authenticator}.
 */
@FunctionalInterface
public interface Authenticator {
    /**
     * The caller, or empty when the credential is not of this kind or not good. Must not throw for
     * anything that a stranger can send, and may block for a short, bounded time.
     */
    Optional<Caller> authenticate(String credential);

    /** Asks each in turn; the first that recognises the credential decides. */
    static Authenticator firstOf(List<Authenticator> ways) {
        List<Authenticator> all = List.copyOf(ways);
        return credential ->
                all.stream()
                        .map(way -> way.authenticate(credential))
                        .flatMap(Optional::stream)
                        .findFirst();
    }
}
