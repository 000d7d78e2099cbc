package dev.parley.e2e.k8s;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the image of one version holds, put below a pod's own folder. Owned by nobody: it is read
 * alone.
 *
 * @param image a layout by {@code ./parley image --layout}, or empty
 * @param classPath what the same commands run on when there is none
 */
record Layout(String image, String classPath) {
    private static final List<String> SERVICES =
            List.of("relay", "transceiver", "signaling", "inference-stub");

    /** This version: the layout that the system property {@code parley.image} names, if any. */
    static Layout current() {
        String image = System.getProperty("parley.image", "");
        return new Layout(image, image.isEmpty() ? OpenClassPath.TEXT : "");
    }

    /** Another version, of the jars that were built of it. */
    static Layout ofJars(Path folder) throws IOException {
        try (Stream<Path> jars = Files.list(folder)) {
            return new Layout(
                    "",
                    OpenClassPath.copy(
                            jars.map(Path::toString)
                                    .sorted()
                                    .collect(Collectors.joining(File.pathSeparator))));
        }
    }

    /** Adds it beside the config and secrets that are there. */
    void addTo(Path opt) throws IOException {
        if (image.isEmpty()) {
            addClassPath(opt);
            return;
        }
        Path folder = Path.of(image).toAbsolutePath();
        Files.createSymbolicLink(opt.resolve("java"), inPod(folder.resolve("java")));
        try (var files = Files.list(folder.resolve("parley"))) {
            for (Path file : files.toList()) {
                Path here = opt.resolve("parley").resolve(file.getFileName());
                if (!Files.exists(here)) {
                    Files.createSymbolicLink(here, inPod(file));
                }
            }
        }
    }

    private void addClassPath(Path opt) throws IOException {
        Files.createSymbolicLink(
                opt.resolve("java"), inPod(Path.of(System.getProperty("java.home"))));
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
                            .formatted(inPod(classPath), service));
        }
    }

    private static Path inPod(Path path) {
        return Path.of(inPod(path.toString()));
    }

    /** Paths below the home of whoever runs this, or in /tmp, as a pod sees them. */
    private static String inPod(String paths) {
        String home = System.getenv().getOrDefault("HOME", "/root");
        return Stream.of(paths.split(File.pathSeparator))
                .map(path -> moved(moved(path, home, "/opt/home"), "/tmp", "/opt/tmp"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * A copy of a class path that a pod's user may read, as the image's files are: the folders that
     * it comes from may be closed to all but whoever runs this.
     */
    private static final class OpenClassPath {
        private static final String TEXT = copy(System.getProperty("java.class.path"));

        private static String copy(String classPath) {
            try {
                Path folder = Files.createTempDirectory(Path.of("/tmp"), "parley-class-path-");
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
                List<String> copies = new ArrayList<>();
                for (String entry : classPath.split(File.pathSeparator, -1)) {
                    Path from = Path.of(entry);
                    if (Files.exists(from)) {
                        Path to = folder.resolve(copies.size() + "-" + from.getFileName());
                        copyTree(from, to);
                        copies.add(to.toString());
                    }
                }
                Command.run("chmod", "-R", "a+rX", folder.toString());
                return String.join(File.pathSeparator, copies);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static void copyTree(Path from, Path to) throws IOException {
            try (Stream<Path> files = Files.walk(from)) {
                for (Path file : files.toList()) {
                    Files.copy(file, to.resolve(from.relativize(file).toString()));
                }
            }
        }

        private static void delete(Path folder) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            } catch (IOException _) {
                // It is a folder for temporary files.
            }
        }
    }

    private static String moved(String path, String from, String to) {
        return path.startsWith(from + "/") ? to + path.substring(from.length()) : path;
    }
}
