package dev.parley.rtc.sdp;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An offer that can be answered: it has an audio section with Opus or G.711, or data channels
 * alone, and all that ICE and DTLS need. Immutable. What else it holds is there to be refused
 * section by section.
 */
public final class SdpOffer {
    /** Characters of the longest offer that is read. */
    public static final int MAX_LENGTH = 65_536;

    /** Lines of the longest offer that is read. */
    public static final int MAX_LINES = 2_000;

    /** Most m-sections of an offer. */
    public static final int MAX_MEDIA = 12;

    private final List<SdpMedia> media;
    private final SdpMedia lead;
    private final SdpCodec voice;
    private final List<String> bundle;
    private final boolean extmapAllowMixed;
    private final SdpDirection direction;
    private final SdpTransport transport;

    SdpOffer(
            List<SdpMedia> media,
            SdpMedia lead,
            SdpCodec voice,
            List<String> bundle,
            boolean extmapAllowMixed,
            SdpDirection direction,
            SdpTransport transport) {
        this.media = List.copyOf(media);
        this.lead = lead;
        this.voice = voice;
        this.bundle = List.copyOf(bundle);
        this.extmapAllowMixed = extmapAllowMixed;
        this.direction = direction;
        this.transport = transport;
    }

    /**
     * Reads an offer. Lines may end with CRLF or LF; attributes that mean nothing here are passed
     * over.
     *
     * @throws SdpException when it is not SDP, or offers nothing that can be answered
     */
    public static SdpOffer parse(String text) throws SdpException {
        return new SdpParser().parse(text);
    }

    /** Every m-section in the order of the offer. */
    public List<SdpMedia> media() {
        return media;
    }

    /**
     * The section that the call is about: the first audio with Opus, else with G.711; the data
     * channels where no audio is offered.
     */
    public SdpMedia lead() {
        return lead;
    }

    /** The audio section that the answer accepts; null when the offer is of data channels alone. */
    public @Nullable SdpMedia findAudio() {
        return lead.isAudio() ? lead : null;
    }

    /**
     * The codec of the audio section that is used: Opus, or G.711 where there is none; that of
     * {@link SdpFormats#WITHOUT_AUDIO} without one.
     */
    public SdpCodec voice() {
        return voice;
    }

    /** The first data channel section that is offered; null when there is none. */
    public @Nullable SdpMedia findData() {
        return media.stream().filter(m -> m.isData() && m.isOffered()).findFirst().orElse(null);
    }

    /**
     * The data channel section that the answer accepts; null when there is none, or it would need a
     * transport of its own.
     */
    public @Nullable SdpMedia findAcceptableData() {
        if (lead.isData()) {
            return lead;
        }
        SdpMedia data = findData();
        String mid = data == null ? null : data.findMid();
        boolean shared = mid != null && bundle.contains(mid);
        return data != null && shared && data.findData() != null ? data : null;
    }

    /** What the data channel section says that the answer accepts; null when there is none. */
    public @Nullable SdpData findDataTerms() {
        SdpMedia data = findAcceptableData();
        return data == null ? null : data.findData();
    }

    /** Mids of the BUNDLE group of {@link #lead}, in its order; empty when it has none. */
    List<String> bundle() {
        return bundle;
    }

    /** Direction of the audio section as the offerer sees it; inactive without one. */
    public SdpDirection direction() {
        return direction;
    }

    /** ICE and DTLS of {@link #lead}. */
    public SdpTransport transport() {
        return transport;
    }

    /** Whether {@link #lead} belongs to a BUNDLE group. */
    public boolean isBundled() {
        return !bundle.isEmpty();
    }

    /** Whether {@code a=extmap-allow-mixed} stands at session level. */
    boolean extmapAllowMixed() {
        return extmapAllowMixed;
    }
}
