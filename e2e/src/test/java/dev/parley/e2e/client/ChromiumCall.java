package dev.parley.e2e.client;

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
        Object result = page.evaluate(script(), Map.of("model", model, "seconds", seconds));
        JsonObject report = JsonParser.parseString(String.valueOf(result)).getAsJsonObject();
        Wav heard =
                new Wav(
                        report.get("sampleRate").getAsInt(),
                        samples(report.remove("heardBase64").getAsString()));
        return new ChromiumCall(heard, report);
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
