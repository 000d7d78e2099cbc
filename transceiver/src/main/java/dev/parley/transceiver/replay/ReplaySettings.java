package dev.parley.transceiver.replay;

import dev.parley.runtime.config.HostPort;
import dev.parley.transceiver.inference.TlsSettings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * How a call is replayed.
 *
 * @param to the inference service
 * @param model asked for, empty for that of the recording
 * @param speed how many times faster than it was
 * @param save file that takes what the caller would have heard, null for none
 * @param tls how the service is talked to
 */
public record ReplaySettings(
        HostPort to, String model, double speed, @Nullable Path save, TlsSettings tls) {}
