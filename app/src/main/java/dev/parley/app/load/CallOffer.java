package dev.parley.app.load;

import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.ice.IceCredentials;
import java.util.ArrayList;
import java.util.List;

/** The SDP that a client of this kind offers: Opus alone, with what else is wanted. */
public final class CallOffer {
    /** Payload type of Opus. */
    public static final int OPUS = 111;

    private CallOffer() {}

    /**
     * Without candidates: the server learns where we are from the first check.
     *
     * @param nack whether lost packets may be asked for again (RFC 4585), both ways
     */
    public static String text(
            IceCredentials local, DtlsIdentity identity, boolean dataChannel, boolean nack) {
        List<String> transport =
                List.of(
                        "c=IN IP4 0.0.0.0",
                        "a=ice-ufrag:" + local.ufrag(),
                        "a=ice-pwd:" + local.password(),
                        "a=fingerprint:" + identity.fingerprint(),
                        "a=setup:actpass");
        List<String> lines = new ArrayList<>();
        lines.addAll(
                List.of(
                        "v=0",
                        "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
                        "s=-",
                        "t=0 0",
                        dataChannel ? "a=group:BUNDLE 0 1" : "a=group:BUNDLE 0",
                        "m=audio 9 UDP/TLS/RTP/SAVPF " + OPUS));
        lines.addAll(transport);
        lines.addAll(
                List.of(
                        "a=mid:0",
                        "a=sendrecv",
                        "a=rtcp-mux",
                        "a=rtpmap:" + OPUS + " opus/48000/2",
                        "a=fmtp:" + OPUS + " minptime=10;useinbandfec=1"));
        if (nack) {
            lines.add("a=rtcp-fb:" + OPUS + " nack");
        }
        if (dataChannel) {
            lines.add("m=application 9 UDP/DTLS/SCTP webrtc-datachannel");
            lines.addAll(transport);
            lines.addAll(List.of("a=mid:1", "a=sctp-port:5000", "a=max-message-size:262144"));
        }
        return String.join("\r\n", lines) + "\r\n";
    }
}
