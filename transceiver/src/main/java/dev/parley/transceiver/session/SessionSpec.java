package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.Fingerprint;
import dev.parley.rtc.ice.IceCredentials;
import dev.parley.rtc.sdp.SdpData;
import dev.parley.rtc.sdp.SdpDirection;
import dev.parley.rtc.sdp.SdpFormats;
import dev.parley.transceiver.media.OutputFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What offer and answer have settled about a call.
 *
 * @param local ours, with the route token as ufrag
 * @param remote the client's
 * @param role our side of the DTLS handshake
 * @param fingerprints of the client's certificate; one that matches is enough
 * @param formats payload types of audio, both ways; none when the call has no audio
 * @param output how our audio looks on the wire
 * @param audioLevelId id of the RFC 6464 header extension in the client's packets, 0 for none
 * @param ssrc of what we send
 * @param cname of what we send, RFC 3550 6.5.1
 * @param direction of audio at first, as we see it; later offers may change it
 * @param feedbackProfile whether RTCP is that of AVPF (RFC 4585, RFC 5124)
 * @param data what the client says of its data channels; null when there are to be none
 * @param sped whether DTLS is carried in STUN for a client whose checks ask for it
 * @param snap their association as SDP has agreed on it; null when SCTP shakes hands itself
 */
public record SessionSpec(
        SessionId id,
        String model,
        IceCredentials local,
        IceCredentials remote,
        DtlsRole role,
        DtlsIdentity identity,
        List<Fingerprint> fingerprints,
        SdpFormats formats,
        OutputFormat output,
        int audioLevelId,
        int ssrc,
        String cname,
        SdpDirection direction,
        boolean feedbackProfile,
        boolean sped,
        @Nullable SdpData data,
        @Nullable Snap snap) {
    public SessionSpec {
        fingerprints = List.copyOf(fingerprints);
    }

    /** Whether there is audio, and so SRTP, or data channels alone. */
    boolean hasAudio() {
        return formats.hasAudio();
    }
}
