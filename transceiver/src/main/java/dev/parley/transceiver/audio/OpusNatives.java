package dev.parley.transceiver.audio;

import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds libopus: the system's by name, the bundled one by unpacking it. */
final class OpusNatives {
    private OpusNatives() {}

    @SuppressWarnings("restricted")
    static Optional<NativeOpus> loadSystem() {
        for (String name : systemNames(osName())) {
            try {
                return Optional.of(
                        new NativeOpus(
                                SymbolLookup.libraryLookup(name, Arena.global()),
                                "system, " + name));
            } catch (RuntimeException | UnsatisfiedLinkError _) {
                // Not installed under this name, or without a symbol that we need.
            }
        }
        return Optional.empty();
    }

    static Optional<NativeOpus> loadBundled() {
        String resource = bundledResource(osName(), System.getProperty("os.arch", ""));
        try (InputStream library = OpusNatives.class.getResourceAsStream(resource)) {
            return library == null
                    ? Optional.empty()
                    : Optional.of(load(library, resource.substring(resource.lastIndexOf('/') + 1)));
        } catch (IOException | RuntimeException | UnsatisfiedLinkError _) {
            // Wrong C library or CPU for this file, or a temporary directory that forbids
            // execution.
            return Optional.empty();
        }
    }

    @SuppressWarnings("restricted")
    private static NativeOpus load(InputStream library, String fileName) throws IOException {
        // createTempFile lets nobody but the owner read or replace the file.
        Path file = Files.createTempFile("parley-", "-" + fileName);
        file.toFile().deleteOnExit();
        try {
            Files.copy(library, file, StandardCopyOption.REPLACE_EXISTING);
            return new NativeOpus(
                    SymbolLookup.libraryLookup(file, Arena.global()), "bundled with Parley");
        } finally {
            deleteEarly(file);
        }
    }

    /**
     * Where a loaded file may be deleted, nothing is left behind even by a process that is shot.
     */
    private static void deleteEarly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException _) {
            // Windows keeps a loaded library's file; deleteOnExit has it.
        }
    }

    private static String osName() {
        return System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    }

    private static List<String> systemNames(String os) {
        if (os.contains("windows")) {
            return List.of("libopus-0.dll", "opus.dll");
        }
        return os.contains("mac")
                ? List.of(
                        "libopus.0.dylib",
                        "/opt/homebrew/lib/libopus.0.dylib",
                        "/usr/local/lib/libopus.0.dylib")
                : List.of("libopus.so.0");
    }

    /** Path in opus-java-natives; one that does not exist when nothing fits. */
    static String bundledResource(String os, String architecture) {
        String cpu =
                switch (architecture) {
                    case "amd64", "x86_64" -> "x86-64";
                    case "aarch64" -> "aarch64";
                    case "x86", "i386" -> "x86";
                    default -> architecture;
                };
        if (os.contains("windows")) {
            return "/natives/win32-" + cpu + "/libopus.dll";
        }
        return os.contains("mac")
                ? "/natives/darwin/libopus.dylib"
                : "/natives/linux-" + cpu + "/libopus.so";
    }
}
