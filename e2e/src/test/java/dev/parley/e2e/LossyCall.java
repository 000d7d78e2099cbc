package dev.parley.e2e;

import com.google.gson.JsonObject;
import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.ChromiumCall;
import dev.parley.e2e.client.Correlation;
import dev.parley.e2e.client.Wav;
import dev.parley.e2e.lab.Lab;
import dev.parley.e2e.lab.LinkEmulator;
import dev.parley.e2e.lab.LinkProfile;
import dev.parley.e2e.lab.Traffic;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A real browser's call to four processes over a bad network, in a {@link Lab}: it connects, its
 * NAT rebinds, ICE restarts, and it hears its own speech come back all along. Owned by one test or
 * drill.
 */
final class LossyCall implements AutoCloseable {
    /** Each way, as {@code tc netem delay 100ms 30ms loss 5% reorder 1%} does it. */
    static final LinkProfile BAD = LinkProfile.CLEAR.delay(100, 30).loss(0.05).reorder(0.01);

    private static final double SETTLE_SECONDS = 6;

    /** How the call came up, in milliseconds from sending the offer. */
    record Setup(double answeredMillis, double connectedMillis) {
        @Override
        public String toString() {
            return "answered after %.0f ms, connected after %.0f ms"
                    .formatted(answeredMillis, connectedMillis);
        }
    }

    /**
     * What a new binding cost, in milliseconds from the moment it came.
     *
     * @param checkMillis until the client's next STUN check was through to the server
     * @param audioMillis until audio reached the client again
     * @param gapMillis longest time without any audio packet to the client
     */
    record Rebinding(double checkMillis, double audioMillis, double gapMillis) {
        @Override
        public String toString() {
            return "next check after %.0f ms, audio again after %.0f ms, longest gap %.0f ms"
                    .formatted(checkMillis, audioMillis, gapMillis);
        }
    }

    /**
     * What an ICE restart cost.
     *
     * @param answeredMillis until signaling answered
     * @param movedMillis until the browser used the new credentials
     * @param gapMillis longest time without any audio packet to the client
     */
    record Restart(double answeredMillis, double movedMillis, double gapMillis) {
        @Override
        public String toString() {
            return "answered after %.0f ms, moved after %.0f ms, longest gap %.0f ms"
                    .formatted(answeredMillis, movedMillis, gapMillis);
        }
    }

    private final Testbed testbed;
    private final Lab lab;
    private final Chromium chromium;
    private final Page page;
    private final ChromiumCall.Placed call;

    private LossyCall(Testbed testbed, Chromium chromium, Page page, ChromiumCall.Placed call) {
        this.testbed = testbed;
        this.lab = testbed.lab();
        this.chromium = chromium;
        this.page = page;
        this.call = call;
    }

    /**
     * Starts the product on a clear network, then calls over the one given.
     *
     * @param folder for files of the call
     */
    static LossyCall place(Path folder, LinkProfile profile, long seed) {
        Testbed testbed = Testbed.start(folder, seed, "");
        @Nullable Chromium chromium = null;
        boolean placed = false;
        try {
            chromium = testbed.browse();
            Page page = chromium.openPage(testbed.origin(), 800, 600);
            testbed.lab().link().profile(profile);
            ChromiumCall.Placed call = ChromiumCall.place(page, "echo");
            placed = true;
            return new LossyCall(testbed, chromium, page, call);
        } finally {
            if (!placed) {
                close(chromium, testbed);
            }
        }
    }

    void stay(double seconds) {
        call.stay(seconds);
    }

    /** Gives the client new ports in front of its NAT, unknown to it. */
    Rebinding rebindPorts() {
        mark();
        lab.link().rebindPorts();
        return rebound();
    }

    /** Gives the client another public address, unknown to it. */
    Rebinding rebindAddress() {
        mark();
        lab.rebindAddress();
        return rebound();
    }

    private void mark() {
        lab.link().up().traffic().mark();
        lab.link().down().traffic().mark();
    }

    private Rebinding rebound() {
        Traffic down = lab.link().down().traffic();
        call.stay(SETTLE_SECONDS);
        return new Rebinding(
                lab.link().up().traffic().firstCheckMillis(),
                down.firstMediaMillis(),
                down.longestGapMillis());
    }

    Restart restartIce() {
        mark();
        JsonObject report = call.restartIce();
        call.stay(1);
        return new Restart(
                report.get("answeredMillis").getAsDouble(),
                report.get("movedMillis").getAsDouble(),
                lab.link().down().traffic().longestGapMillis());
    }

    /** Where in the recording we are. */
    double heardSeconds() {
        return call.heardSeconds();
    }

    /** Hangs up. */
    Report finish() {
        ChromiumCall ended = call.finish();
        LinkEmulator link = lab.link();
        link.profile(LinkProfile.CLEAR);
        return new Report(
                chromium.version(),
                new Setup(ended.millis("signalingMillis"), ended.millis("connectedMillis")),
                ended,
                link.up().lost(),
                link.up().traffic().delivered(),
                link.down().lost(),
                link.down().traffic().delivered());
    }

    /**
     * The whole call.
     *
     * @param upLost packets to the server that the link lost, of all that it carried
     * @param downLost packets to the client that the link lost
     */
    record Report(
            String version,
            Setup setup,
            ChromiumCall ended,
            long upLost,
            long upDelivered,
            long downLost,
            long downDelivered) {
        /** How alike what was heard from a moment on is to what was said. */
        Correlation.Match match(Wav said, double fromSeconds) {
            return Correlation.of(said, ended.heard().after(fromSeconds));
        }

        /** Share of what the browser played that it had to make up, silence included. */
        double concealedShare() {
            return ended.stat("inbound-rtp", "concealedSamples")
                    / ended.stat("inbound-rtp", "totalSamplesReceived");
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "Chromium %s: %s; lost %d of %d up, %d of %d down; %.1f %% concealed; ICE %s",
                    version,
                    setup,
                    upLost,
                    upLost + upDelivered,
                    downLost,
                    downLost + downDelivered,
                    100 * concealedShare(),
                    ended.states());
        }
    }

    @Override
    public void close() {
        page.close();
        close(chromium, testbed);
    }

    private static void close(@Nullable AutoCloseable... all) {
        for (@Nullable AutoCloseable each : all) {
            try {
                if (each != null) {
                    each.close();
                }
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
