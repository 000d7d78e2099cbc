package dev.parley.signaling.calls;

import dev.parley.signaling.auth.Caller;
import dev.parley.signaling.auth.Grant;
import dev.parley.signaling.limits.AddressKey;
import dev.parley.signaling.limits.TokenBuckets;
import java.net.InetAddress;
import java.util.function.LongSupplier;

/**
 * Limits the calls that may be started: by one client address, with one client secret and by one
 * owner of credentials. Any thread may ask.
 */
public final class CallLimiter {
    private static final int SECRET_BURST = 3;

    private final int perMinute;
    private final int burst;
    private final int secretPerMinute;
    private final TokenBuckets<AddressKey> addresses;
    private final TokenBuckets<String> callers;

    /**
     * Starts with nothing counted.
     *
     * @param perMinute calls a minute from one address, 0 for no limit
     * @param burst calls at once from one address
     * @param secretPerMinute calls a minute with one client secret, 0 for no limit
     * @param nanoTime a monotonic clock
     */
    public CallLimiter(int perMinute, int burst, int secretPerMinute, LongSupplier nanoTime) {
        this.perMinute = perMinute;
        this.burst = burst;
        this.secretPerMinute = secretPerMinute;
        this.addresses = new TokenBuckets<>(nanoTime);
        this.callers = new TokenBuckets<>(nanoTime);
    }

    /** Nanoseconds until this address may ask again; 0 when it may, which is then counted. */
    long acquire(InetAddress client) {
        return perMinute == 0 ? 0 : addresses.acquire(AddressKey.of(client), perMinute, burst);
    }

    /**
     * Nanoseconds until this caller may ask again; 0 when it may, which is then counted. A leaked
     * secret runs into its own limit before it uses up its owner's.
     *
     * @param what is asked for; each kind of thing has the caller's limit to itself
     */
    long acquire(Caller caller, String what) {
        long wait =
                caller.secret()
                        .map(secret -> callers.acquire(secret.id(), secretPerMinute, SECRET_BURST))
                        .orElse(0L);
        if (wait > 0) {
            return wait;
        }
        Grant grant = caller.grant();
        return callers.acquire(what + caller.owner(), grant.callsPerMinute(), grant.burst());
    }

    /** What was counted of this caller does not count. */
    void giveBack(Caller caller, String what) {
        caller.secret().ifPresent(secret -> callers.giveBack(secret.id(), secretPerMinute));
        callers.giveBack(what + caller.owner(), caller.grant().callsPerMinute());
    }
}
