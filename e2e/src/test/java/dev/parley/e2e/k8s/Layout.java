package dev.parley.e2e.k8s;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the image holds, put below a pod's own folder: that of {@code ./parley image --layout}, when
 * the system property {@code parley.image} names it, else the same commands on this class path.
 */
final class Layout {
    private static final String IMAGE = System.getProperty("parley.image", "");
    private static final List<String> SERVICES =
            List.of("relay", "transceiver", "signaling", "inference-stub");

    private Layout() {}

    /** Adds it beside the config and secrets that are there. */
    static void addTo(Path opt) throws IOException {
        if (IMAGE.isEmpty()) {
            addThisClassPath(opt);
            return;
        }
        Path image = Path.of(IMAGE).toAbsolutePath();
        Files.createSymbolicLink(opt.resolve("java"), image.resolve("java"));
        try (var files = Files.list(image.resolve("parley"))) {
            for (Path file : files.toList()) {
                Path here = opt.resolve("parley").resolve(file.getFileName());
                if (!Files.exists(here)) {
                    Files.createSymbolicLink(here, file);
                }
            }
        }
    }

    private static void addThisClassPath(Path opt) throws IOException {
        Files.createSymbolicLink(opt.resolve("java"), Path.of(System.getProperty("java.home")));
        Path flags = Files.createDirectories(opt.resolve("parley").resolve("jvm"));
        for (String service : SERVICES) {
            Files.writeString(
                    flags.resolve(service),
                    """
                    --enable-native-access=ALL-UNNAMED
                    --sun-misc-unsafe-memory-access=allow
                    -Xmx256m
                    -Dsun.net.inetaddr.ttl=5
                    -Dnetworkaddress.cache.ttl=5
                    -cp
                    "%s"
                    dev.parley.app.Main
                    %s
                    """
                            .formatted(System.getProperty("java.class.path"), service));
        }
    }
}
