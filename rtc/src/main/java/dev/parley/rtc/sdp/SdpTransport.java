package dev.parley.rtc.sdp;

import dev.parley.rtc.ice.IceCredentials;
import java.util.List;

/**
 * What ICE and DTLS need to know of the offerer.
 *
 * @param credentials its ufrag and password
 * @param fingerprints of its certificate, at least one with a hash that is known here; the
 *     certificate must match one of those
 * @param setup who may begin the handshake
 * @param sped whether it can carry DTLS in STUN, draft-hancke-webrtc-sped
 */
public record SdpTransport(
        IceCredentials credentials,
        List<SdpFingerprint> fingerprints,
        SdpSetup setup,
        boolean sped) {}
