package dev.parley.signaling.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MultipartFormTest {
    private static final String FORM =
            """
            --b1
            Content-Disposition: form-data; name="sdp"
            Content-Type: application/sdp

            v=0
            s=-

            --b1
            content-disposition: form-data; filename=x; name=session

            {"model":"echo"}
            --b1--
            """
                    .replace("\n", "\r\n");

    @Test
    void readsTypedAndUntypedParts() {
        var parts = parse(FORM);

        assertThat(parts).containsOnlyKeys("sdp", "session");
        assertThat(text(parts, "sdp")).isEqualTo("v=0\r\ns=-\r\n");
        assertThat(text(parts, "session")).isEqualTo("{\"model\":\"echo\"}");
    }

    @Test
    void readsPreambleQuotedBoundaryAndEmptyPart() {
        String form =
                "preamble\r\n" + FORM.replace("{\"model\":\"echo\"}", "").replace("b1", "b 1");

        var parts =
                MultipartForm.parse(
                        form.getBytes(StandardCharsets.UTF_8),
                        MediaTypeHeader.parse("Multipart/Form-Data; boundary=\"b 1\"; x=y"));

        assertThat(text(parts, "sdp")).isEqualTo("v=0\r\ns=-\r\n");
        assertThat(text(parts, "session")).isEmpty();
    }

    @Test
    void keepsBytesThatLookLikeTheBoundary() {
        var parts = parse(FORM.replace("s=-", "s=--b1 --b"));

        assertThat(text(parts, "sdp")).isEqualTo("v=0\r\ns=--b1 --b\r\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--b1",
                "--b1\r\n",
                "--b1\r\n\r\nno disposition\r\n--b1--",
                "--b1\r\nContent-Disposition: form-data\r\n\r\nno name\r\n--b1--",
                "--b1\r\nContent-Disposition: form-data; name=sdp\r\n\r\nno end",
                "--b1\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
                        + "--b1\r\nContent-Disposition: form-data; name=a\r\n\r\n2\r\n--b1--",
            })
    void refusesMalformedForms(String form) {
        assertThatThrownBy(() -> parse(form))
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST))
                .hasMessageStartingWith("The multipart body cannot be read: ");
    }

    @Test
    void refusesAMissingBoundary() {
        assertThatThrownBy(
                        () ->
                                MultipartForm.parse(
                                        new byte[0], MediaTypeHeader.parse("multipart/form-data")))
                .hasMessageContaining("boundary");
    }

    @Test
    void refusesMoreParts() {
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < 17; i++) {
            form.append("--b1\r\nContent-Disposition: form-data; name=p")
                    .append(i)
                    .append("\r\n\r\n\r\n");
        }
        assertThatThrownBy(() -> parse(form + "--b1--")).isInstanceOf(RefusedException.class);
    }

    @Test
    void readsOrRefusesEveryDamagedForm() {
        Random random = new Random(4);
        byte[] form = FORM.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = form.clone();
            for (int j = 0; j < 3; j++) {
                damaged[random.nextInt(damaged.length)] = form[random.nextInt(form.length)];
            }
            try {
                assertThat(MultipartForm.parse(damaged, TYPE)).hasSizeLessThan(17);
            } catch (RefusedException refusal) {
                assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
            }
        }
    }

    private static final MediaTypeHeader TYPE =
            MediaTypeHeader.parse("multipart/form-data; boundary=b1");

    private static Map<String, byte[]> parse(String form) {
        return MultipartForm.parse(form.getBytes(StandardCharsets.UTF_8), TYPE);
    }

    private static String text(Map<String, byte[]> parts, String name) {
        return new String(parts.getOrDefault(name, new byte[0]), StandardCharsets.UTF_8);
    }
}
