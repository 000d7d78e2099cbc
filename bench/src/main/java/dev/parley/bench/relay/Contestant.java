package dev.parley.bench.relay;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A relay to measure.
 *
 * @param name as the report shows it
 * @param command its command line; {@code {public}} and {@code {sink}} stand for the address that
 *     it binds and the transceiver that it forwards to
 * @param isOurs whether it is {@link RelayUnderTest}, which tells what it allocates
 * @param maxFlows most flows that it can be given
 */
record Contestant(String name, List<String> command, boolean isOurs, int maxFlows) {
    private static final int OUR_FLOWS = 131_072;

    /** The reference programs have a fixed table of 65,536 slots and never expire a flow. */
    private static final int THEIR_FLOWS = 32_768;

    /** With which flags {@code ./parley relay} runs; it tells the bench. */
    private static final String FLAGS_VARIABLE = "PARLEY_RELAY_FLAGS";

    /** Parley's relay, in one of its ways to move datagrams. */
    static Contestant ours(String name, String udp) {
        return ours(name, udp, RelayUnderTest.class, List.of());
    }

    /** Two of them, one behind the other, in one process. */
    static Contestant twoOfOurs(String name, String udp) {
        // A loop keeps its carrier, and these are two.
        List<String> carriers = List.of("-Djdk.virtualThreadScheduler.parallelism=8");
        return ours(name, udp, TwoRelaysUnderTest.class, carriers);
    }

    private static Contestant ours(
            String name, String udp, Class<?> main, List<String> furtherFlags) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        command.addAll(flags(System.getenv(FLAGS_VARIABLE)));
        command.addAll(furtherFlags);
        command.addAll(
                List.of(
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName(),
                        "udp=" + udp,
                        "workers=1",
                        "public_addresses={public}",
                        "upstream_address=127.0.0.1:0",
                        // Between its turns a contestant hears nothing for a while.
                        "flow_timeout=30m",
                        "max_flows=" + OUR_FLOWS));
        return new Contestant(name, command, true, OUR_FLOWS);
    }

    /** The same with more options, each {@code key=value}. */
    Contestant with(String otherName, List<String> options) {
        List<String> more = new ArrayList<>(command);
        more.addAll(options);
        return new Contestant(otherName, more, isOurs, maxFlows);
    }

    private static List<String> flags(@Nullable String told) {
        return told == null
                ? ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(flag -> !flag.startsWith("-agentlib"))
                        .toList()
                : List.of(told.strip().split("\\s+"));
    }

    /** Another relay with the same wire behaviour. */
    static Contestant other(String name, String command) {
        return new Contestant(name, List.of(command.strip().split("\\s+")), false, THEIR_FLOWS);
    }

    List<String> command(String publicAddress, String sink) {
        return command.stream()
                .map(word -> word.replace("{public}", publicAddress).replace("{sink}", sink))
                .toList();
    }
}
