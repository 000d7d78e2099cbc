package dev.parley.rtc.sdp;

import dev.parley.rtc.ice.IceCredentials;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client adds to its offer later, RFC 8840 9: candidates that it found since, or the
 * credentials of an ICE restart. Immutable. All m-sections of a call share one transport, so it
 * does not matter where in the fragment something stands.
 *
 * @param credentials the client's; null when the fragment names none
 * @param candidates lines with a candidate; what they say is not looked at, since a lite agent
 *     learns where its client is by checks and resolves no names
 * @param endOfCandidates whether the client has found all
 */
public record SdpFragment(
        @Nullable IceCredentials credentials, int candidates, boolean endOfCandidates) {
    /** Characters of the longest fragment that is read. */
    public static final int MAX_LENGTH = 16_384;

    /** Lines of the longest fragment that is read. */
    public static final int MAX_LINES = 500;

    /**
     * Reads a fragment. Lines may end with CRLF or LF; attributes that mean nothing here are passed
     * over.
     *
     * @throws SdpException when it is none, or names one half of credentials only
     */
    public static SdpFragment parse(String text) throws SdpException {
        if (text.length() > MAX_LENGTH) {
            throw new SdpException(
                    1, "", "the fragment is longer than " + MAX_LENGTH + " characters");
        }
        List<String> texts = text.lines().toList();
        if (texts.size() > MAX_LINES) {
            throw new SdpException(
                    MAX_LINES + 1,
                    texts.get(MAX_LINES),
                    "the fragment has more than " + MAX_LINES + " lines");
        }
        Reader reader = new Reader();
        for (int i = 0; i < texts.size(); i++) {
            if (!texts.get(i).isBlank()) {
                reader.take(new SdpLine(i + 1, texts.get(i)));
            }
        }
        return reader.fragment();
    }

    /**
     * Writes what answers a restart, RFC 9725 4.3.3: our credentials and candidates.
     *
     * @param mid of the section that carries the transport, null when sections have none
     */
    public static String answer(
            IceCredentials local, @Nullable String mid, List<SdpCandidate> candidates) {
        StringBuilder text = new StringBuilder(512);
        line(text, "a=ice-lite");
        if (mid != null) {
            line(text, "a=group:BUNDLE " + mid);
        }
        // RFC 8840 9: "m=" lines of a fragment only hold its attributes together.
        line(text, "m=audio 9 UDP/TLS/RTP/SAVPF 0");
        if (mid != null) {
            line(text, "a=mid:" + mid);
        }
        line(text, "a=ice-ufrag:" + local.ufrag());
        line(text, "a=ice-pwd:" + local.password());
        for (int i = 0; i < candidates.size(); i++) {
            line(text, candidates.get(i).line(i));
        }
        line(text, "a=end-of-candidates");
        return text.toString();
    }

    private static void line(StringBuilder text, String line) {
        text.append(line).append("\r\n");
    }

    private static final class Reader {
        private static final String TOGETHER = "ice-ufrag and ice-pwd come together";

        private @Nullable SdpLine ufrag;
        private @Nullable SdpLine password;
        private int candidates;
        private boolean endOfCandidates;

        void take(SdpLine line) throws SdpException {
            if (!line.isWellFormed()) {
                throw line.error("expected a letter, = and a value");
            }
            // RFC 8840 9.2: only a= lines, and m= lines as their heads.
            if (line.type() != 'a' && line.type() != 'm') {
                throw line.error("a fragment has only a= and m= lines");
            }
            if (line.type() == 'm') {
                return;
            }
            switch (line.attribute()) {
                case "ice-ufrag" -> ufrag = same(ufrag, line);
                case "ice-pwd" -> password = same(password, line);
                case "candidate" -> candidates++;
                case "end-of-candidates" -> endOfCandidates = true;
                default -> {}
            }
        }

        /** Sections of one transport repeat its credentials; they cannot differ. */
        private static SdpLine same(@Nullable SdpLine before, SdpLine line) throws SdpException {
            if (before != null && !before.attributeValue().equals(line.attributeValue())) {
                throw line.error(
                        "it differs from line "
                                + before.number()
                                + ", and a call has one transport");
            }
            return line;
        }

        SdpFragment fragment() throws SdpException {
            SdpLine first = ufrag;
            SdpLine second = password;
            if (first == null) {
                if (second != null) {
                    throw second.error(TOGETHER);
                }
                return new SdpFragment(null, candidates, endOfCandidates);
            }
            if (second == null) {
                throw first.error(TOGETHER);
            }
            check(first, 4);
            check(second, 22);
            IceCredentials both =
                    new IceCredentials(first.attributeValue(), second.attributeValue());
            return new SdpFragment(both, candidates, endOfCandidates);
        }

        private static void check(SdpLine line, int minLength) throws SdpException {
            if (!IceCredentials.isIceChars(line.attributeValue(), minLength)) {
                throw line.error("RFC 8839 5.4: " + minLength + " to 256 ice-chars are needed");
            }
        }
    }
}
