package dev.parley.transceiver.audio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;

class BundledLibopusTest extends OpusContract {
    @BeforeAll
    static void onlyWhereItLoads() {
        assumeTrue(OpusLibrary.bundled().isPresent(), "no bundled libopus for this platform");
    }

    @Override
    OpusLibrary library() {
        return OpusLibrary.bundled().orElseThrow();
    }
}
