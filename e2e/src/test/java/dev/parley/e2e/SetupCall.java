package dev.parley.e2e;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import dev.parley.e2e.lab.Arrival;
import dev.parley.e2e.lab.Arrival.Kind;
import dev.parley.e2e.lab.Lab;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * One call of a browser's, from its offer to audio both ways and the first server event: when what
 * it needs arrived at either end of a link, in milliseconds since the offer left.
 *
 * @param oneWayMillis what the link takes
 * @param page what the page saw: {@code open} and {@code event} of its channel since it posted the
 *     offer, and {@code setup}, the transceiver's own times
 */
record SetupCall(
        double oneWayMillis,
        double offer,
        double answer,
        double check,
        double hello,
        double certificates,
        double keys,
        double finished,
        double ourAudio,
        double clientAudio,
        JsonObject page) {
    // RFC 5246 7.4: handshake types.
    private static final String CLIENT_HELLO = "1";
    private static final String SERVER_HELLO = "2";
    private static final String TICKET = "4";
    private static final String CERTIFICATE = "11";

    /** What the page says when its call was refused for now, as on a machine with other work. */
    private static final String BUSY = "busy";

    private static final int ATTEMPTS = 60;

    /** Calls as a page of the Realtime API does, and closes. */
    private static final String SCRIPT =
            """
            async () => {
                const connection = new RTCPeerConnection();
                const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
                connection.addTrack(microphone.getAudioTracks()[0], microphone);
                const channel = connection.createDataChannel('oai-events');
                const opened = new Promise((resolve) => { channel.onopen = () => resolve(performance.now()); });
                const heard = new Promise((resolve) => { channel.onmessage = () => resolve(performance.now()); });
                await connection.setLocalDescription(await connection.createOffer());
                const posted = performance.now();
                const response = await fetch('/v1/realtime/calls', {
                    method: 'POST',
                    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer anything' },
                    body: JSON.stringify({
                        sdp: connection.localDescription.sdp,
                        session: { type: 'realtime', model: 'echo' },
                    }),
                });
                const sdp = await response.text();
                if (response.status === 503) {
                    connection.close();
                    await new Promise((resolve) => setTimeout(resolve, 1000));
                    return 'busy';
                }
                if (response.status !== 201) throw new Error(`${response.status} ${sdp}`);
                await connection.setRemoteDescription({ type: 'answer', sdp });
                const open = (await opened) - posted;
                const event = (await heard) - posted;
                await new Promise((resolve) => setTimeout(resolve, 300));
                const location = response.headers.get('Location');
                const call = await (await fetch(location)).json();
                await fetch(location, { method: 'DELETE' });
                const offer = connection.localDescription?.sdp ?? '';
                const offered = offer.includes('a=sctp-init:');
                connection.close();
                const snap = offered && sdp.includes('a=sctp-init:');
                return JSON.stringify({ open, event, setup: call.setup, offered, snap });
            }
            """;

    static SetupCall place(Page page, Lab lab, double oneWayMillis) {
        String seen = BUSY;
        for (int i = 0; i < ATTEMPTS && seen.equals(BUSY); i++) {
            lab.link().up().traffic().mark();
            lab.link().down().traffic().mark();
            seen = String.valueOf(page.evaluate(SCRIPT));
        }
        return of(
                lab.link().up().traffic().arrivals(),
                lab.link().down().traffic().arrivals(),
                oneWayMillis,
                JsonParser.parseString(seen).getAsJsonObject());
    }

    private static SetupCall of(
            List<Arrival> up, List<Arrival> down, double oneWayMillis, JsonObject page) {
        double posted = first(up, 0, Kind.TCP, text -> text.startsWith("POST /v1/"));
        double left = posted - oneWayMillis;
        double answer = first(down, posted, Kind.TCP, text -> text.startsWith("HTTP/1.1 201"));
        double hello = first(down, posted, Kind.DTLS_HANDSHAKE, CLIENT_HELLO::equals);
        double keys = first(down, hello, Kind.DTLS_HANDSHAKE, CERTIFICATE::equals);
        return new SetupCall(
                oneWayMillis,
                oneWayMillis,
                answer - left,
                first(up, posted, Kind.STUN_REQUEST, _ -> true) - left,
                hello - left,
                first(up, hello, Kind.DTLS_HANDSHAKE, SERVER_HELLO::equals) - left,
                keys - left,
                Math.min(
                                first(up, keys, Kind.DTLS_FINISHED, _ -> true),
                                first(up, keys, Kind.DTLS_HANDSHAKE, TICKET::equals))
                        - left,
                first(down, posted, Kind.RTP, _ -> true) - left,
                first(up, posted, Kind.RTP, _ -> true) - left,
                page);
    }

    private static double first(
            List<Arrival> arrivals, double sinceMillis, Kind kind, Predicate<String> detail) {
        return arrivals.stream()
                .filter(arrival -> arrival.kind() == kind && detail.test(arrival.detail()))
                .mapToDouble(arrival -> arrival.nanos() / 1e6)
                .filter(millis -> millis >= sinceMillis)
                .findFirst()
                .orElse(Double.POSITIVE_INFINITY);
    }

    /** When the channel was open at the client. */
    double open() {
        return page.get("open").getAsDouble();
    }

    /** When the first event was there. */
    double event() {
        return page.get("event").getAsDouble();
    }

    /**
     * Whether the page's offer has SCTP's INIT, {@code offered}, and the answer as well, {@code
     * snap}.
     */
    boolean has(String what) {
        return page.get(what).getAsBoolean();
    }

    /** One part of the way to audio, and who took the time. */
    record Part(String what, double millis) {}

    /** All of it in order, up to both sides' audio. */
    List<Part> parts() {
        double ofTransceiver = page.getAsJsonObject("setup").get("answer_ms").getAsDouble();
        double answered = answer - oneWayMillis - offer;
        List<Part> parts = new ArrayList<>();
        parts.add(new Part("way of the offer", oneWayMillis));
        parts.add(new Part("signaling, HTTP and gRPC", answered - ofTransceiver));
        parts.add(new Part("transceiver and model: session, answer", ofTransceiver));
        parts.add(new Part("way of the answer", oneWayMillis));
        parts.add(new Part("client: answer read, first check", check - oneWayMillis - answer));
        parts.add(new Part("way of the check", oneWayMillis));
        parts.add(new Part("relay and transceiver: DTLS hello", hello - oneWayMillis - check));
        parts.add(new Part("way of the hello", oneWayMillis));
        parts.add(new Part("client: its DTLS flight", certificates - oneWayMillis - hello));
        parts.add(new Part("way of its flight", oneWayMillis));
        parts.add(new Part("transceiver: keys, its flight", keys - oneWayMillis - certificates));
        parts.add(new Part("way of our flight", oneWayMillis));
        parts.add(new Part("client: keys, Finished", finished - oneWayMillis - keys));
        parts.add(new Part("way of its Finished", oneWayMillis));
        parts.add(new Part("client: its audio behind its Finished", clientAudio - finished));
        parts.add(new Part("our audio behind our flight", ourAudio - keys));
        return parts;
    }

    /** What both ends took to compute until our last flight was at the client. */
    private double computedUntilKeys() {
        return keys - 6 * oneWayMillis;
    }

    /** The same until the client's Finished was here. */
    private double computedUntilFinished() {
        return finished - 7 * oneWayMillis;
    }

    /**
     * A point of the set-up.
     *
     * @param millis since the offer left
     * @param computedMillis of it that no network is to blame for
     */
    record Moment(double millis, double computedMillis) {
        double wayMillis() {
            return millis - computedMillis;
        }
    }

    /** What is counted in round trips. */
    Map<String, Moment> moments() {
        return Map.of(
                SetupDrill.CLIENT_AUDIO, new Moment(clientAudio, computedUntilFinished()),
                SetupDrill.OUR_AUDIO, new Moment(ourAudio, computedUntilKeys()),
                SetupDrill.CHANNEL, new Moment(open(), computedUntilFinished()),
                SetupDrill.EVENT, new Moment(event(), computedUntilFinished()));
    }
}
