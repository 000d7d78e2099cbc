package dev.parley.e2e.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.contract.ProtoFile.Declaration;
import dev.parley.e2e.contract.ProtoFile.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rules of our contracts. A released one is never changed but for additions: {@code
 * proto/released} holds what was released. With {@code -Dparley.contract=write} the reference in
 * {@code docs/reference} is written anew, with {@code -Dparley.contract=release} the released
 * contracts as well.
 */
class ContractTest {
    private static final Path ROOT = Path.of("..");
    private static final Path SOURCES = ROOT.resolve("proto/src/main/protobuf");
    private static final String MODE = System.getProperty("parley.contract", "check");

    /** The oneof that envelopes consist of needs no words of its own. */
    private static final String ENVELOPE = "message";

    static Stream<Path> contracts() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(f -> f.toString().endsWith(".proto")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("contracts")
    void documentsEverything(Path file) {
        ProtoFile contract = ProtoFile.read(file);
        assertThat(contract.header()).endsWith(".");
        assertThat(contract.declarations())
                .filteredOn(d -> d.kind() != Kind.ONEOF || !d.name().equals(ENVELOPE))
                .allSatisfy(d -> assertThat(d.comment()).as(d.signature()).endsWith("."));
    }

    @ParameterizedTest
    @MethodSource("contracts")
    void namesThingsInOneWay(Path file) {
        ProtoFile contract = ProtoFile.read(file);
        assertThat(contract.name()).matches("parley\\.[a-z]+\\.v\\d+");
        assertThat(SOURCES.relativize(file).toString().replace('/', '.'))
                .startsWith(contract.name() + ".");
        for (Declaration each : contract.declarations()) {
            String pattern =
                    switch (each.kind()) {
                        case MESSAGE, ENUM, SERVICE, RPC -> "([A-Z][a-z0-9]*)+";
                        case FIELD, ONEOF -> "[a-z][a-z0-9]*(_[a-z0-9]+)*";
                        case VALUE -> prefix(each.owner()) + "[A-Z0-9_]+";
                    };
            assertThat(each.name()).as(each.signature()).matches(pattern);
        }
    }

    /** {@code EndReason} is {@code END_REASON_}. */
    private static String prefix(String enumName) {
        return enumName.replaceAll("(?<=[a-z])([A-Z])", "_$1").toUpperCase(Locale.ROOT) + "_";
    }

    @ParameterizedTest
    @MethodSource("contracts")
    void keepsWhatWasReleased(Path file) throws IOException {
        ProtoFile contract = ProtoFile.read(file);
        List<String> now = contract.declarations().stream().map(Declaration::signature).toList();
        Path released = ROOT.resolve("proto/released/" + contract.name() + ".txt");
        if (MODE.equals("release")) {
            Files.createDirectories(ROOT.resolve("proto/released"));
            Files.write(released, now);
        }
        assertThat(Files.readAllLines(released))
                .as("a released contract is only ever added to")
                .isSubsetOf(now);
    }

    @ParameterizedTest
    @MethodSource("contracts")
    void isWhatTheReferenceShows(Path file) throws IOException {
        ProtoFile contract = ProtoFile.read(file);
        Path page = ROOT.resolve("docs/reference/" + contract.name() + ".md");
        String text = Reference.of(contract);
        if (!MODE.equals("check")) {
            Files.createDirectories(ROOT.resolve("docs/reference"));
            Files.writeString(page, text);
        }
        assertThat(Files.readString(page))
                .as("write it anew: -Dparley.contract=write")
                .isEqualTo(text);
    }
}
