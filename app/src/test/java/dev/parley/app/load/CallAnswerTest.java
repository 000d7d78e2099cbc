package dev.parley.app.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.parley.rtc.dtls.DtlsRole;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class CallAnswerTest {
    private static final String ANSWER =
            String.join(
                    "\r\n",
                    "v=0",
                    "o=- 1 2 IN IP4 127.0.0.1",
                    "s=-",
                    "t=0 0",
                    "m=audio 3478 UDP/TLS/RTP/SAVPF 111",
                    "c=IN IP4 127.0.0.1",
                    "a=ice-ufrag:abcd",
                    "a=ice-pwd:abcdefghijklmnopqrstuv",
                    "a=fingerprint:sha-256 00:01",
                    "a=setup:active",
                    "a=candidate:1 1 udp 2130706431 127.0.0.1 3478 typ host",
                    "a=candidate:2 1 UDP 2130706175 2001:db8::1 3479 typ host",
                    "a=candidate:3 1 udp 2130705919 somebody.local 3480 typ host",
                    "a=candidate:4 1 tcp 2130705919 127.0.0.1 9 typ host tcptype passive",
                    "");

    @Test
    void tellsWhereToSendAndAsWhom() {
        CallAnswer answer = CallAnswer.parse(ANSWER);

        assertThat(answer.candidates())
                .containsExactly(
                        new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 3478),
                        new InetSocketAddress(InetAddress.ofLiteral("2001:db8::1"), 3479));
        assertThat(answer.remote().ufrag()).isEqualTo("abcd");
        assertThat(answer.role()).isEqualTo(DtlsRole.SERVER);
    }

    @Test
    void takesTheOtherRoleOfAPassiveAnswer() {
        assertThat(CallAnswer.parse(ANSWER.replace("setup:active", "setup:passive")).role())
                .isEqualTo(DtlsRole.CLIENT);
    }

    @Test
    void namesWhatAnAnswerLacks() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> CallAnswer.parse(ANSWER.replace("candidate", "nothing")))
                .withMessageContaining("a=candidate");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> CallAnswer.parse("<html>"))
                .withMessageContaining("a=fingerprint");
    }
}
