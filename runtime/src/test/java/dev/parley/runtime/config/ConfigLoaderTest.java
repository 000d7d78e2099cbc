package dev.parley.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigLoaderTest {
    enum Mode {
        PLAIN_OLD,
        NEW
    }

    record Sample(
            @Option("who") String name,
            @Option(value = "how many", orElse = "64", min = 1, max = 1024) int batch,
            @Option(value = "bytes", orElse = "4_000_000_000") long maxBytes,
            @Option(value = "share", orElse = "0.5", min = 0, max = 1) double ratio,
            @Option(value = "whether", orElse = "false") boolean demoPage,
            @Option(value = "patience", orElse = "30s", min = 20, max = 600_000) Duration timeout,
            @Option(value = "how", orElse = "new") Mode mode,
            @Option(value = "where", orElse = "[::1]:0") HostPort address,
            @Option(value = "who may", orElse = "127.0.0.0/8,::1/128") List<Cidr> cidrs,
            @Option(value = "keys", orElse = "", secret = true) Map<String, String> routeKeys) {
        Sample {
            if (name.equals("nobody")) {
                throw new ConfigException("name: nobody is taken; choose another");
            }
        }
    }

    @TempDir private Path folder;

    @Test
    void readsEveryTypeFromYaml() throws IOException {
        Sample sample =
                load(
                        """
                        name: "left"
                        batch: 32
                        max_bytes: 5
                        ratio: 0.25
                        demo_page: yes
                        timeout: 250ms
                        mode: plain-old
                        address: 127.0.0.1:3478
                        cidrs:
                          - 10.0.0.0/8
                          - fd00::/8
                        route_keys:
                          1: 0a0b
                          model.name/x: "*"
                          model: plain
                          "*": [star, sun]
                        """);
        assertThat(sample)
                .isEqualTo(
                        new Sample(
                                "left",
                                32,
                                5,
                                0.25,
                                true,
                                Duration.ofMillis(250),
                                Mode.PLAIN_OLD,
                                new HostPort("127.0.0.1", 3478),
                                List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00::/8")),
                                Map.of(
                                        "1",
                                        "0a0b",
                                        "model.name/x",
                                        "*",
                                        "model",
                                        "plain",
                                        "*",
                                        "star sun")));
    }

    @Test
    void fillsInDefaults() {
        Sample sample = ConfigLoader.of(Sample.class, Map.of("name", "x"));
        assertThat(sample.maxBytes()).isEqualTo(4_000_000_000L);
        assertThat(sample.timeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(sample.cidrs())
                .containsExactly(Cidr.parse("127.0.0.0/8"), Cidr.parse("::1/128"));
        assertThat(sample.routeKeys()).isEmpty();
    }

    @Test
    void theEnvironmentWinsOverTheFile() throws IOException {
        Map<String, String> environment =
                Map.of(
                        "PARLEY_DEMO_PAGE", "true",
                        "PARLEY_NAME", "env",
                        "PARLEY_ROUTE_KEYS", "0=aa, 1=bb",
                        "PARLEY_CIDRS", "10.0.0.0/8, 11.0.0.0/8",
                        "PARLEY_OTHER", "ignored");
        Sample sample = ConfigLoader.load(Sample.class, file("name: file\n"), environment);
        assertThat(sample.name()).isEqualTo("env");
        assertThat(sample.demoPage()).isTrue();
        assertThat(sample.routeKeys()).isEqualTo(Map.of("0", "aa", "1", "bb"));
        assertThat(sample.cidrs()).hasSize(2);
    }

    @Test
    void theEnvironmentMayNameAFileWithTheValue() throws IOException {
        Path keys = Files.writeString(folder.resolve("keys"), "0=aa,1=bb\n");
        Sample sample =
                ConfigLoader.load(
                        Sample.class,
                        file("name: x\nroute_keys: {2: cc}\n"),
                        Map.of("PARLEY_ROUTE_KEYS_FILE", keys.toString()));
        assertThat(sample.routeKeys()).isEqualTo(Map.of("0", "aa", "1", "bb"));
    }

    record WithFile(
            @Option(value = "key", orElse = "") String key,
            @Option(value = "file of the key", orElse = "") String keyFile) {}

    @Test
    void aVariableOfAnOptionThatEndsInFileIsThatOption() throws IOException {
        WithFile config =
                ConfigLoader.load(
                        WithFile.class, file("key: a\n"), Map.of("PARLEY_KEY_FILE", "/none"));
        assertThat(config).isEqualTo(new WithFile("a", "/none"));
    }

    @Test
    void refusesAFileOfAValueThatIsNotThere() throws IOException {
        Path yaml = file("name: x\n");
        Map<String, String> environment = Map.of("PARLEY_NAME_FILE", "/none");
        assertThatThrownBy(() -> ConfigLoader.load(Sample.class, yaml, environment))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "name: the file \"/none\" of PARLEY_NAME_FILE cannot be read; give one with"
                                + " the value alone");
    }

    @Test
    void refusesAValueThatIsGivenTwice() throws IOException {
        Path yaml = file("name: x\n");
        Map<String, String> environment = Map.of("PARLEY_NAME", "a", "PARLEY_NAME_FILE", "/none");
        assertThatThrownBy(() -> ConfigLoader.load(Sample.class, yaml, environment))
                .isInstanceOf(ConfigException.class)
                .hasMessage("name: PARLEY_NAME and PARLEY_NAME_FILE are both set; keep one");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    nmae: x                         | nmae: unknown key; did you mean name?
                    demopage: true                  | demopage: unknown key; did you mean demo_page?
                    htp: true                       | htp: unknown key; give one of name, batch, max_bytes, ratio, demo_page, timeout, mode, address, cidrs, route_keys
                    batch: 1                        | name: missing; set it (who)
                    '{name: a, batch: many}'        | batch: "many" is not a whole number (how many)
                    '{name: a, batch: 0}'           | batch: "0" is out of range; give 1 to 1024 (how many)
                    '{name: a, batch: 99999999999}' | batch: "99999999999" is out of range; give 1 to 1024 (how many)
                    '{name: a, ratio: 1.5}'         | ratio: "1.5" is out of range; give 0 to 1 (share)
                    '{name: a, ratio: NaN}'         | ratio: "NaN" is out of range; give 0 to 1 (share)
                    '{name: a, name: b}'            | name: given twice, in lines 1 and 1; keep one
                    '{name: a, route_keys: {1: aa, 1: bb}}' | route_keys.1: given twice, in lines 1 and 1; keep one
                    '{name: a, route_keys: {1: [[aa]]}}' | route_keys: nested too deep in line 1; write plain values there
                    '{name: a, demo_page: 2}'       | demo_page: "2" is neither true nor false (whether)
                    '{name: a, timeout: 5}'         | timeout: "5" is not a duration; write a whole number and ms, s, m or h, such as 20ms or 5s (patience)
                    '{name: a, timeout: 5ms}'       | timeout: "5ms" is out of range; give 20 to 600000 ms (patience)
                    '{name: a, timeout: 999999999999999h}' | timeout: "999999999999999h" is out of range; give 20 to 600000 ms (patience)
                    '{name: a, mode: old}'          | mode: "old" is unknown; give one of plain_old, new (how)
                    '{name: a, address: "::1"}'     | address: "::1" is an IPv6 address without brackets; write host:port, such as 127.0.0.1:3478 or [::1]:3478 (where)
                    '{name: a, address: "x:70000"}' | address: "x:70000" has a port outside 0 to 65535; write host:port, such as 127.0.0.1:3478 or [::1]:3478 (where)
                    '{name: a, cidrs: 10.1.0.0/8}'  | cidrs: "10.1.0.0/8" has bits set beyond its prefix, did you mean 10.0.0.0/8?; write a range such as 10.0.0.0/8 or fd00::/8 (who may)
                    '{name: a, cidrs: [host/8]}'    | cidrs: [host/8] is not a literal IPv4 or IPv6 address; write a range such as 10.0.0.0/8 or fd00::/8 (who may)
                    '{name: a, batch: [1, 2]}'      | batch: [1, 2] is a list, not a single value (how many)
                    '{name: a, route_keys: hush}'   | route_keys: the value has an entry that is not key=value (keys)
                    name: nobody                    | name: nobody is taken; choose another
                    """)
    void saysWhichKeyIsWrongAndHowToMendIt(String yaml, String message) throws IOException {
        Path file = file(yaml);
        assertThatThrownBy(() -> ConfigLoader.load(Sample.class, file, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessage(message);
    }

    @Test
    void takesTextAsItIsWritten() throws IOException {
        assertThat(load("name: on\nroute_keys: {1: 012, 2: 1_000, 3: null}\n").routeKeys())
                .isEqualTo(Map.of("1", "012", "2", "1_000", "3", ""));
        assertThat(load("name: on\n").name()).isEqualTo("on");
    }

    @Test
    void refusesAMissingFile() {
        Path missing = folder.resolve("none.yaml");
        assertThatThrownBy(() -> ConfigLoader.load(Sample.class, missing))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "config file "
                                + missing
                                + " cannot be read; give the path of a readable file");
    }

    @ParameterizedTest
    @CsvSource({"x", "'- 1'", "just text", "7"})
    void refusesAFileThatIsNoMap(String yaml) throws IOException {
        Path file = file(yaml);
        assertThatThrownBy(() -> ConfigLoader.load(Sample.class, file))
                .isInstanceOf(ConfigException.class)
                .hasMessage(
                        "config file "
                                + file
                                + " is not a map of keys; write lines such as key: value");
    }

    @ParameterizedTest
    @CsvSource({"'a: [1'", "'a: b: c'"})
    void refusesBrokenYamlInOneLine(String yaml) throws IOException {
        Path file = file(yaml);
        assertThatThrownBy(() -> ConfigLoader.load(Sample.class, file))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("config file " + file + " is not usable YAML: ")
                .hasMessageNotContaining("\n");
    }

    @Test
    void describesTheEffectiveConfigWithSecretsMasked() {
        Sample sample =
                ConfigLoader.of(
                        Sample.class,
                        Map.of("name", "x", "timeout", "120s", "route_keys", "1=0011,2=2233"));
        assertThat(ConfigLoader.describe(sample))
                .isEqualTo(
                        """
                        name=x
                        batch=64
                        max_bytes=4000000000
                        ratio=0.5
                        demo_page=false
                        timeout=2m
                        mode=new
                        address=[::1]:0
                        cidrs=127.0.0.0/8,0:0:0:0:0:0:0:1/128
                        route_keys=1=****,2=****""");
    }

    private Sample load(String yaml) throws IOException {
        return ConfigLoader.load(Sample.class, file(yaml), Map.of());
    }

    private Path file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("sample.yaml"), yaml);
    }
}
