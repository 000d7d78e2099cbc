package dev.parley.transceiver.audio;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OpusLibraryTest {
    @Test
    void ordersVersionsAsReleased() {
        String[] ordered = {
            "libopus unknown",
            "libopus 1.1-beta",
            "libopus 1.1.2",
            "libopus 1.3.1",
            "libopus 1.5.2-12-gdeadbee",
            "libopus 1.10",
        };
        for (int i = 1; i < ordered.length; i++) {
            assertThat(OpusVersion.parse(ordered[i]))
                    .isGreaterThan(OpusVersion.parse(ordered[i - 1]));
        }
        assertThat(OpusVersion.parse("libopus 1.3.1-fixed"))
                .isEqualByComparingTo(OpusVersion.parse("libopus 1.3.1"));
        assertThat(OpusVersion.parse("libopus 99999999999.1")).isEqualTo(new OpusVersion(0, 0, 0));
    }

    @Test
    void choosesTheNewestThatLoads() {
        OpusVersion chosen = version(OpusLibrary.best());
        OpusLibrary.system()
                .ifPresent(it -> assertThat(chosen).isGreaterThanOrEqualTo(version(it)));
        OpusLibrary.bundled()
                .ifPresent(it -> assertThat(chosen).isGreaterThanOrEqualTo(version(it)));
        assertThat(OpusLibrary.best()).isSameAs(OpusLibrary.best());
    }

    @Test
    void tellsTheSystemsLibraryFromTheBundledOne() {
        OpusLibrary.bundled()
                .ifPresent(
                        it -> assertThat(it.description()).matches("libopus 1\\.1.* \\(bundled.*"));
        OpusLibrary.system()
                .ifPresent(it -> assertThat(it.description()).matches("libopus .* \\(system, .*"));
        assertThat(OpusLibrary.concentus().description()).startsWith("Concentus");
    }

    @Test
    void bundlesAFileForEachCommonPlatform() {
        String[] found = {
            OpusNatives.bundledResource("linux", "amd64"),
            OpusNatives.bundledResource("linux", "aarch64"),
            OpusNatives.bundledResource("mac os x", "x86_64"),
            OpusNatives.bundledResource("windows 11", "amd64"),
        };
        for (String resource : found) {
            assertThat(OpusNatives.class.getResource(resource)).as(resource).isNotNull();
        }
        assertThat(OpusNatives.class.getResource(OpusNatives.bundledResource("linux", "riscv64")))
                .isNull();
    }

    @Test
    void namesEachCodecError() {
        for (OpusError error : OpusError.values()) {
            assertThat(OpusError.of(error.code())).isEqualTo(error);
        }
        assertThat(OpusError.of(-99)).isEqualTo(OpusError.INTERNAL_ERROR);
    }

    private static OpusVersion version(OpusLibrary library) {
        return OpusVersion.parse(library.description().replaceFirst(" \\(.*", ""));
    }
}
