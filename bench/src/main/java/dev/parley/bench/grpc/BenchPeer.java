package dev.parley.bench.grpc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The server of a comparison in a process of its own, so that each side's cost shows separately.
 */
final class BenchPeer implements AutoCloseable {
    private final ChildProcess process;
    final int port;

    BenchPeer(Transport transport) throws IOException {
        process = new ChildProcess(BenchPeer.class, List.of(transport.label()));
        port = Integer.parseInt(process.readAnswer());
    }

    /** Asks for {@code figures}, {@code threads} or a counter of {@link BenchAgent}. */
    String ask(String question) throws IOException {
        return process.ask(question);
    }

    /** Ends it at once, without a goodbye to its clients. */
    @Override
    public void close() {
        process.close();
    }

    /** Entry point of the server process; it ends with its standard input. */
    public static void main(String[] arguments) throws Exception {
        PrintStream out = System.out;
        BenchAgent agent = new BenchAgent();
        Transport.Listening server = Transport.named(arguments[0]).serve(agent, agent);
        out.println(ChildProcess.ANSWER + server.port());
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(ChildProcess.ANSWER + answer(line, agent));
        }
        server.stop().run();
        System.exit(0);
    }

    private static String answer(String question, BenchAgent agent) throws IOException {
        return switch (question) {
            case "figures" -> ProcessFigures.now().toLine();
            case "threads" -> ProcessFigures.now().countingVirtualThreads().toLine();
            case "cancelled" -> Integer.toString(agent.cancelled.get());
            case "flooded" -> Long.toString(agent.flooded.get());
            default -> "unknown question";
        };
    }
}
