package dev.parley.rtc.sdp;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One m-section of an offer. Filled by the parser, unchanging after that. Codecs, extensions and
 * SSRCs are read for audio, ports for data channels: whatever else there is gets refused.
 */
public final class SdpMedia {
    private static final int MAX_SSRCS = 16;

    final SdpLine line;
    final SdpLevel level = new SdpLevel();
    private final String kind;
    private final int port;
    private final String protocol;
    private final List<String> formats;
    private final Map<Integer, SdpCodec> rtpmaps = new LinkedHashMap<>();
    private final Map<Integer, Map<String, String>> fmtps = new LinkedHashMap<>();
    private final List<SdpExtension> extensions = new ArrayList<>();
    private final List<Integer> ssrcs = new ArrayList<>();
    private final Set<String> feedback = new HashSet<>();
    private @Nullable String mid;
    private int ptimeMillis;
    private int maxptimeMillis;
    private boolean rtcpMux;
    private boolean bundleOnly;
    private int sctpPort;
    private boolean sctpmap;
    private @Nullable String sctpInit;
    private long maxMessageSize = SdpData.DEFAULT_MAX_MESSAGE_BYTES;

    /** Reads {@code m=audio 9 UDP/TLS/RTP/SAVPF 111 0}. */
    SdpMedia(SdpLine line) throws SdpException {
        this.line = line;
        String[] parts = line.value().strip().split(" +", -1);
        if (parts.length < 4) {
            throw line.error("expected m=kind port protocol format...");
        }
        kind = parts[0];
        String[] portAndCount = parts[1].split("/", 2);
        port = number(line, portAndCount[0], 0, 65_535, "port");
        protocol = parts[2];
        formats = List.of(parts).subList(3, parts.length);
        if (isRtp()) {
            for (String format : formats) {
                number(line, format, 0, 127, "payload type");
            }
        }
        if (isAudio()) {
            // RFC 3551 6: static payload types need no rtpmap.
            rtpmaps.put(0, new SdpCodec(0, "PCMU", 8_000, 1, Map.of()));
            rtpmaps.put(8, new SdpCodec(8, "PCMA", 8_000, 1, Map.of()));
        }
    }

    void take(SdpLine attribute) throws SdpException {
        switch (attribute.attribute()) {
            case "mid" -> mid = mid(attribute);
            case "rtcp-mux", "rtcp-mux-only" -> rtcpMux = true;
            case "bundle-only" -> bundleOnly = true;
            default -> {
                level.take(attribute);
                if (isAudio()) {
                    takeAudio(attribute);
                } else if (isData()) {
                    takeData(attribute);
                }
            }
        }
    }

    /** RFC 8841 5 and 6. */
    private void takeData(SdpLine attribute) throws SdpException {
        String value = attribute.attributeValue().strip();
        switch (attribute.attribute()) {
            case "sctp-port" -> sctpPort = number(attribute, value, 0, 65_535, "SCTP port");
            case "sctpmap" -> takeSctpmap(attribute, value);
            case "sctp-init" -> sctpInit = value;
            case "max-message-size" ->
                    maxMessageSize =
                            number(attribute, value, 0, 0xFFFF_FFFFL, "largest message size");
            default -> {
                // Whatever this is, the answer does not name it and so does not promise it.
            }
        }
    }

    /** {@code a=sctpmap:5000 webrtc-datachannel 65535}, draft-ietf-mmusic-sctp-sdp-07 4.1. */
    private void takeSctpmap(SdpLine attribute, String value) throws SdpException {
        String[] parts = value.split(" +", -1);
        if (parts.length >= 2
                && formats.contains(parts[0])
                && parts[1].equals("webrtc-datachannel")) {
            sctpPort = number(attribute, parts[0], 1, 65_535, "SCTP port");
            sctpmap = true;
        }
    }

    private void takeAudio(SdpLine attribute) throws SdpException {
        switch (attribute.attribute()) {
            case "rtpmap" -> takeRtpmap(attribute);
            case "fmtp" -> takeFmtp(attribute);
            case "extmap" -> takeExtmap(attribute);
            case "ssrc" -> takeSsrc(attribute);
            // RFC 4585 4.2: a=rtcp-fb:111 transport-cc, or * for all payload types
            case "rtcp-fb" -> feedback.add(attribute.attributeValue().split(" ", 2)[0]);
            case "ptime" -> ptimeMillis = millis(attribute);
            case "maxptime" -> maxptimeMillis = millis(attribute);
            default -> {
                // Whatever this is, the answer does not name it and so does not promise it.
            }
        }
    }

    private static String mid(SdpLine attribute) throws SdpException {
        String text = attribute.attributeValue();
        // RFC 5888 4: a token. The length keeps the answer in its bounds.
        if (!text.matches("[!#-'*+\\-.0-9A-Z^-~]{1,64}")) {
            throw attribute.error("mid must be a token of 1 to 64 characters");
        }
        return text;
    }

