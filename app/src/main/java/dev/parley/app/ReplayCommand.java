package dev.parley.app;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.transceiver.inference.TlsSettings;
import dev.parley.transceiver.replay.RecordedCall;
import dev.parley.transceiver.replay.RecordingReader;
import dev.parley.transceiver.replay.Replay;
import dev.parley.transceiver.replay.ReplaySettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** {@code replay FILE --to HOST:PORT}: has an inference service take a recorded call again. */
final class ReplayCommand {
    private static final double MAX_SPEED = 100;

    private ReplayCommand() {}

    /** Answers whether the service took the call and did not fail. */
    static boolean run(Arguments arguments) {
        if (arguments.rest().isEmpty() || arguments.rest().getFirst().startsWith("--")) {
            throw new ConfigException("replay needs a file: replay FILE --to HOST:PORT");
        }
        Path file = Path.of(arguments.rest().getFirst());
        Map<String, String> options =
                new Arguments("replay", arguments.rest().subList(1, arguments.rest().size()))
                        .options("to", "model", "speed", "save", "ca", "certificate", "key");
        ReplaySettings settings = settings(options);
        try (Replay replay =
                new Replay(
                        RecordingReader.read(file), settings, line -> System.out.println(line))) {
            return replay.run();
        } catch (RecordedCall.UnreadableException e) {
            throw new ConfigException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new ConfigException("replay: " + e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static ReplaySettings settings(Map<String, String> options) {
        String to = options.get("to");
        if (to == null) {
            throw new ConfigException("replay needs --to HOST:PORT of an inference service");
        }
        String save = options.get("save");
        String ca = options.getOrDefault("ca", "");
        String certificate = options.getOrDefault("certificate", "");
        String key = options.getOrDefault("key", "");
        if (certificate.isEmpty() != key.isEmpty()) {
            throw new ConfigException("--certificate and --key belong together");
        }
        try {
            return new ReplaySettings(
                    HostPort.parse(to),
                    options.getOrDefault("model", ""),
                    speed(options.getOrDefault("speed", "1")),
                    save == null ? null : Path.of(save),
                    new TlsSettings(
                            !(ca.isEmpty() && certificate.isEmpty()), ca, certificate, key));
        } catch (IllegalArgumentException e) {
            throw new ConfigException("--to: " + e.getMessage());
        }
    }

    private static double speed(String text) {
        try {
            double speed = Double.parseDouble(text);
            if (speed > 0 && speed <= MAX_SPEED) {
                return speed;
            }
        } catch (NumberFormatException _) {
            // Said below.
        }
        throw new ConfigException(
                "--speed: \"" + text + "\" is no number above 0 and up to " + (int) MAX_SPEED);
    }
}
