package dev.parley.rtc.sdp;

import dev.parley.rtc.ice.IceCredentials;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads one offer, RFC 8866 and RFC 9429 5.8, and is thrown away. */
final class SdpParser {
    private final SdpLevel session = new SdpLevel();
    private final List<SdpMedia> media = new ArrayList<>();
    private final List<List<String>> bundles = new ArrayList<>();

    SdpOffer parse(String text) throws SdpException {
        List<SdpLine> lines = lines(text);
        checkPreamble(lines);
        for (SdpLine line : lines) {
            take(line);
        }
        SdpLine last = lines.getLast();
        if (media.isEmpty()) {
            throw last.error("the offer has no m= line");
        }
        checkMids();
        SdpMedia lead = chooseLead();
        return new SdpOffer(
                media,
                lead,
                lead.isAudio() ? voice(lead) : SdpFormats.WITHOUT_AUDIO.voice(),
                bundle(lead),
                session.extmapAllowMixed,
                lead.isAudio() ? direction(lead) : SdpDirection.INACTIVE,
                transport(lead));
    }

    private static SdpCodec voice(SdpMedia audio) throws SdpException {
        SdpCodec voice = audio.findVoice();
        if (voice == null) {
            throw audio.line.error(
                    audio.codecs().stream().anyMatch(SdpCodec::isOpus)
                            ? "Opus needs a payload type outside 64 to 95, which RFC 5761 keeps for RTCP"
                            : "no common codec: opus/48000/2, PCMU/8000 or PCMA/8000 is needed,"
                                    + " offered is "
                                    + audio.codecs());
        }
        if (!audio.hasRtcpMux()) {
            throw audio.line.error("a=rtcp-mux is missing: RTP and RTCP share one port here");
        }
        return voice;
    }

