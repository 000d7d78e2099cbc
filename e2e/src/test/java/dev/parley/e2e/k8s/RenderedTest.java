package dev.parley.e2e.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rendered overlays are those of the sources beside them. That is known by a digest everywhere;
 * where kubectl is, they are rendered again.
 */
class RenderedTest {
    @ParameterizedTest
    @CsvSource({"local", "cloud", "cloud-managed", "global-east", "global-west"})
    void isMadeOfTheseSources(String overlay) throws IOException {
        String said =
                Manifests.text(overlay)
                        .lines()
                        .filter(line -> line.startsWith("# sources: "))
                        .findFirst()
                        .orElseThrow();
        assertThat(said).as("run k8s/render").isEqualTo("# sources: " + digest());
    }

    @ParameterizedTest
    @CsvSource({
        "local, local",
        "cloud, cloud",
        "cloud-managed, cloud-managed",
        "global-east, global/east",
        "global-west, global/west"
    })
    void isWhatKubectlRenders(String file, String overlay) throws Exception {
        assumeThat(hasKustomize()).as("kubectl 1.29 or newer").isTrue();
        Process kubectl =
                new ProcessBuilder(
                                "kubectl",
                                "kustomize",
                                Manifests.folder().resolve("overlays").resolve(overlay).toString())
                        .redirectErrorStream(true)
                        .start();
        String rendered =
                new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(kubectl.waitFor()).as(rendered).isZero();
        String kept =
                Manifests.text(file)
                        .lines()
                        .filter(line -> !line.startsWith("# "))
                        .collect(Collectors.joining("\n", "", "\n"));
        assertThat(kept).as("run k8s/render").isEqualTo(rendered);
    }

    private static boolean hasKustomize() throws InterruptedException {
        try {
            Process kubectl =
                    new ProcessBuilder("kubectl", "version", "--client")
                            .redirectErrorStream(true)
                            .start();
            String version =
                    new String(kubectl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return kubectl.waitFor() == 0 && version.contains("Kustomize Version: v5.");
        } catch (IOException _) {
            return false;
        }
    }

    /** As {@code sha256sum} of {@code sha256sum}'s lines. */
    private static String digest() throws IOException {
        Path root = Manifests.folder();
        StringBuilder lines = new StringBuilder();
        for (String name : sources(root)) {
            lines.append(sha256(Files.readAllBytes(root.resolve(name))))
                    .append("  ")
                    .append(name)
                    .append('\n');
        }
        return sha256(lines.toString().getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> sources(Path root) {
        return Stream.of("base", "components", "overlays")
                .flatMap(folder -> files(root.resolve(folder)))
                .map(file -> root.relativize(file).toString())
                .sorted()
                .toList();
    }

    private static Stream<Path> files(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
