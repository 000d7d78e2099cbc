package dev.parley.e2e;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.drill.Drill;
import dev.parley.e2e.drill.DrillReport;
import dev.parley.e2e.lab.Lab;
import dev.parley.e2e.lab.LinkProfile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * {@code ./parley drill setup-loss}: how long a Chromium takes from its answer to audio both ways
 * at 100 ms there and back while packets get lost, with DTLS in STUN (draft-hancke-webrtc-sped,
 * which it has behind a switch) and without, in both DTLS roles. Offers and answers go over a
 * network that loses nothing, so that all of it is ICE, DTLS, and the wait for audio that arrives.
 */
final class SetupLossDrill implements Drill {
    private static final String SPED = "--force-fieldtrials=WebRTC-IceHandshakeDtls/Enabled/";

    /** Without keys that no quantum computer breaks, which make its hello two datagrams long. */
    private static final String SHORT_HELLO = "--disable-features=WebRtcPqcForDtls";

    private static final LinkProfile FAR = LinkProfile.CLEAR.delay(50, 0);
    private static final List<Browser> BROWSERS =
            List.of(
                    new Browser("DTLS alone", false, List.of(0.0, 0.1, 0.2), List.of()),
                    new Browser("in STUN too", true, List.of(0.0, 0.1, 0.2), List.of(SPED)),
                    new Browser(
                            "in STUN too, short hello",
                            true,
                            List.of(0.0),
                            List.of(SPED, SHORT_HELLO)));
    private static final int BATCH = 10;
    private static final int BATCHES = 4;
    private static final double NEVER_MILLIS = 15_000;
    private static final long SEED = 1;

    private record Browser(String name, boolean sped, List<Double> losses, List<String> flags) {}

    /** Posts offers, and answers how many were answered with {@code sped}. */
    private static final String OFFER =
            """
            async ([count, setup]) => {
                window.drillMicrophone ??= await navigator.mediaDevices.getUserMedia({ audio: true });
                const offer = async () => {
                    const connection = new RTCPeerConnection();
                    connection.addTrack(window.drillMicrophone.getAudioTracks()[0], window.drillMicrophone);
                    const heard = new Promise((resolve) => {
                        connection.ontrack = ({ track }) => {
                            track.onunmute = () => resolve(performance.now());
                        };
                    });
                    await connection.setLocalDescription(await connection.createOffer());
                    let answer;
                    do {
                        answer = await fetch('/v1/realtime/calls?model=echo', {
                            method: 'POST',
                            headers: { 'Content-Type': 'application/sdp', Authorization: 'Bearer anything' },
                            body: connection.localDescription.sdp.replaceAll('setup:actpass', 'setup:' + setup),
                        });
                    } while (answer.status === 503);
                    const sdp = await answer.text();
                    if (answer.status !== 201) throw new Error(`${answer.status} ${sdp}`);
                    return { connection, heard, sdp, location: answer.headers.get('Location') };
                };
                window.drillCalls = await Promise.all(Array.from({ length: count }, offer));
                return window.drillCalls.filter((call) => call.sdp.includes('a=ice-options:sped')).length;
            }
            """;

    private static final String CONNECT =
            """
            async (patience) => {
                await Promise.all(window.drillCalls.map(async (call) => {
                    const begun = performance.now();
                    await call.connection.setRemoteDescription({ type: 'answer', sdp: call.sdp });
                    const late = new Promise((resolve) => setTimeout(() => resolve(begun + patience), patience));
                    call.client = (await Promise.race([call.heard, late])) - begun;
                }));
                const pause = () => new Promise((resolve) => setTimeout(resolve, 500));
                const look = async (call) => (await (await fetch(call.location)).json()).setup;
                await Promise.all(window.drillCalls.map(async (call) => {
                    for (let i = 0; i < 20 && !call.setup?.first_input_audio_ms; i++) {
                        await pause();
                        call.setup = await look(call);
                    }
                }));
            }
            """;

    private static final String LOOK =
            """
            async () => JSON.stringify(await Promise.all(window.drillCalls.map(async (call) => {
                await fetch(call.location, { method: 'DELETE' });
                call.connection.close();
                return { client: call.client, ...call.setup };
            })))
            """;

    @Override
    public void run(Path folder, DrillReport report) throws Exception {
        try (Testbed testbed = Testbed.start(folder, SEED, "sped: true")) {
            for (Browser each : BROWSERS) {
                try (Chromium chromium = testbed.browse(each.flags().toArray(String[]::new));
                        Page page = chromium.openPage(testbed.origin(), 800, 600)) {
                    measure(page, testbed.lab(), each, report);
                }
            }
        }
    }

    private static void measure(Page page, Lab lab, Browser browser, DrillReport report) {
        var _ = batch(page, lab, "actpass", 0, browser.sped(), report);
        for (double loss : browser.losses()) {
            for (String setup : List.of("actpass", "active")) {
                List<JsonObject> calls = new ArrayList<>();
                for (int i = 0; i < BATCHES; i++) {
                    calls.addAll(batch(page, lab, setup, loss, browser.sped(), report));
                }
                String prefix =
                        String.format(
                                Locale.ROOT,
                                "%s, we %s, %.0f %% lost: ",
                                browser.name(),
                                setup.equals("active") ? "passive" : "active",
                                100 * loss);
                tell(report, prefix + "our audio there", calls, SetupLossDrill::client);
                tell(report, prefix + "the client's here", calls, SetupLossDrill::server);
            }
        }
    }

    private static List<JsonObject> batch(
            Page page, Lab lab, String setup, double loss, boolean sped, DrillReport report) {
        int agreed = ((Number) page.evaluate(OFFER, List.of(BATCH, setup))).intValue();
        if (agreed != (sped ? BATCH : 0)) {
            report.require("agreed to DTLS in STUN where, and only where, it is offered", false);
        }
        lab.link().profile(FAR.loss(loss));
        page.evaluate(CONNECT, NEVER_MILLIS);
        lab.link().profile(LinkProfile.CLEAR);
        JsonArray seen =
                JsonParser.parseString(String.valueOf(page.evaluate(LOOK))).getAsJsonArray();
        return seen.asList().stream().map(JsonElement::getAsJsonObject).toList();
    }

    /** From the answer's being read to our first audio there. */
    private static double client(JsonObject call) {
        return call.get("client").getAsDouble();
    }

    /** From the first check's being here to the client's first audio here. */
    private static double server(JsonObject call) {
        return call.has("first_input_audio_ms")
                ? call.get("first_input_audio_ms").getAsDouble()
                        - call.get("first_check_ms").getAsDouble()
                : NEVER_MILLIS;
    }

    private static void tell(
            DrillReport report,
            String what,
            List<JsonObject> calls,
            ToDoubleFunction<JsonObject> of) {
        double[] sorted = calls.stream().mapToDouble(of).sorted().toArray();
        for (Map.Entry<String, Integer> each :
                Map.of("p50", sorted.length / 2, "p90", sorted.length * 9 / 10).entrySet()) {
            report.tell(what + ", " + each.getKey(), sorted[each.getValue()], "ms");
        }
        report.tell(what + ", mean", Arrays.stream(sorted).average().orElseThrow(), "ms");
    }
}
