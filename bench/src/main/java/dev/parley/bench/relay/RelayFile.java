package dev.parley.bench.relay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/** The config file of a relay under test, gone when this process ends. */
final class RelayFile {
    /** Key id and key of the bench's route tokens. */
    static final int KEY_ID = 1;

    static final String KEY_HEX = "000102030405060708090a0b0c0d0e0f";

    private RelayFile() {}

    /** Writes options, and the range and the key that every relay of the bench needs. */
    static Path write(Map<String, String> options) throws IOException {
        String lines =
                options.entrySet().stream()
                        .map(option -> option.getKey() + ": \"" + option.getValue() + "\"\n")
                        .collect(Collectors.joining());
        Path file = Files.createTempFile("relay-under-test", ".yaml");
        file.toFile().deleteOnExit();
        return Files.writeString(
                file,
                lines
                        + "health_address: 127.0.0.1:0\n"
                        + "transceiver_cidrs: 127.0.0.0/8\nroute_keys:\n  "
                        + KEY_ID
                        + ": "
                        + KEY_HEX
                        + "\n");
    }
}
