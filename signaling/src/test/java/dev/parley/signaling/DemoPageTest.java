package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DemoPageTest {
    private static final SignalingFixture FIXTURE = SignalingFixture.with();

    @AfterAll
    static void stop() {
        FIXTURE.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/, text/html",
        "/index.html, text/html",
        "/style.css, text/css",
        "/main.js, javascript",
        "/call.js, javascript",
        "/favicon.svg, image/svg+xml",
    })
    void servesEachFileWithItsType(String path, String type) {
        HttpResponse<String> response = get(path);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Content-Type")).contains(type);
        assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(response, "Cache-Control")).isEqualTo("no-cache");
        assertThat(response.body()).isNotBlank();
    }

    @Test
    void letsThePageLoadNothingFromElsewhereAndRunNothingInline() {
        HttpResponse<String> page = get("/");

        assertThat(header(page, "Content-Security-Policy"))
                .startsWith("default-src 'none'; script-src 'self'; style-src 'self';")
                .doesNotContain("unsafe");
        assertThat(page.body()).doesNotContain("style=").doesNotContain("onclick");
        assertThat(Pattern.compile("<script(?![^>]*src=)").matcher(page.body()).find()).isFalse();
        assertThat(Pattern.compile("(src|href)=\"(https?:)?//").matcher(page.body()).find())
                .isFalse();
    }

    @Test
    void offersTheAgentsOfTheReferenceService() {
        assertThat(get("/").body())
                .contains("value=\"parrot\"")
                .contains("value=\"echo\"")
                .contains("value=\"scripted\"")
                .contains("value=\"speak\"")
                .contains("value=\"tone\"")
                .contains("value=\"silence\"");
    }

    @Test
    void answersNotModified() {
        String tag = header(get("/main.js"), "ETag");
        assertThat(tag).isNotEmpty();

        var again = FIXTURE.send(FIXTURE.request("/main.js").header("If-None-Match", tag));

        assertThat(again.statusCode()).isEqualTo(304);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/nope.html",
                "/..%2f..%2fdev/parley/signaling/Signaling.class",
                "/%2e%2e/logging.properties",
                "/../dev/parley/signaling/Signaling.class",
                "/x/../../META-INF/MANIFEST.MF",
                "/dev/parley/signaling/Signaling.class",
                "/META-INF/MANIFEST.MF",
            })
    void servesNothingElse(String path) {
        HttpResponse<String> response = get(path);

        assertThat(response.statusCode()).isIn(400, 403, 404);
        assertThat(header(response, "Content-Type")).isEqualTo("application/json");
    }

    @Test
    void answersHead() {
        var head =
                FIXTURE.send(
                        FIXTURE.request("/").method("HEAD", HttpRequest.BodyPublishers.noBody()));

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void canBeSwitchedOff() {
        try (var fixture = SignalingFixture.with("demo_page", "false")) {
            assertThat(fixture.send(fixture.request("/")).statusCode()).isEqualTo(404);
            assertThat(fixture.send(fixture.request("/main.js")).statusCode()).isEqualTo(404);
        }
    }

    private static HttpResponse<String> get(String path) {
        return FIXTURE.send(FIXTURE.request(path));
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }
}