    /** {@code a=rtpmap:111 opus/48000/2} */
    private void takeRtpmap(SdpLine attribute) throws SdpException {
        String[] parts = attribute.attributeValue().replace('/', ' ').split(" +", -1);
        if (parts.length < 3 || parts.length > 4) {
            throw attribute.error("expected a=rtpmap:type name/clock or name/clock/channels");
        }
        int type = number(attribute, parts[0], 0, 127, "payload type");
        int clock = number(attribute, parts[2], 1, Integer.MAX_VALUE, "clock rate");
        int channels = parts.length == 3 ? 1 : number(attribute, parts[3], 1, 255, "channels");
        rtpmaps.put(type, new SdpCodec(type, parts[1], clock, channels, Map.of()));
    }

    /** {@code a=fmtp:111 minptime=10;useinbandfec=1} */
    private void takeFmtp(SdpLine attribute) throws SdpException {
        String[] parts = attribute.attributeValue().split(" +", 2);
        int type = number(attribute, parts[0], 0, 127, "payload type");
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String parameter : (parts.length < 2 ? "" : parts[1]).split(";", -1)) {
            int equals = parameter.indexOf('=');
            String name = equals < 0 ? "" : parameter.substring(0, equals).strip();
            String value = parameter.substring(equals + 1).strip();
            if (!value.isEmpty()) {
                parameters.putIfAbsent(name.toLowerCase(Locale.ROOT), value);
            }
        }
        fmtps.put(type, Collections.unmodifiableMap(parameters));
    }

    /** {@code a=extmap:2/recvonly urn:ietf:params:rtp-hdrext:csrc-audio-level} */
    private void takeExtmap(SdpLine attribute) throws SdpException {
        String[] parts = attribute.attributeValue().split(" +", -1);
        if (parts.length < 2) {
            throw attribute.error("expected a=extmap:id uri");
        }
        String[] idAndDirection = parts[0].split("/", 2);
        int id = number(attribute, idAndDirection[0], 1, 65_535, "extension id");
        SdpDirection direction =
                idAndDirection.length == 1
                        ? SdpDirection.SENDRECV
                        : SdpDirection.find(idAndDirection[1]);
        if (direction == null) {
            throw attribute.error(
                    "an extension's direction is sendrecv, sendonly, recvonly, inactive");
        }
        extensions.add(new SdpExtension(id, parts[1], direction));
    }

    /** {@code a=ssrc:2243549100 cname:YShY5GvfXJJPDus6} */
    private void takeSsrc(SdpLine attribute) throws SdpException {
        String text = attribute.attributeValue().split(" ", 2)[0];
        long ssrc = number(attribute, text, 0, 0xFFFF_FFFFL, "SSRC");
        if (!ssrcs.contains((int) ssrc) && ssrcs.size() < MAX_SSRCS) {
            ssrcs.add((int) ssrc);
        }
    }

    /** {@code a=ptime:20}; a fraction, as RFC 8866 6.4 once allowed, is rounded down. */
    private static int millis(SdpLine attribute) throws SdpException {
        String whole = attribute.attributeValue().strip().split("\\.", 2)[0];
        return number(attribute, whole, 0, 10_000, "packet time");
    }

    private static int number(SdpLine line, String text, int min, int max, String what)
            throws SdpException {
        return (int) number(line, text, min, (long) max, what);
    }

    private static long number(SdpLine line, String text, long min, long max, String what)
            throws SdpException {
        long value = -1;
        if (!text.isEmpty() && text.length() <= 10 && text.chars().allMatch(SdpMedia::isDigit)) {
            value = Long.parseLong(text);
        }
        if (value < min || value > max) {
            throw line.error(what + " must be a number from " + min + " to " + max);
        }
        return value;
    }

    private static boolean isDigit(int c) {
        return c >= '0' && c <= '9';
    }

    /** {@code audio}, {@code video}, {@code application} or whatever was offered. */
    public String kind() {
        return kind;
    }

    public boolean isAudio() {
        return kind.equals("audio");
    }

    /** Whether it carries SCTP, a data channel. */
    public boolean isData() {
        return kind.equals("application") && protocol.contains("SCTP");
    }

    /** What it says of data channels; null when it has none that can be answered. */
    @Nullable SdpData findData() {
        boolean current =
                protocol.equals("UDP/DTLS/SCTP") && formats.contains("webrtc-datachannel");
        boolean understood = isData() && (current || isDataOfOld()) && sctpPort != 0;
        int largest = (int) Math.min(maxMessageSize, Integer.MAX_VALUE);
        return understood ? new SdpData(sctpPort, largest, sctpInit) : null;
    }

    /** Whether it is written as before RFC 8841; aiortc still does, and wants the same back. */
    boolean isDataOfOld() {
        return protocol.equals("DTLS/SCTP") && sctpmap;
    }

    boolean isRtp() {
        return protocol.contains("RTP/");
    }

    /** RFC 8866 5.7: the transport as it was offered, {@code UDP/TLS/RTP/SAVPF}. */
    public String protocol() {
        return protocol;
    }

    /** Formats in order of preference; for RTP, payload types. */
    public List<String> formats() {
        return formats;
    }

    /** Its identification tag, RFC 5888; null when it has none. */
    public @Nullable String findMid() {
        return mid;
    }

    public boolean hasRtcpMux() {
        return rtcpMux;
    }

    /** RFC 9143 6: port 0 switches a section off, unless it only waits for its bundle. */
    public boolean isOffered() {
        return port != 0 || bundleOnly;
    }

    /** The audio codecs in order of preference. Formats without a known mapping are left out. */
    public List<SdpCodec> codecs() {
        List<SdpCodec> codecs = new ArrayList<>();
        for (String format : formats) {
            int type = isAudio() && isRtp() ? Integer.parseInt(format) : -1;
            SdpCodec codec = rtpmaps.get(type);
            if (codec != null) {
                codecs.add(
                        new SdpCodec(
                                type,
                                codec.name(),
                                codec.clockRateHz(),
                                codec.channels(),
                                fmtps.getOrDefault(type, Map.of())));
            }
        }
        return codecs;
    }

    /** The preferred Opus entry that can be told from RTCP; null when there is none. */
    public @Nullable SdpCodec findOpus() {
        return codecs().stream()
                .filter(codec -> codec.isOpus() && !codec.isMistakenForRtcp())
                .findFirst()
                .orElse(null);
    }

    /** Opus if there is any, else the preferred of the two G.711 laws; null when none is there. */
    @Nullable SdpCodec findVoice() {
        SdpCodec opus = findOpus();
        if (opus != null) {
            return opus;
        }
        return codecs().stream()
                .filter(codec -> codec.isG711() && !codec.isMistakenForRtcp())
                .findFirst()
                .orElse(null);
    }

    /** Redundant audio, RFC 2198, that carries this codec alone; null when there is none. */
    @Nullable SdpCodec findRed(SdpCodec voice) {
        String type = String.valueOf(voice.payloadType());
        return codecs().stream()
                .filter(codec -> codec.is("red", voice.clockRateHz()) && !codec.isMistakenForRtcp())
                // RFC 2198 5: a=fmtp:63 111/111 lists what the blocks may hold.
                .filter(
                        codec ->
                                List.of(codec.parameters().getOrDefault("", "").split("/")).stream()
                                        .allMatch(type::equals))
                .findFirst()
                .orElse(null);
    }

    /**
     * Telephone events, RFC 4733, on the codec's clock, or else on that of 8 kHz, which some
     * clients keep whatever the codec's; null when there are none.
     */
    @Nullable SdpCodec findDtmf(SdpCodec voice) {
        SdpCodec matching = findCodec("telephone-event", voice.clockRateHz());
        SdpCodec found = matching != null ? matching : findCodec("telephone-event", 8_000);
        return found == null || found.isMistakenForRtcp() ? null : found;
    }

    /**
     * The preferred entry of this name and clock, for example {@code ("telephone-event", 48000)};
     * null when there is none.
     */
    public @Nullable SdpCodec findCodec(String name, int clockRateHz) {
        return codecs().stream().filter(c -> c.is(name, clockRateHz)).findFirst().orElse(null);
    }

    /** The offered extension of this URI; null when there is none. */
    public @Nullable SdpExtension findExtension(String uri) {
        return extensions.stream().filter(e -> e.uri().equals(uri)).findFirst().orElse(null);
    }

    /**
     * Whether feedback of any kind is offered for a codec, so that its client reads {@code rtcp-fb}
     * and sends and takes RTCP by the rules of RFC 4585.
     */
    boolean hasFeedback(SdpCodec codec) {
        String type = String.valueOf(codec.payloadType());
        return protocol.endsWith("AVPF") && (feedback.contains("*") || feedback.contains(type));
    }

    /** How much audio a packet to the client should hold, RFC 8866 6.4; 0 when not said. */
    public int ptimeMillis() {
        return ptimeMillis;
    }

    /** How much audio a packet to the client may hold at most, RFC 8866 6.4; 0 when not said. */
    public int maxptimeMillis() {
        return maxptimeMillis;
    }

    /** SSRCs that the offer names, in order; often none. */
    public List<Integer> ssrcs() {
        return Collections.unmodifiableList(ssrcs);
    }
}
