package dev.parley.transceiver.audio;

import java.util.Optional;

/**
 * An implementation of Opus that makes encoders and decoders. One is chosen per process, see {@link
 * #best}; any thread may use it, each codec that it makes belongs to the thread that made it.
 */
public sealed interface OpusLibrary permits NativeOpus, ConcentusOpus {
    /** Rates that encoders and decoders work at. */
    static boolean supportsRate(int sampleRateHz) {
        return sampleRateHz == 8_000
                || sampleRateHz == 16_000
                || sampleRateHz == 24_000
                || sampleRateHz == 48_000;
    }

    /**
     * The library of this process, chosen once: libopus of the system or bundled, whichever is
     * newer, and Concentus where neither loads.
     */
    static OpusLibrary best() {
        return Chosen.LIBRARY;
    }

    /** The system's libopus, if one is installed and fits. */
    static Optional<OpusLibrary> system() {
        return Chosen.SYSTEM.map(library -> library);
    }

    /** The libopus that comes with us, if there is one for this platform. */
    static Optional<OpusLibrary> bundled() {
        return Chosen.BUNDLED.map(library -> library);
    }

    /** Opus in Java; works everywhere. */
    static OpusLibrary concentus() {
        return Chosen.CONCENTUS;
    }

    /** Which library this is, for a person: version and origin. */
    String description();

    /**
     * An encoder with libopus' own defaults, owned by the calling thread.
     *
     * @param sampleRateHz 8,000, 16,000, 24,000 or 48,000
     */
    OpusEncoder newEncoder(int sampleRateHz);

    /**
     * A decoder owned by the calling thread.
     *
     * @param sampleRateHz 8,000, 16,000, 24,000 or 48,000
     */
    OpusDecoder newDecoder(int sampleRateHz);

    /** Libraries stay loaded as long as the process lives: codecs point into them. */
    final class Chosen {
        // The order matters: both libraries have the soname libopus.so.0, and once the bundled one
        // is loaded, asking the linker for that name would answer it instead of the system's.
        private static final Optional<NativeOpus> SYSTEM = OpusNatives.loadSystem();
        private static final Optional<NativeOpus> BUNDLED = OpusNatives.loadBundled();
        private static final OpusLibrary CONCENTUS = new ConcentusOpus();
        private static final OpusLibrary LIBRARY = choose();

        private Chosen() {}

        private static OpusLibrary choose() {
            if (SYSTEM.isPresent() && BUNDLED.isPresent()) {
                NativeOpus system = SYSTEM.get();
                NativeOpus bundled = BUNDLED.get();
                return system.version().compareTo(bundled.version()) >= 0 ? system : bundled;
            }
            return SYSTEM.or(() -> BUNDLED).map(OpusLibrary.class::cast).orElse(CONCENTUS);
        }
    }
}
