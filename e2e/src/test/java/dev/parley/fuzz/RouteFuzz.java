package dev.parley.fuzz;

import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteToken;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.route.RouteVerdict;
import java.nio.ByteBuffer;
import java.util.Map;

/** What a relay and a transceiver's socket read first: kind, client header and route token. */
public final class RouteFuzz {
    private static final RouteTokens TOKENS =
            new RouteTokens(
                    RouteKeys.of(
                            Map.of(
                                    1,
                                    new byte[16],
                                    2,
                                    new byte[] {
                                        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
                                    })));
    private static final RouteToken TOKEN = new RouteToken();
    private static final ClientHeader HEADER = new ClientHeader();

    private RouteFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuffer packet = Input.placed(input);
        int end = Input.OFFSET + input.length;
        var _ = PacketKind.classify(packet, Input.OFFSET, input.length);
        if (HEADER.wrap(packet, Input.OFFSET, input.length)) {
            Input.demandWithin(
                    HEADER.payloadOffset(), HEADER.payloadLength(), end, "the header's payload");
            var _ = HEADER.clientHigh() ^ HEADER.clientLow() ^ HEADER.clientPort();
            var _ = HEADER.proxyHigh() ^ HEADER.proxyLow() ^ HEADER.proxyPort();
        }
        RouteVerdict verdict = TOKENS.open(packet, Input.OFFSET, input.length, TOKEN);
        if (verdict == RouteVerdict.OPENED) {
            Input.demand(TOKEN.keyId() == 1 || TOKEN.keyId() == 2, "a key that is not there");
        }
    }
}
