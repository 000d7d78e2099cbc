package dev.parley.e2e.client;

import dev.onvoid.webrtc.RTCSdpType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One call to Parley by libwebrtc, the engine of the browsers, inside this process: an independent
 * client that shares no code with what it tests. Owned by the thread that places the call.
 *
 * <pre>{@code
 * try (LibwebrtcCaller caller = LibwebrtcCaller.call(base, "echo")) {
 *     caller.awaitConnected(Duration.ofSeconds(5));
 *     caller.say(SpeechSample.caller()).join();
 *     caller.listen(Duration.ofSeconds(1));
 *     assertThat(Correlation.of(SpeechSample.caller(), caller.heard()).score()).isGreaterThan(...);
 *     caller.hangUp();
 * }
 * }</pre>
 *
 * <p>Its playout device runs a little slow, so libwebrtc's jitter buffer cuts a pitch period now
 * and then: compare what was heard with {@link Correlation}, which allows for that.
 */
public final class LibwebrtcCaller implements AutoCloseable {
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Duration HTTP_TIMEOUT = Duration.ofSeconds(10);

    /**
     * How long the way up took, in milliseconds from the start.
     *
     * @param offered the offer was made
     * @param answered the HTTP answer was there
     * @param iceConnected the first check was answered
     * @param connected DTLS was done
     */
    public record Setup(double offered, double answered, double iceConnected, double connected) {}

    private final long startNanos = System.nanoTime();
    private final LibwebrtcPeer peer = new LibwebrtcPeer();
    private final Microphone microphone = new Microphone(peer.source());
    private final String offerSdp;
    private final long offeredNanos;
    private final long answeredNanos;
    private final String answerSdp;
    private final URI location;
    private boolean speaking;

    private LibwebrtcCaller(URI base, String model) {
        try {
            offerSdp = Descriptions.offer(peer.connection());
            offeredNanos = System.nanoTime();
            HttpResponse<String> answer = post(base, model, offerSdp);
            answeredNanos = System.nanoTime();
            answerSdp = answer.body();
            location = base.resolve(answer.headers().firstValue("Location").orElseThrow());
            Descriptions.setRemote(peer.connection(), RTCSdpType.ANSWER, answerSdp);
        } catch (RuntimeException failed) {
            peer.close();
            throw failed;
        }
    }

    /**
     * Places a call and returns once it is answered, before media flows.
     *
     * @param base where signaling listens, such as {@code http://127.0.0.1:8080}
     * @param model which agent to talk to
     * @throws IllegalStateException when the call is refused; the message has the status and body
     */
    public static LibwebrtcCaller call(URI base, String model) {
        return new LibwebrtcCaller(base, model);
    }

    private static HttpResponse<String> post(URI base, String model, String offer) {
        HttpResponse<String> answer =
                send(
                        HttpRequest.newBuilder(base.resolve("/v1/realtime/calls?model=" + model))
                                .header("Content-Type", "application/sdp")
                                .POST(BodyPublishers.ofString(offer)));
        if (answer.statusCode() != 201) {
            throw new IllegalStateException(
                    "refused with " + answer.statusCode() + ": " + answer.body());
        }
        return answer;
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return HTTP.send(request.timeout(HTTP_TIMEOUT).build(), BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }

    /** Waits until media can flow both ways, then switches the microphone on. */
    public Setup awaitConnected(Duration timeout) {
        LibwebrtcPeer.Events events = peer.events();
        long connected = within(events.connectedNanos, timeout);
        if (!speaking) {
            speaking = true;
            peer.silenceDevice(timeout);
            microphone.start();
        }
        return new Setup(
                millis(offeredNanos),
                millis(answeredNanos),
                millis(Math.min(connected, events.iceConnectedNanos.getNow(connected))),
                millis(connected));
    }

    /** Milliseconds from the start of the call to a moment on {@link System#nanoTime}'s clock. */
    public double millis(long nanos) {
        return (nanos - startNanos) / 1e6;
    }

    private static long within(CompletableFuture<Long> moment, Duration timeout) {
        return moment.copy().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS).join();
    }

    /** Says something; the answer completes when the last of it went to the encoder. */
    public CompletableFuture<Void> say(Wav audio) {
        return microphone.say(audio);
    }

    /** Stays silent and listens for a while. */
    public void listen(Duration time) {
        int rateHz = 8_000;
        say(new Wav(rateHz, new short[(int) (time.toMillis() * rateHz / 1_000)])).join();
    }

    /** Everything heard since the call was answered, silence included. */
    public Wav heard() {
        return peer.recording().wav();
    }

    /** Milliseconds from the start of the call to the first sample that can be heard, or -1. */
    public double firstAudibleMillis() {
        long nanos = peer.recording().firstAudibleNanos();
        return nanos == 0 ? -1 : millis(nanos);
    }

    public CallStats stats() {
        return peer.stats();
    }

    public String offerSdp() {
        return offerSdp;
    }

    public String answerSdp() {
        return answerSdp;
    }

    /** The call's own address: its last segment is the call id. */
    public URI location() {
        return location;
    }

    /**
     * Restarts ICE through signaling and takes the answer, which it returns.
     *
     * @param call the call's address at any instance
     */
    public String restartIce(URI call) {
        peer.connection().restartIce();
        String offer = Descriptions.offer(peer.connection());
        HttpResponse<String> answer =
                send(
                        HttpRequest.newBuilder(call)
                                .header("Content-Type", "application/sdp")
                                .method("PATCH", BodyPublishers.ofString(offer)));
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(
                    "restart refused with " + answer.statusCode() + ": " + answer.body());
        }
        Descriptions.setRemote(peer.connection(), RTCSdpType.ANSWER, answer.body());
        return answer.body();
    }

    /** Ends the call through signaling; answers the HTTP status. */
    public int hangUp() {
        return send(HttpRequest.newBuilder(location).DELETE()).statusCode();
    }

    /** Waits until libwebrtc notices that the other side is gone. */
    public void awaitDisconnected(Duration timeout) {
        within(peer.events().disconnectedNanos, timeout);
    }

    /** Leaves without a word to signaling. */
    @Override
    public void close() {
        if (speaking) {
            microphone.stop();
        }
        peer.close();
    }
}
