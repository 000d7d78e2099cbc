package dev.parley.e2e.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * What a browser saw of one finished call.
 *
 * @param heard what came out of the remote track from the moment it appeared
 * @param report the rest, as call.js names it: {@code location}, {@code answer}, {@code states},
 *     {@code hangupStatus}, times in milliseconds from sending the offer, and {@code stats}, the
 *     reports of {@code getStats()} by kind
 */
public record ChromiumCall(Wav heard, JsonObject report) {

    /** Calls {@code model} from {@code page}'s origin, stays for a while, hangs up. */
    public static ChromiumCall make(Page page, String model, double seconds) {
        return place(page, model).stay(seconds).finish();
    }

    /** Calls {@code model} from {@code page}'s origin and returns once media can flow. */
    public static Placed place(Page page, String model) {
        page.evaluate(script(), Map.of("model", model));
        return new Placed(page);
    }

    /** A call that goes on. Owned by the thread of its page. */
    public static final class Placed {
        private final Page page;

        private Placed(Page page) {
            this.page = page;
        }

        /** Lets the call go on for a while. */
        @CanIgnoreReturnValue
        public Placed stay(double seconds) {
            page.evaluate("s => new Promise(resolve => setTimeout(resolve, 1000 * s))", seconds);
            return this;
        }

        /** How much has been heard so far: where in the recording we are. */
        public double heardSeconds() {
            return ((Number) page.evaluate("() => window.placedCall.heardSeconds()")).doubleValue();
        }

        /**
         * Restarts ICE through signaling and returns once the browser uses the new credentials:
         * {@code answer}, {@code answeredMillis} and {@code movedMillis} since it began.
         */
        public JsonObject restartIce() {
            return json(page.evaluate("() => window.placedCall.restartIce()"));
        }

        /**
         * Sets the direction of audio and offers again, by {@code PATCH} or {@code POST}.
         *
         * @return {@code answer}, and {@code direction}, the one that is in use now
         */
        public JsonObject direct(String direction, String method) {
            return json(
                    page.evaluate(
                            "([d, m]) => window.placedCall.direct(d, m)",
                            List.of(direction, method)));
        }

        /** RTP so far, {@code sent} and {@code received}, and the {@code ufrag} in use. */
        public JsonObject packets() {
            return json(page.evaluate("() => window.placedCall.packets()"));
        }

        /** Hangs up and answers all that was seen of the call. */
        public ChromiumCall finish() {
            JsonObject report = json(page.evaluate("() => window.placedCall.finish()"));
            Wav heard =
                    new Wav(
                            report.get("sampleRate").getAsInt(),
                            samples(report.remove("heardBase64").getAsString()));
            return new ChromiumCall(heard, report);
        }

        private static JsonObject json(Object text) {
            return JsonParser.parseString(String.valueOf(text)).getAsJsonObject();
        }
    }

    /** Path of the call, from the {@code Location} header. */
    public String location() {
        return report.get("location").getAsString();
    }

    /** Connection states and events, in order. */
    public List<String> states() {
        return report.getAsJsonArray("states").asList().stream()
                .map(JsonElement::getAsString)
                .toList();
    }

    /** HTTP status of the DELETE that ended it. */
    public int hangupStatus() {
        return report.get("hangupStatus").getAsInt();
    }

    /** Milliseconds from sending the offer to a moment that call.js names. */
    public double millis(String moment) {
        return report.get(moment).getAsDouble();
    }

    /** A number of one {@code getStats()} report. */
    public double stat(String kind, String key) {
        return stats().getAsJsonObject(kind).get(key).getAsDouble();
    }

    /** A text of one {@code getStats()} report. */
    public String statText(String kind, String key) {
        return stats().getAsJsonObject(kind).get(key).getAsString();
    }

    /** The reports of {@code getStats()} by kind. */
    public JsonObject stats() {
        return report.getAsJsonObject("stats");
    }

    private static short[] samples(String base64) {
        ByteBuffer bytes =
                ByteBuffer.wrap(Base64.getDecoder().decode(base64)).order(ByteOrder.LITTLE_ENDIAN);
        short[] samples = new short[bytes.remaining() / 2];
        bytes.asShortBuffer().get(samples);
        return samples;
    }

    private static String script() {
        try (InputStream script = ChromiumCall.class.getResourceAsStream("call.js")) {
            if (script == null) {
                throw new IllegalStateException("call.js is missing");
            }
            String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
            return text.substring(text.indexOf("async"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
