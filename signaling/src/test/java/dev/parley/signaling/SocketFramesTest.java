package dev.parley.signaling;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** What becomes of WebSockets by their frames, RFC 6455 5.2; a character stands for a byte. */
@Timeout(60)
class SocketFramesTest {
    private static final String UPGRADE =
            """
            GET /v1/realtime/signaling HTTP/1.1\r
            Host: x\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r
            """;
    private static final String MAX_BYTES = "2000";
    private static final String IDLE = "parley.signaling.connections_closed{reason=idle}";

    private static final int CONTINUATION = 0x00;
    private static final int TEXT = 0x01;
    private static final int BINARY = 0x02;
    private static final int RESERVED = 0x03;
    private static final int PING = 0x09;
    private static final int PONG = 0x0A;
    private static final int LAST = 0x80;

    /** Frames, how the client is told by RFC 6455 7.4, and as what that is counted. */
    static final List<Arguments> ENDING =
            List.of(
                    Arguments.of("no mask", "\u0081\u0002{}", 1002, "protocol_error"),
                    Arguments.of("reserved", frame(LAST | RESERVED, ""), 1002, "protocol_error"),
                    Arguments.of(
                            "long ping",
                            frame(LAST | PING, "x".repeat(126)),
                            1002,
                            "protocol_error"),
                    Arguments.of(
                            "end of nothing",
                            frame(LAST | CONTINUATION, ""),
                            1002,
                            "protocol_error"),
                    Arguments.of("bytes", frame(LAST | BINARY, "x"), 1003, "binary"),
                    Arguments.of(
                            "announced", "\u0081\u00ff" + "\u007f".repeat(12), 1009, "too_large"),
                    Arguments.of(
                            "at once", frame(LAST | TEXT, "x".repeat(2_001)), 1009, "too_large"),
                    Arguments.of(
                            "in fragments",
                            frame(TEXT, "x".repeat(1_500)) + frame(CONTINUATION, "x".repeat(1_500)),
                            1009,
                            "too_large"),
                    Arguments.of(
                            "messages",
                            frame(LAST | TEXT, "{}").repeat(1_000),
                            1008,
                            "too_many_messages"),
                    Arguments.of(
                            "pings", frame(LAST | PING, "").repeat(5_000), 1008, "too_many_frames"),
                    Arguments.of(
                            "pongs", frame(LAST | PONG, "").repeat(5_000), 1008, "too_many_frames"),
                    Arguments.of(
                            "crumbs",
                            frame(TEXT, "") + frame(CONTINUATION, "").repeat(5_000),
                            1008,
                            "too_many_frames"));

    @Test
    void answersPingsWithTheirPayload() throws IOException {
        try (var fixture = SignalingFixture.with();
                var client = upgraded(fixture)) {
            client.send(frame(LAST | PING, "hello") + frame(LAST | PING, ""));

            assertThat(client.bytes(9)).isEqualTo("\u008a\u0005hello\u008a\0");
        }
    }

    @ParameterizedTest(name = "{0}")
    @FieldSource("ENDING")
    void endsWhoBreaksTheRules(String name, String frames, int code, String reason)
            throws IOException {
        try (var fixture = SignalingFixture.with("max_body_bytes", MAX_BYTES);
                var warnings = new Warnings();
                var client = upgraded(fixture)) {
            client.send(frames);
            String heard = client.rest();

            String counter = "parley.signaling.websockets_closed{reason=" + reason + "}";
            assertThat(fixture.telemetry.snapshot()).as(name).containsEntry(counter, 1L);
            assertThat(warnings.messages()).isEmpty();
            // What is left unread resets the connection, and may take the last words away.
            if (frames.length() < 200) {
                assertThat(heard).startsWith("\u0088");
                assertThat(heard.charAt(2) << 8 | heard.charAt(3)).isEqualTo(code);
            }
        }
    }

    @Test
    void keepsWhoAnswersPingsAndEndsWhoDoesNot() throws IOException {
        try (var fixture = SignalingFixture.with("idle_timeout", "2s");
                var client = upgraded(fixture)) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.bytes(2)).isEqualTo("\u0089\0");
                client.send(frame(LAST | PONG, ""));
            }
            assertThat(fixture.telemetry.snapshot()).containsEntry(IDLE, 0L);

            var _ = client.rest();
            assertThat(fixture.telemetry.snapshot())
                    .containsEntry(IDLE, 1L)
                    .containsEntry("parley.signaling.websockets{kind=call}", 1L);
        }
    }

    private static RawHttp upgraded(SignalingFixture fixture) throws IOException {
        RawHttp client = new RawHttp(fixture.signaling).send(UPGRADE);
        assertThat(client.head()).startsWith("HTTP/1.1 101 ");
        return client;
    }

    /** One that is masked by zeros. */
    private static String frame(int start, String payload) {
        int length = payload.length();
        String announced =
                length < 126
                        ? "" + (char) (0x80 | length)
                        : "\u00fe" + (char) (length >> 8) + (char) (length & 0xFF);
        return (char) start + announced + "\0\0\0\0" + payload;
    }
}
