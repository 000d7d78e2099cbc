package dev.parley.bench.relay;

import com.sun.management.ThreadMXBean;
import dev.parley.otel.Telemetry;
import dev.parley.relay.Relay;
import dev.parley.relay.RelayConfig;
import dev.parley.runtime.config.ConfigLoader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * A relay as a process of its own for the bench: options as {@code key=value} arguments; prints
 * READY when it forwards, and for each line on standard input the bytes that all its threads have
 * allocated so far.
 */
public final class RelayUnderTest {
    /** Key id and key of the bench's route tokens. */
    static final int KEY_ID = 1;

    static final String KEY_HEX = "000102030405060708090a0b0c0d0e0f";

    private RelayUnderTest() {}

    public static void main(String[] arguments) throws IOException {
        Map<String, String> options = new HashMap<>();
        options.put("transceiver_cidrs", "127.0.0.0/8");
        options.put("route_keys", KEY_ID + "=" + KEY_HEX);
        for (String argument : arguments) {
            int equals = argument.indexOf('=');
            options.put(argument.substring(0, equals), argument.substring(equals + 1));
        }
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        BufferedReader questions =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Telemetry telemetry = Telemetry.none();
        try (Relay _ = Relay.start(ConfigLoader.of(RelayConfig.class, options), telemetry)) {
            System.out.println("READY");
            for (String line = questions.readLine(); line != null; line = questions.readLine()) {
                System.out.println("ALLOCATED " + threads.getTotalThreadAllocatedBytes());
            }
        }
    }
}