    private static List<SdpLine> lines(String text) throws SdpException {
        if (text.length() > SdpOffer.MAX_LENGTH) {
            throw new SdpException(
                    1, "", "the offer is longer than " + SdpOffer.MAX_LENGTH + " characters");
        }
        List<String> texts = text.lines().toList();
        int count = texts.size();
        while (count > 0 && texts.get(count - 1).isBlank()) {
            count--;
        }
        if (count == 0) {
            throw new SdpException(1, "", "the offer is empty");
        }
        if (count > SdpOffer.MAX_LINES) {
            throw new SdpException(
                    SdpOffer.MAX_LINES + 1,
                    texts.get(SdpOffer.MAX_LINES),
                    "the offer has more than " + SdpOffer.MAX_LINES + " lines");
        }
        List<SdpLine> lines = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            SdpLine line = new SdpLine(i + 1, texts.get(i));
            if (!line.isWellFormed()) {
                throw line.error("expected a letter, = and a value");
            }
            lines.add(line);
        }
        return lines;
    }

    /** RFC 8866 5: v=, o= and s= begin every description. */
    private static void checkPreamble(List<SdpLine> lines) throws SdpException {
        SdpLine first = lines.getFirst();
        if (!first.text().strip().equals("v=0")) {
            throw first.error("an offer begins with v=0");
        }
        String types = "vos";
        for (int i = 1; i < types.length(); i++) {
            SdpLine line = lines.get(Math.min(i, lines.size() - 1));
            if (i >= lines.size() || line.type() != types.charAt(i)) {
                throw line.error("expected " + types.charAt(i) + "= as line " + (i + 1));
            }
        }
    }

    private void take(SdpLine line) throws SdpException {
        if (line.type() == 'm') {
            if (media.size() == SdpOffer.MAX_MEDIA) {
                throw line.error("more than " + SdpOffer.MAX_MEDIA + " m= lines");
            }
            media.add(new SdpMedia(line));
        } else if (line.type() == 'a' && !media.isEmpty()) {
            media.getLast().take(line);
        } else if (line.type() == 'a') {
            takeSession(line);
        }
    }

    private void takeSession(SdpLine line) throws SdpException {
        switch (line.attribute()) {
            case "group" -> {
                List<String> words = List.of(line.attributeValue().split(" +", -1));
                if (words.getFirst().equals("BUNDLE")) {
                    bundles.add(words.subList(1, words.size()));
                }
            }
            // RFC 8445 2.5: of two lite agents neither would send a check.
            case "ice-lite" ->
                    throw line.error("this edge is ICE-lite, so the client must be full ICE");
            default -> session.take(line);
        }
    }

    private void checkMids() throws SdpException {
        Set<String> seen = new HashSet<>();
        for (SdpMedia section : media) {
            String mid = section.findMid();
            if (mid != null && !seen.add(mid)) {
                throw section.line.error("another m-section has the mid " + mid + " as well");
            }
        }
    }

    /**
     * The first section with Opus, else with G.711, else the first audio that is offered, to say
     * what it lacks; without any audio the first data channels.
     */
    private SdpMedia chooseLead() throws SdpException {
        List<SdpMedia> offered = media.stream().filter(m -> m.isAudio() && m.isOffered()).toList();
        if (offered.isEmpty()) {
            return chooseData();
        }
        for (SdpMedia section : offered) {
            if (section.findOpus() != null) {
                return checkProtocol(section);
            }
        }
        for (SdpMedia section : offered) {
            if (section.findVoice() != null) {
                return checkProtocol(section);
            }
        }
        return checkProtocol(offered.getFirst());
    }

    private SdpMedia chooseData() throws SdpException {
        for (SdpMedia section : media) {
            if (section.isOffered() && section.findData() != null) {
                return section;
            }
        }
        String kinds = media.stream().map(SdpMedia::kind).collect(Collectors.joining(", "));
        throw media.getFirst()
                .line
                .error("an audio or data channel m-section is needed, offered is only: " + kinds);
    }

    /** RFC 9429 5.1.2: these names all mean RTP over DTLS-SRTP. */
    private static SdpMedia checkProtocol(SdpMedia audio) throws SdpException {
        return switch (audio.protocol()) {
            case "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP" -> audio;
            default ->
                    throw audio.line.error(
                            "audio must be UDP/TLS/RTP/SAVPF, not " + audio.protocol());
        };
    }

    private SdpDirection direction(SdpMedia audio) {
        SdpDirection own = audio.level.direction;
        SdpDirection shared = own == null ? session.direction : own;
        return shared == null ? SdpDirection.SENDRECV : shared;
    }

    private SdpTransport transport(SdpMedia audio) throws SdpException {
        SdpLevel bundled = bundleLevel(audio);
        String ufrag = first(audio.level.ufrag, bundled.ufrag, session.ufrag);
        if (ufrag == null) {
            throw audio.line.error("a=ice-ufrag is missing, here and at session level");
        }
        String password = first(audio.level.password, bundled.password, session.password);
        if (password == null) {
            throw audio.line.error("a=ice-pwd is missing, here and at session level");
        }
        return new SdpTransport(
                new IceCredentials(ufrag, password),
                fingerprints(audio, bundled),
                setup(first(audio.level.setup, bundled.setup, session.setup)),
                audio.level.sped || bundled.sped || session.sped);
    }

    /**
     * RFC 9143 7.2.1: a bundle-only section leaves its transport to the section that the group
     * names first.
     */
    private SdpLevel bundleLevel(SdpMedia audio) {
        List<String> bundle = bundle(audio);
        for (SdpMedia section : media) {
            if (!bundle.isEmpty() && bundle.getFirst().equals(section.findMid())) {
                return section.level;
            }
        }
        return audio.level;
    }

    /** RFC 9143 7: an offer may have several groups, a section is in one of them at most. */
    private List<String> bundle(SdpMedia section) {
        String mid = section.findMid();
        return mid == null
                ? List.of()
                : bundles.stream()
                        .filter(group -> group.contains(mid))
                        .findFirst()
                        .orElse(List.of());
    }

    private List<SdpFingerprint> fingerprints(SdpMedia audio, SdpLevel bundled)
            throws SdpException {
        for (SdpLevel level : List.of(audio.level, bundled, session)) {
            if (!level.fingerprints.isEmpty()) {
                if (level.fingerprints.stream()
                        .allMatch(f -> SdpFingerprint.hashLength(f.algorithm()) == 0)) {
                    throw audio.line.error(
                            "no a=fingerprint with sha-256, sha-384 or sha-512: "
                                    + level.fingerprints);
                }
                return List.copyOf(level.fingerprints);
            }
        }
        throw audio.line.error("a=fingerprint is missing, here and at session level");
    }

    private static SdpSetup setup(@Nullable SdpSetup setup) {
        // RFC 4145 4: "The default value of the setup attribute in an offer/answer exchange is
        // 'active' in the offer".
        return setup == null ? SdpSetup.ACTIVE : setup;
    }

    private static <T> @Nullable T first(
            @Nullable T own, @Nullable T bundled, @Nullable T session) {
        if (own != null) {
            return own;
        }
        return bundled != null ? bundled : session;
    }
}
