package dev.parley.app.load;

import dev.parley.runtime.config.ConfigException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code ./parley load} can be told.
 *
 * @param url base of the signaling API
 * @param sessions calls at a time
 * @param seconds how long they last once all are there
 * @param model asked for in each call
 * @param apiKey shown as bearer token
 * @param perSecond calls that are started a second until all are there
 * @param callSeconds mean length of a call that is then replaced by another; 0 for no such churn
 * @param lossPercent packets of media lost on purpose, each way
 * @param nack whether lost packets may be asked for again, both ways
 * @param rebindSeconds mean time until a call goes on from another port, unannounced; 0 for never
 * @param restartSeconds mean time until a call restarts ICE; 0 for never
 * @param messagesPerSecond on a data channel; negative for no data channel
 * @param talkSeconds mean length of talking between silence; 0 for no end
 * @param silenceSeconds mean length of silence
 * @param audio what the callers say: an Ogg Opus or WAV file; built in speech without one
 * @param warmUpSeconds of calls that come and go before those that count
 * @param settleSeconds from when the last call was due until figures of the whole load begin
 * @param threads event loops
 * @param callsPerSocket calls that share a UDP port by addresses of their own, where that can be
 * @param verifyTls whether certificates must be good
 * @param seed of everything random but keys
 */
