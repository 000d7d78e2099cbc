package dev.parley.bench.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchOptionsTest {
    @Test
    void readsEverything() {
        BenchOptions options =
                BenchOptions.parse(
                        new String[] {
                            "--rounds",
                            "7",
                            "--millis",
                            "250",
                            "--json",
                            "out.json",
                            "--contestant",
                            "c=./relay mmsg {public} {sink} 1 1 64",
                            "--reference-source",
                            "elsewhere.c"
                        },
                        Map.of("PARLEY_REFERENCE_RELAY", "unused.c"));
        assertThat(options.rounds()).isEqualTo(7);
        assertThat(options.windowNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(options.json()).isEqualTo(Path.of("out.json"));
        assertThat(options.referenceSource()).isEqualTo(Path.of("elsewhere.c"));
        assertThat(options.loads()).isEqualTo(Load.usual());
        assertThat(options.others().getFirst().command("a:1", "b:2"))
                .containsExactly("./relay", "mmsg", "a:1", "b:2", "1", "1", "64");
    }

    @Test
    void quickMeansShortRounds() {
        BenchOptions options = BenchOptions.parse(new String[] {"--quick"}, Map.of());
        assertThat(options.windowNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(400));
        assertThat(options.loads()).isEqualTo(Load.quick());
        assertThat(options.starts()).isEqualTo(1);
    }

    @Test
    void looksForTheReferenceWhereTheEnvironmentSaysOrBesideTheCheckout() {
        Map<String, String> environment = Map.of("PARLEY_REFERENCE_RELAY", "named.c");
        assertThat(BenchOptions.parse(new String[0], environment).referenceSource())
                .isEqualTo(Path.of("named.c"));
        assertThat(BenchOptions.parse(new String[0], Map.of()).referenceSource())
                .isEqualTo(Path.of("../shared/relaybench/reference_relay.c"));
    }

    @Test
    void combinesTheLoadsThatItIsTold() {
        String[] arguments = "--rates 1000,max --flows 10,20 --only batched,c".split(" ");
        BenchOptions options = BenchOptions.parse(arguments, Map.of());
        assertThat(options.loads())
                .containsExactly(
                        new Load(1_000, 172, 10),
                        new Load(1_000, 172, 20),
                        new Load(Load.MAX, 172, 10),
                        new Load(Load.MAX, 172, 20));
        assertThat(options.takesPart(Contestant.other("c", "x"))).isTrue();
        assertThat(options.takesPart(Contestant.other("d", "x"))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "--fast, unknown option --fast",
        "--rounds, --rounds wants a value",
        "'--rounds 0', '--rounds wants a whole number above 0, not \"0\"'",
        "'--contestant c', --contestant wants NAME='COMMAND with {public} and {sink}'"
    })
    void saysWhatItDoesNotUnderstand(String line, String message) {
        assertThatThrownBy(() -> BenchOptions.parse(line.split(" ", -1), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
