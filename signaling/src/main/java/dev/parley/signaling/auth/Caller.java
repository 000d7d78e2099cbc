package dev.parley.signaling.auth;

import java.util.Optional;

/**
 * Whom a request comes from, as far as its credential tells.
 *
 * @param owner whose calls these are: {@code key:shop}, {@code jwt:alice}; empty for anyone. Who
 *     owns a call may describe and end it.
 * @param grant what the owner may do
 * @param secret the client secret that was shown, when it was one
 * @param mayStart whether new calls may be started; an expired secret only speaks for old ones
 * @param mayMint whether client secrets may be made
 */
public record Caller(
        String owner,
        Grant grant,
        Optional<ClientSecret> secret,
        boolean mayStart,
        boolean mayMint) {
    /** Whoever it is, where everyone may call. */
    public static final Caller ANYONE =
            new Caller("", Grant.EVERYTHING, Optional.empty(), true, true);

    /** The holder of a lasting credential. */
    public static Caller of(String owner, Grant grant, boolean mayMint) {
        return new Caller(owner, grant, Optional.empty(), true, mayMint);
    }
}
