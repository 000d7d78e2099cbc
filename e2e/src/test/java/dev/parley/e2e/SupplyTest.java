package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Holds what is shipped to what is told of it: SBOM, checksums, the list of dependencies. */
class SupplyTest {
    private static final Path APP = Path.of("..", "app");
    private static final Path LIB = APP.resolve("target/lib");
    private static final String OURS = "pkg:maven/dev.parley/";

    @Test
    void theSbomNamesEachShippedJarWithVersionPurlAndLicence() throws IOException {
        JsonNode bom = bom();
        SortedSet<String> told = new TreeSet<>();
        told.add(jar(bom.at("/metadata/component").path("purl").asText()));
        for (JsonNode component : bom.path("components")) {
            String purl = component.path("purl").asText();
            assertThat(component.path("version").asText()).as("version of %s", purl).isNotBlank();
            assertThat(component.path("licenses")).as("licence of %s", purl).isNotEmpty();
            told.add(jar(purl));
        }
        assertThat(told).isEqualTo(shipped());
    }

    @Test
    void eachJarOfOthersIsTheOneWhoseChecksumWasRecorded() throws IOException {
        // A run of tests alone, without Maven's package phase, ships nothing.
        assumeThat(LIB).exists();
        Map<String, String> recorded =
                Files.readAllLines(APP.resolve("jars.sha256")).stream()
                        .map(line -> line.split(" +", 2))
                        .collect(Collectors.toMap(each -> each[1], each -> each[0]));
        Map<String, String> found = new TreeMap<>();
        for (String jar : shipped()) {
            if (!jar.startsWith("parley-")) {
                found.put(jar, sha256(LIB.resolve(jar)));
            }
        }
        assertThat(found).containsExactlyInAnyOrderEntriesOf(recorded);
    }

    @Test
    void eachDirectDependencyHasALineInTheDocs() throws IOException {
        JsonNode bom = bom();
        SortedSet<String> direct = new TreeSet<>();
        for (JsonNode each : bom.path("dependencies")) {
            if (each.path("ref").asText().startsWith(OURS)) {
                elements(each.path("dependsOn"))
                        .map(JsonNode::asText)
                        .filter(purl -> !purl.startsWith(OURS))
                        .forEach(purl -> direct.add(purl.split("/", 3)[1]));
            }
        }
        assertThat(direct).contains("org.bouncycastle", "io.grpc");
        String docs = Files.readString(Path.of("..", "docs", "dependencies.md"));
        List<String> rows =
                docs.substring(0, docs.indexOf("Images of others"))
                        .lines()
                        .filter(line -> line.startsWith("| "))
                        .toList();
        assertThat(direct)
                .as("groups with a row in the first table of docs/dependencies.md")
                .allMatch(group -> rows.stream().anyMatch(row -> row.contains("`" + group + "`")));
    }

    private static JsonNode bom() throws IOException {
        Path bom = APP.resolve("target/bom.json");
        // Maven makes none in its offline mode.
        assumeThat(bom).exists();
        return new ObjectMapper().readTree(bom.toFile());
    }

    private static SortedSet<String> shipped() throws IOException {
        try (Stream<Path> jars = Files.list(LIB)) {
            return jars.map(jar -> jar.getFileName().toString())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** The name of a jar: pkg:maven/group/name@version?classifier=...&type=jar. */
    private static String jar(String purl) {
        String decoded = URLDecoder.decode(purl.replace("+", "%2B"), StandardCharsets.UTF_8);
        String[] parts = decoded.substring(decoded.lastIndexOf('/') + 1).split("[?&]", -1);
        String name = parts[0].replace('@', '-');
        for (String part : parts) {
            if (part.startsWith("classifier=")) {
                name += part.substring("classifier".length()).replace('=', '-');
            }
        }
        return name + ".jar";
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of()
                    .formatHex(
                            MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
