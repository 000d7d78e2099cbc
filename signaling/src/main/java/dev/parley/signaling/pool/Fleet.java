package dev.parley.signaling.pool;

import dev.parley.otel.grpc.ClientSpans;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.reload.Ticker;
import dev.parley.signaling.http.ErrorCode;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The transceivers that there are: found again and again, each asked for its load again and again.
 * One thread of its own looks for them, one for each asks it; any thread may read.
 */
final class Fleet implements AutoCloseable {
    private static final System.Logger LOGGER = System.getLogger(Fleet.class.getName());

    /** One transceiver and who asks it. */
    private record Member(ControlClient client, Ticker reports) {}

    private final Discovery discovery;
    private final Duration interval;
    private final Duration controlTimeout;
    private final ClientSpans spans;
    private final KnownTransceivers known;
    private final LongAdder failures = new LongAdder();
    private volatile Map<HostPort, Member> members = Map.of();
    private boolean complained;
    private @Nullable Ticker search;

    /**
     * @param interval between two looks
     * @param controlTimeout for each answer
     * @param spans makes spans of requests that are part of a call
     * @param known is told of those that answer
     */
    Fleet(
            Discovery discovery,
            Duration interval,
            Duration controlTimeout,
            ClientSpans spans,
            KnownTransceivers known) {
        this.discovery = discovery;
        this.interval = interval;
        this.controlTimeout = controlTimeout;
        this.spans = spans;
        this.known = known;
    }

    /** Looks for the first time, and from then on. */
    void start() {
        search();
        search = Ticker.start("discovery", interval, this::search);
    }

    /** Takes in new ones and lets go of those that are gone. */
    synchronized void search() {
        try {
            Set<HostPort> found = discovery.find();
            if (found.isEmpty() && !members.isEmpty()) {
                // More likely a fault of discovery than the end of every transceiver at once.
                throw new IOException("no transceiver is found any more");
            }
            replace(found);
            complained = false;
        } catch (IOException e) {
            failures.increment();
            if (!complained) {
                complained = true;
                LOGGER.log(
                        Level.WARNING,
                        "transceivers cannot be looked for: {0}; those known stay",
                        String.valueOf(e.getMessage()));
            }
        }
    }

    private void replace(Set<HostPort> found) {
        Map<HostPort, Member> next = new LinkedHashMap<>();
        for (HostPort target : found) {
            Member member = members.get(target);
            next.put(target, member == null ? join(target) : member);
        }
        Map<HostPort, Member> before = members;
        members = Collections.unmodifiableMap(next);
        before.forEach(
                (target, member) -> {
                    if (!found.contains(target)) {
                        LOGGER.log(Level.INFO, "transceiver {0} is gone", target);
                        member.reports().close();
                        member.client().retire();
                    }
                });
    }

    private Member join(HostPort target) {
        ControlClient client = new ControlClient(target, spans);
        // At once, so that the first caller waits neither for a connection nor for what it asks.
        var _ = Thread.ofVirtual().name("control-first-report").start(() -> problem(client));
        return new Member(
                client, Ticker.start("control-report-" + target, interval, () -> problem(client)));
    }

    /** Times that transceivers could not be looked for. */
    long failures() {
        return failures.sum();
    }

    /** The one at this address, when it is known. */
    Optional<ControlClient> find(HostPort target) {
        return Optional.ofNullable(members.get(target)).map(Member::client);
    }

    /**
     * All, in the order in which a new call should be offered to them. Of two taken at random the
     * less loaded one comes first: nearly as even as asking all, and many signaling instances that
     * know the same do not all pick the same. Behind those that take calls come those that are not
     * thought to: what is known of them may be old.
     */
    List<ControlClient> inTurn() {
        List<Ranked> order = new ArrayList<>();
        members.values().forEach(member -> order.add(Ranked.now(member.client())));
        Collections.shuffle(order, new Random(ThreadLocalRandom.current().nextLong()));
        order.sort(Comparator.comparingInt(Ranked::rank));
        if (order.size() > 1
                && order.get(0).rank() == order.get(1).rank()
                && order.get(1).client().load() < order.get(0).client().load()) {
            Collections.swap(order, 0, 1);
        }
        return order.stream().map(Ranked::client).collect(Collectors.toCollection(ArrayList::new));
    }

    /** One of them with its rank of a moment: ranks change by themselves, as time passes. */
    private record Ranked(ControlClient client, int rank) {
        static Ranked now(ControlClient client) {
            return new Ranked(client, Fleet.rank(client));
        }
    }

    private static int rank(ControlClient client) {
        int unreachable = client.isUnreachable() ? 2 : 0;
        return unreachable + (client.isAccepting() && client.findRest().isEmpty() ? 0 : 1);
    }

    /**
     * Why all that take calls are left alone at this moment; empty when one is not, or all are
     * thought to take none for longer, which may be old.
     */
    Optional<ErrorCode> findRest() {
        Optional<ErrorCode> why = Optional.empty();
        for (Member member : members.values()) {
            Optional<ErrorCode> rest = member.client().findRest();
            if (rest.isPresent()) {
                why = rest;
            } else if (rank(member.client()) == 0) {
                return Optional.empty();
            }
        }
        return why;
    }

    /** Room in all of them together, as it was when they were last heard of. */
    TransceiverPool.Room room() {
        int sessions = 0;
        int maxSessions = 0;
        boolean takesCalls = false;
        for (Member member : members.values()) {
            sessions += member.client().sessions();
            maxSessions += member.client().capacity();
            takesCalls |= rank(member.client()) == 0;
        }
        return new TransceiverPool.Room(sessions, maxSessions, takesCalls);
    }

    /** Why no new call can be served now, one line for each; empty when one can. */
    List<String> problems() {
        Collection<Member> all = members.values();
        if (all.isEmpty()) {
            return List.of("no transceiver is known");
        }
        List<String> problems = new ArrayList<>();
        for (Member member : all) {
            String problem = problem(member.client());
            if (problem.isEmpty()) {
                return List.of();
            }
            int number = problems.size() + 1;
            problems.add("transceiver " + number + " of " + all.size() + " " + problem);
        }
        return problems;
    }

    // The number stands for the address: readiness is public, addresses are not.
    private String problem(ControlClient client) {
        try {
            client.connect();
            String problem = client.report(controlTimeout);
            known.answered(client.findReporter());
            return problem;
        } catch (StatusRuntimeException e) {
            return switch (e.getStatus().getCode()) {
                case UNAVAILABLE -> "cannot be reached";
                case DEADLINE_EXCEEDED -> "does not answer";
                default -> "fails";
            };
        }
    }

    @Override
    public void close() {
        if (search != null) {
            search.close();
        }
        discovery.close();
        members.values()
                .forEach(
                        member -> {
                            member.reports().close();
                            member.client().close();
                        });
    }
}