public record LoadOptions(
        URI url,
        int sessions,
        int seconds,
        String model,
        Optional<Path> json,
        Optional<Path> html,
        String apiKey,
        double perSecond,
        double callSeconds,
        double lossPercent,
        boolean nack,
        double rebindSeconds,
        double restartSeconds,
        double messagesPerSecond,
        double talkSeconds,
        double silenceSeconds,
        Optional<Path> audio,
        double warmUpSeconds,
        double settleSeconds,
        int threads,
        int callsPerSocket,
        boolean verifyTls,
        long seed) {
    /** For {@code ./parley load --help}. */
    public static final String USAGE =
            """
            usage: ./parley load [OPTIONS]

            Calls a deployment with whole WebRTC clients (ICE, DTLS, SRTP, Opus), each as a browser would: POST
            URL/v1/realtime/calls. Exits with 1 when none connects, all of them break off or a file cannot be written, 2 when an
            option cannot be used. Gives up when the first eight calls fail, or all do for 3 s.

              --url URL             base of the signaling API (default http://127.0.0.1:8080)
              --sessions N          calls at a time (default 10)
              --seconds S           how long, once all are there (default 20)
              --model NAME          who answers (default echo, whose round trip is that of the callers' own packets)
              --json FILE           figures, and a second-by-second series
              --html FILE           the same as a page with charts
              --api-key KEY         shown as bearer token
              --verify-tls false    takes any certificate of an https URL

              --ramp R              calls started a second (default 20)
              --call-seconds S      churn: mean length of a call; another one is due when it is to end, even if it never came
                                    about (default: none)
              --warm-up S           seconds of a few short calls before, which do not count: the first ones find both sides cold
                                    (default 3)
              --settle S            seconds from when all calls are due to those that round trip, gaps and loss are told of;
                                    whole_* has all (default 1)
              --audio FILE          what callers say: Ogg Opus, or WAV of 16 bit, mono (default: a voice that is built in)
              --talk S              callers talk and pause in turn: mean seconds of talking (default: they never pause)
              --silence S           mean seconds of pausing (default: as --talk); answers and barge-ins are timed then
              --data-channel M      opens a data channel and sends M messages a second, 0 for none
              --loss P              per cent of packets left out, each way
              --nack true           offers that lost packets are asked for again, as browsers do when told to, and answers
              --rebind S            mean seconds until a call goes on from another port, as behind a NAT
              --ice-restart S       mean seconds until a call restarts ICE
              --threads N           event loops (default: one per 1,000 calls)
              --calls-per-socket N  calls that share a port by loopback addresses of their own (default 16 there; else 1)
              --seed N              of all that is random but keys (default 1)
            """;

    /** What the command line may name. */
    public static String[] names() {
        return new String[] {
            "url",
            "sessions",
            "seconds",
            "model",
            "json",
            "html",
            "api-key",
            "ramp",
            "call-seconds",
            "loss",
            "nack",
            "rebind",
            "ice-restart",
            "data-channel",
            "talk",
            "silence",
            "audio",
            "warm-up",
            "settle",
            "threads",
            "calls-per-socket",
            "verify-tls",
            "seed"
        };
    }

    private static final int CALLS_PER_THREAD = 1_000;

    /**
     * Reads the command line.
     *
     * @throws ConfigException naming the option that cannot be used
     */
    public static LoadOptions of(Map<String, String> given) {
        Reader read = new Reader(given);
        int sessions = (int) read.number("sessions", 10, 1, 100_000);
        int cores = Runtime.getRuntime().availableProcessors();
        int threads = Math.clamp((sessions + CALLS_PER_THREAD - 1) / CALLS_PER_THREAD, 1, cores);
        double talk = read.number("talk", 0, 0, 3_600);
        return new LoadOptions(
                url(given.getOrDefault("url", "http://127.0.0.1:8080")),
                sessions,
                (int) read.number("seconds", 20, 1, 1_000_000),
                model(given.getOrDefault("model", "echo")),
                read.target("json"),
                read.target("html"),
                given.getOrDefault("api-key", ""),
                read.number("ramp", 20, 0.01, 10_000),
                read.number("call-seconds", 0, 0, 86_400),
                read.number("loss", 0, 0, 90),
                read.flag("nack", false),
                read.number("rebind", 0, 0, 86_400),
                read.number("ice-restart", 0, 0, 86_400),
                read.number("data-channel", -1, 0, 1_000),
                talk,
                read.number("silence", talk, 0, 3_600),
                read.source("audio"),
                read.number("warm-up", 3, 0, 600),
                read.number("settle", 1, 0, 600),
                (int) read.number("threads", threads, 1, 256),
                (int) read.number("calls-per-socket", 0, 0, 10_000),
                read.flag("verify-tls", true),
                (long) read.number("seed", 1, 0, Long.MAX_VALUE));
    }

    private static URI url(String text) {
        try {
            URI url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
            boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
            if (web && url.getHost() != null && url.getQuery() == null) {
                return url;
            }
        } catch (URISyntaxException _) {
            // Answered below.
        }
        throw new ConfigException(
                "--url is '"
                        + text
                        + "', which is no base URL: give one such as http://127.0.0.1:8080");
    }

    private static String model(String name) {
        if (name.isBlank()) {
            throw new ConfigException("--model is empty: give a model's name, such as echo");
        }
        return name;
    }

    private record Reader(Map<String, String> given) {
        double number(String name, double otherwise, double min, double max) {
            String text = given.get(name);
            if (text == null) {
                return otherwise;
            }
            try {
                double number = Double.parseDouble(text);
                boolean whole = !isWhole(name) || number == Math.rint(number);
                if (number >= min && number <= max && whole) {
                    return number;
                }
            } catch (NumberFormatException _) {
                // Answered below.
            }
            throw new ConfigException(
                    "--%s is '%s': give a %s from %s to %s"
                            .formatted(
                                    name,
                                    text,
                                    isWhole(name) ? "whole number" : "number",
                                    plain(min),
                                    plain(max)));
        }

        private static boolean isWhole(String name) {
            return switch (name) {
                case "sessions", "seconds", "threads", "calls-per-socket", "seed" -> true;
                default -> false;
            };
        }

        private static String plain(double number) {
            return number == Math.rint(number)
                    ? Long.toString((long) number)
                    : Double.toString(number);
        }

        boolean flag(String name, boolean otherwise) {
            String text = given.getOrDefault(name, Boolean.toString(otherwise));
            return switch (text) {
                case "true" -> true;
                case "false" -> false;
                default ->
                        throw new ConfigException(
                                "--" + name + " is '" + text + "': give true or false");
            };
        }

        /** A file that will be written, at the end: better told now that it cannot be. */
        Optional<Path> target(String name) {
            Optional<Path> file = Optional.ofNullable(given.get(name)).map(Path::of);
            file.ifPresent(
                    path -> {
                        Path folder = path.toAbsolutePath().getParent();
                        boolean writable =
                                Files.exists(path)
                                        ? Files.isWritable(path)
                                        : folder != null && Files.isWritable(folder);
                        if (!writable || Files.isDirectory(path)) {
                            throw new ConfigException(
                                    "--" + name + " is '" + path + "', where no file can be made");
                        }
                    });
            return file;
        }

        Optional<Path> source(String name) {
            Optional<Path> file = Optional.ofNullable(given.get(name)).map(Path::of);
            file.ifPresent(
                    path -> {
                        if (!Files.isReadable(path)) {
                            throw new ConfigException(
                                    "--" + name + " is '" + path + "', which cannot be read");
                        }
                    });
            return file;
        }
    }
}
