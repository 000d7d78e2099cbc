package dev.parley.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.ChromiumCall;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.proto.inference.v1.CallMedia;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real browser that puts its call on hold, in each direction, and takes it up again, by setting
 * {@code transceiver.direction}.
 */
class ChromiumHoldTest {
    private static final long PATIENCE_SECONDS = 60;

    @TempDir private static Path folder;

    @Test
    void mediaStopsAndResumesAndNothingElseChanges() throws Exception {
        try (WatchedProduct system = WatchedProduct.start();
                Chromium chromium = Chromium.withMicrophone(folder, SpeechSample.caller());
                Page page = chromium.openPage(system.url(), 800, 600)) {
            ChromiumCall.Placed call = ChromiumCall.place(page, "tone");
            StubRecorder.Call agent = system.stub().only();
            JsonElement credentials = call.packets().get("ufrag");
            List<String> answers = new ArrayList<>();

            for (String direction :
                    List.of("inactive", "sendrecv", "sendonly", "recvonly", "sendrecv")) {
                String method = direction.equals("sendrecv") ? "POST" : "PATCH";
                JsonObject changed = call.direct(direction, method);
                boolean sends = direction.startsWith("send");
                boolean receives = direction.equals("sendrecv") || direction.equals("recvonly");

                assertThat(changed.get("direction").getAsString()).isEqualTo(direction);
                assertThat(agent.mediaChanges().poll(PATIENCE_SECONDS, TimeUnit.SECONDS))
                        .isEqualTo(
                                CallMedia.newBuilder()
                                        .setInputAudio(sends)
                                        .setOutputAudio(receives)
                                        .build());
                awaitFlow(call, "sent", sends);
                awaitFlow(call, "received", receives);
                assertThat(call.packets().get("ufrag")).isEqualTo(credentials);
                answers.add(changed.get("answer").getAsString());
            }

            ChromiumCall ended = call.finish();
            String first = ended.report().get("answer").getAsString();
            assertThat(answers)
                    .allSatisfy(next -> assertThat(transport(next)).isEqualTo(transport(first)));
            assertThat(without("o=", answers.getLast())).isEqualTo(without("o=", first));
            assertThat(ended.states()).contains("connected").doesNotContain("failed", "closed");
            assertThat(ended.hangupStatus()).isEqualTo(200);
        }
    }

    /** An answer without its version and what tells of the direction, or of what is sent. */
    private static String transport(String answer) {
        return without("o=|a=(sendrecv|sendonly|recvonly|inactive|msid|ssrc)", answer);
    }

    private static String without(String beginnings, String sdp) {
        return sdp.replaceAll("(?m)^(" + beginnings + ").*\\R", "");
    }

    /** Half a second of packets flows one way, or none does for a second. */
    private static void awaitFlow(ChromiumCall.Placed call, String way, boolean flows) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        long before = call.packets().get(way).getAsLong();
        long first = before;
        while (true) {
            call.stay(flows ? 0.1 : 1);
            long now = call.packets().get(way).getAsLong();
            if (flows ? now >= first + 25 : now == before) {
                return;
            }
            assertThat(System.nanoTime()).as(way + ", flowing: " + flows).isLessThan(deadline);
            before = now;
        }
    }
}
