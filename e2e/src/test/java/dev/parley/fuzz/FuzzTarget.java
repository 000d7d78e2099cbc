package dev.parley.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Every fuzz target by its name, with its corpus in {@code resources/fuzz/NAME}. */
public enum FuzzTarget {
    STUN(StunFuzz.class),
    ROUTE(RouteFuzz.class),
    RTP(RtpFuzz.class),
    RTCP(RtcpFuzz.class),
    SRTP(SrtpFuzz.class),
    DTLS(DtlsFuzz.class),
    SDP(SdpFuzz.class),
    FRAGMENT(FragmentFuzz.class),
    OPUS(OpusFuzz.class),
    BODIES(BodiesFuzz.class),
    TOKENS(TokensFuzz.class),
    SCTP(SctpFuzz.class),
    SOCKET(SocketFuzz.class),
    FORWARDED(ForwardedFuzz.class),
    REALTIME(RealtimeFuzz.class);

    private final Class<?> type;

    FuzzTarget(Class<?> type) {
        this.type = type;
    }

    /** The class that Jazzer is given. */
    String className() {
        return type.getName();
    }

    /** As the command line spells it. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Tries one input. */
    void test(byte[] input) {
        switch (this) {
            case STUN -> StunFuzz.fuzzerTestOneInput(input);
            case ROUTE -> RouteFuzz.fuzzerTestOneInput(input);
            case RTP -> RtpFuzz.fuzzerTestOneInput(input);
            case RTCP -> RtcpFuzz.fuzzerTestOneInput(input);
            case SRTP -> SrtpFuzz.fuzzerTestOneInput(input);
            case DTLS -> DtlsFuzz.fuzzerTestOneInput(input);
            case SDP -> SdpFuzz.fuzzerTestOneInput(input);
            case FRAGMENT -> FragmentFuzz.fuzzerTestOneInput(input);
            case OPUS -> OpusFuzz.fuzzerTestOneInput(input);
            case BODIES -> BodiesFuzz.fuzzerTestOneInput(input);
            case TOKENS -> TokensFuzz.fuzzerTestOneInput(input);
            case SCTP -> SctpFuzz.fuzzerTestOneInput(input);
            case SOCKET -> SocketFuzz.fuzzerTestOneInput(input);
            case FORWARDED -> ForwardedFuzz.fuzzerTestOneInput(input);
            case REALTIME -> RealtimeFuzz.fuzzerTestOneInput(input);
        }
    }

    /** The folder of its inputs in the sources. */
    Path corpus() {
        try {
            var folder = FuzzTarget.class.getResource("/fuzz/" + label());
            if (folder == null) {
                throw new IllegalStateException("no corpus resources/fuzz/" + label());
            }
            return Path.of(folder.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Its inputs in the sources, in the order of their names. */
    List<Path> inputs() {
        try (Stream<Path> files = Files.list(corpus())) {
            return files.sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Finds one by its label. */
    static FuzzTarget of(String label) {
        return Stream.of(values())
                .filter(target -> target.label().equals(label))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "no target '" + label + "'; there are " + labels()));
    }

    static String labels() {
        return String.join(", ", Stream.of(values()).map(FuzzTarget::label).toList());
    }
}
