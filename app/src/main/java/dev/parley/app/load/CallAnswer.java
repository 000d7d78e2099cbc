package dev.parley.app.load;

import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.dtls.Fingerprint;
import dev.parley.rtc.ice.IceCredentials;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an answer tells a client.
 *
 * @param candidates where to send, best first; not empty
 * @param fingerprint of the server's certificate
 * @param role ours in DTLS, the other than the answer's
 */
public record CallAnswer(
        IceCredentials remote,
        List<InetSocketAddress> candidates,
        Fingerprint fingerprint,
        DtlsRole role) {
    private static final Pattern UFRAG = Pattern.compile("(?m)^a=ice-ufrag:(\\S+)");
    private static final Pattern PASSWORD = Pattern.compile("(?m)^a=ice-pwd:(\\S+)");
    private static final Pattern FINGERPRINT =
            Pattern.compile("(?m)^a=fingerprint:(\\S+)\\s+(\\S+)");
    private static final Pattern SETUP = Pattern.compile("(?m)^a=setup:(\\S+)");
    private static final Pattern CANDIDATE =
            Pattern.compile("(?m)^a=candidate:\\S+ 1 (?i:udp) \\d+ (\\S+) (\\d+) typ");

    /**
     * Reads an answer.
     *
     * @throws IllegalArgumentException when it lacks what a call needs; the message names it
     */
    public static CallAnswer parse(String sdp) {
        Matcher fingerprint = find(FINGERPRINT, sdp, "a=fingerprint");
        String setup = find(SETUP, sdp, "a=setup").group(1);
        return new CallAnswer(
                new IceCredentials(
                        find(UFRAG, sdp, "a=ice-ufrag").group(1),
                        find(PASSWORD, sdp, "a=ice-pwd").group(1)),
                candidates(sdp),
                new Fingerprint(fingerprint.group(1), fingerprint.group(2)),
                setup.equals("passive") ? DtlsRole.CLIENT : DtlsRole.SERVER);
    }

    private static List<InetSocketAddress> candidates(String sdp) {
        List<InetSocketAddress> candidates =
                CANDIDATE
                        .matcher(sdp)
                        .results()
                        // Never a name: mDNS and the like are not to be resolved.
                        .filter(each -> each.group(1).matches("[0-9.]+|[0-9a-fA-F:.]*:.*"))
                        .map(
                                each ->
                                        new InetSocketAddress(
                                                InetAddress.ofLiteral(each.group(1)),
                                                Integer.parseInt(each.group(2))))
                        .toList();
        if (candidates.isEmpty()) {
            throw new IllegalArgumentException("the answer has no a=candidate for UDP");
        }
        return candidates;
    }

    private static Matcher find(Pattern pattern, String sdp, String what) {
        Matcher matcher = pattern.matcher(sdp);
        if (!matcher.find()) {
            throw new IllegalArgumentException("the answer has no " + what);
        }
        return matcher;
    }
}
