package dev.parley.rtc.sdp;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** The offers of real clients that lie in the test resources, and one that tests bend. */
final class Offers {
    /** As small as an offer can be. */
    static final String MINIMAL =
            """
            v=0
            o=- 1 1 IN IP4 0.0.0.0
            s=-
            t=0 0
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            c=IN IP4 0.0.0.0
            a=ice-ufrag:abcd
            a=ice-pwd:abcdefghijklmnopqrstuv
            a=fingerprint:sha-256 00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF
            a=setup:actpass
            a=rtcp-mux
            a=rtpmap:111 opus/48000/2
            """;

    private Offers() {}

    static String named(String name) {
        try (InputStream in =
                Objects.requireNonNull(
                        Offers.class.getResourceAsStream("/offers/" + name + ".sdp"), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
