package dev.parley.relay.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A store whose every answer the test gives, without a thread; it cannot be asked at first. */
public final class FakeStore implements StoreBackend {
    /** Something other than a read that was asked for. */
    public record Change(StoreLane.Kind kind, String client, StoredRoute route) {}

    private final StoreLane lane = new StoreLane(() -> {}, () -> {});
    private final Deque<Consumer<StoreAnswer>> reads = new ArrayDeque<>();
    private final List<String> asked = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();

    public StoreLane lane() {
        return lane;
    }

    public void available(boolean can) {
        lane.available(can);
    }

    /** Clients asked for since the last call, as text. */
    public List<String> takeAsked() {
        var _ = lane.drainTo(this, Integer.MAX_VALUE);
        List<String> taken = List.copyOf(asked);
        asked.clear();
        return taken;
    }

    /** Changes since the last call. */
    public List<Change> takeChanges() {
        var _ = lane.drainTo(this, Integer.MAX_VALUE);
        List<Change> taken = List.copyOf(changes);
        changes.clear();
        return taken;
    }

    /** Answers the oldest read. */
    public void answer(StoreAnswer answer) {
        var _ = lane.drainTo(this, Integer.MAX_VALUE);
        reads.remove().accept(answer);
    }

    @Override
    public void read(FlowKey key, Consumer<StoreAnswer> answer) {
        asked.add(client(key));
        reads.add(answer);
    }

    private static String client(FlowKey key) {
        return FlowText.client(key) + " at " + FlowText.publicAddress(key);
    }

    @Override
    public void write(FlowKey key, StoredRoute route) {
        changes.add(new Change(StoreLane.Kind.WRITE, client(key), route));
    }

    @Override
    public void refresh(FlowKey key, StoredRoute route) {
        changes.add(new Change(StoreLane.Kind.REFRESH, client(key), route));
    }

    @Override
    public void remove(FlowKey key, StoredRoute route) {
        changes.add(new Change(StoreLane.Kind.REMOVE, client(key), route));
    }

    @Override
    public void flush() {}

    @Override
    public boolean isAvailable() {
        return true;
    }

    @Override
    public @Nullable String findProblem() {
        return null;
    }

    @Override
    public void close() {}
}
