package dev.parley.e2e.drill;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.rtc.route.RouteTokens;
import dev.parley.rtc.stun.StunWriter;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;

/** STUN checks whose ufrag leads to one transceiver, each of a session of its own. */
final class RouteChecks {
    private final InetSocketAddress transceiver;
    private final RouteTokens tokens;

    RouteChecks(InetSocketAddress transceiver) {
        this.transceiver = transceiver;
        byte[] key = HexFormat.of().parseHex(RelaySystem.ROUTE_KEY);
        tokens = new RouteTokens(RouteKeys.of(Map.of(RelaySystem.ROUTE_KEY_ID, key)));
    }

    ByteBuffer check(int session) {
        long low =
                0xFFFF_0000_0000L | ByteBuffer.wrap(transceiver.getAddress().getAddress()).getInt();
        String ufrag =
                tokens.mint(
                        RelaySystem.ROUTE_KEY_ID,
                        session + 1,
                        (long) session << 32,
                        RelaySystem.CLUSTER,
                        0,
                        low,
                        transceiver.getPort());
        ByteBuffer check = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
        int length =
                new StunWriter()
                        .bindingRequest(check, 0, 1, session)
                        .username(ufrag + ":client")
                        .fingerprint()
                        .length();
        return check.slice(0, length);
    }
}
