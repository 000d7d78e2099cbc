package dev.parley.relay.store;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where entries are kept. Only the pump's thread calls it; it must not block, and it answers each
 * read exactly once, from any thread.
 */
interface StoreBackend extends AutoCloseable {
    void read(FlowKey key, Consumer<StoreAnswer> answer);

    /** Stores what a client has just proved with a route token; whatever is there is older. */
    void write(FlowKey key, StoredRoute route);

    /** Prolongs an entry, or stores it again, unless another route has been stored meanwhile. */
    void refresh(FlowKey key, StoredRoute route);

    /** Removes an entry unless another relay has written it since. */
    void remove(FlowKey key, StoredRoute route);

    /** Sends what the calls above have gathered; also called now and then when there is nothing. */
    void flush();

    /** Whether there is any point in asking it now. */
    boolean isAvailable();

    /** Whether the first attempt to reach it is still under way. */
    default boolean isConnecting() {
        return false;
    }

    /** What is wrong with it, for people; null for nothing. */
    @Nullable String findProblem();

    @Override
    void close();
}
