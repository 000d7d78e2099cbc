package dev.parley.rtc.sdp;

import dev.parley.rtc.ice.IceCredentials;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the lines of one answer, RFC 9429 5.3, and is thrown away. It names nothing that is not
 * implemented: what an answer does not say, the client does not do.
 */
final class SdpAnswerText {
    private final SdpOffer offer;
    private final StringBuilder text = new StringBuilder(1_024);

    SdpAnswerText(SdpOffer offer) {
        this.offer = offer;
    }

    /**
     * @param data the section of data channels that is accepted, if any
     */
    void session(long id, long version, @Nullable SdpMedia data) {
        line("v=0");
        // RFC 8866 5.2: a number up to 63 bits, or else some parsers read a negative one.
        line("o=- " + (id & Long.MAX_VALUE) + " " + version + " IN IP4 0.0.0.0");
        line("s=-");
        line("t=0 0");
        if (offer.isBundled()) {
            line("a=group:BUNDLE " + String.join(" ", accepted(data)));
        }
        line("a=ice-lite");
        if (offer.extmapAllowMixed()) {
            line("a=extmap-allow-mixed");
        }
    }

    /** RFC 9143 7.3.1: in the order of the offer's group, so that the same section leads it. */
    private List<String> accepted(@Nullable SdpMedia data) {
        return offer.bundle().stream()
                .filter(mid -> isMidOf(mid, offer.findAudio()) || isMidOf(mid, data))
                .toList();
    }

    private static boolean isMidOf(String mid, @Nullable SdpMedia section) {
        return section != null && mid.equals(section.findMid());
    }

    /** Whether the data section leads the group, or is alone, and so must tell the candidates. */
    boolean isLedBy(SdpMedia data) {
        return data == offer.lead() || isMidOf(accepted(data).getFirst(), data);
    }

    /** The data channel section, accepted; RFC 8841 5, 6 and 10. */
    void data(SdpMedia data, List<SdpCandidate> candidates, @Nullable String sctpInit) {
        SdpCandidate first = candidates.getFirst();
        boolean old = data.isDataOfOld();
        String format = old ? String.valueOf(SdpData.LOCAL_PORT) : "webrtc-datachannel";
        line("m=application " + first.port() + " " + data.protocol() + " " + format);
        line("c=" + first.connection());
        mid(data);
        line(
                old
                        ? "a=sctpmap:" + format + " webrtc-datachannel 65535"
                        : "a=sctp-port:" + SdpData.LOCAL_PORT);
        line("a=max-message-size:" + SdpData.LOCAL_MAX_MESSAGE_BYTES);
        if (sctpInit != null) {
            line("a=sctp-init:" + sctpInit);
        }
    }

    /** The m-section that is accepted; its default destination is the first candidate. */
    void audio(SdpMedia audio, SdpFormats formats, List<SdpCandidate> candidates) {
        SdpCandidate first = candidates.getFirst();
        SdpCodec voice = formats.voice();
        int type = voice.payloadType();
        int red = formats.redPayloadType();
        SdpCodec dtmf = formats.dtmf();
        // A client sends what stands first, so redundant audio stands before what it carries.
        line(
                "m=audio %d %s %s%d%s"
                        .formatted(
                                first.port(),
                                audio.protocol(),
                                red == SdpFormats.NONE ? "" : red + " ",
                                type,
                                dtmf == null ? "" : " " + dtmf.payloadType()));
        line("c=" + first.connection());
        mid(audio);
        line("a=" + offer.direction().reversed());
        line("a=rtcp-mux");
        if (red != SdpFormats.NONE) {
            line("a=rtpmap:" + red + " red/" + voice.clockRateHz() + channels(voice));
            line("a=fmtp:" + red + " " + type + "/" + type);
        }
        line("a=rtpmap:" + type + " " + voice);
        if (voice.isOpus()) {
            // Redundant audio makes coarse copies needless; they would take bits from the audio.
            String fec = red == SdpFormats.NONE ? ";useinbandfec=1" : "";
            line("a=fmtp:" + type + " minptime=10" + fec);
        }
        if (formats.nack()) {
            line("a=rtcp-fb:" + type + " nack");
        }
        if (dtmf != null) {
            line("a=rtpmap:" + dtmf.payloadType() + " " + dtmf);
        }
        if (audio.level.extmapAllowMixed && !offer.extmapAllowMixed()) {
            line("a=extmap-allow-mixed");
        }
        SdpExtension level = findAudioLevel();
        if (level != null && audioLevelId() != 0) {
            String direction = level.direction() == SdpDirection.SENDONLY ? "/recvonly" : "";
            line("a=extmap:" + level.id() + direction + " " + level.uri());
        }
    }

    private static String channels(SdpCodec codec) {
        return codec.channels() == 1 ? "" : "/" + codec.channels();
    }

    private @Nullable SdpExtension findAudioLevel() {
        SdpMedia audio = offer.findAudio();
        return audio == null ? null : audio.findExtension(SdpExtension.AUDIO_LEVEL);
    }

    /** The id of audio levels that the client may send, 0 for none. */
    int audioLevelId() {
        SdpExtension level = findAudioLevel();
        // RFC 8285 5: ids above 255 exist only to negotiate more extensions than fit.
        return level != null && level.direction().sends() && level.id() <= 255 ? level.id() : 0;
    }

    /**
     * Every section has these, as in browsers' answers. RFC 9143 7.3.2 wants them only where the
     * group is led, but aiortc takes no answer without.
     */
    void transport(IceCredentials local, SdpFingerprint fingerprint, SdpSetup setup, boolean sped) {
        line("a=ice-ufrag:" + local.ufrag());
        line("a=ice-pwd:" + local.password());
        if (sped) {
            line("a=ice-options:sped");
        }
        line("a=fingerprint:" + fingerprint);
        line("a=setup:" + setup);
    }

    void candidates(List<SdpCandidate> candidates) {
        for (int i = 0; i < candidates.size(); i++) {
            line(candidates.get(i).line(i));
        }
        line("a=end-of-candidates");
    }

    void source(int ssrc, String cname, String streamId, String trackId) {
        if (offer.direction().receives()) {
            line("a=msid:" + streamId + " " + trackId);
            line("a=ssrc:" + Integer.toUnsignedString(ssrc) + " cname:" + cname);
        }
    }

    /** RFC 3264 6: port 0 refuses; the first format is there because the grammar wants one. */
    void refused(SdpMedia media) {
        line("m=" + media.kind() + " 0 " + media.protocol() + " " + media.formats().getFirst());
        line("c=IN IP4 0.0.0.0");
        mid(media);
        if (media.isRtp()) {
            line("a=inactive");
        }
    }

    private void mid(SdpMedia media) {
        if (media.findMid() != null) {
            line("a=mid:" + media.findMid());
        }
    }

    private void line(String line) {
        text.append(line).append("\r\n");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
