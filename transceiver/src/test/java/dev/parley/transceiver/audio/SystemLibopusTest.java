package dev.parley.transceiver.audio;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeAll;

class SystemLibopusTest extends OpusContract {
    @BeforeAll
    static void onlyWhereItLoads() {
        assumeTrue(OpusLibrary.system().isPresent(), "no system libopus for this platform");
    }

    @Override
    OpusLibrary library() {
        return OpusLibrary.system().orElseThrow();
    }
}
