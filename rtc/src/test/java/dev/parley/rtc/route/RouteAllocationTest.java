package dev.parley.rtc.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.AllocationProbe;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RouteAllocationTest {
    private static final int ROUNDS = 20_000;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(256);
    private long sum;

    @Test
    void writesReadsAndClassifiesWithoutAllocating() {
        ClientHeader header = new ClientHeader();

        double bytes =
                AllocationProbe.bytesPerRound(
                        () -> {
                            ClientHeader.write(buffer, 0, 1, 2, 3, 4, 5, 6);
                            if (header.wrap(buffer, 0, 100)
                                    && PacketKind.classify(buffer, 0, 100)
                                            == PacketKind.CLIENT_HEADER) {
                                sum += header.clientLow() + header.proxyPort();
                            }
                        },
                        ROUNDS);

        assertThat(bytes).isLessThan(1);
        assertThat(sum).isEqualTo(8L * (ROUNDS + 30_000));
    }

    @Test
    void opensTokensWithoutAllocatingGenuineOrNot() {
        RouteTokens tokens = new RouteTokens(RouteKeys.of(Map.of(1, new byte[16])));
        RouteToken route = new RouteToken();
        String genuine = tokens.mint(1, 1, 2, 3, 0, 0xFFFF_0A00_0001L, 4);
        String forged = genuine.substring(0, 40) + "AAAAAAAAA" + genuine.substring(49);
        buffer.put(0, genuine.getBytes(StandardCharsets.US_ASCII));
        buffer.put(100, forged.getBytes(StandardCharsets.US_ASCII));

        double bytes =
                AllocationProbe.bytesPerRound(
                        () -> {
                            if (tokens.open(buffer, 0, 50, route) == RouteVerdict.OPENED
                                    && tokens.open(buffer, 100, 50, route) == RouteVerdict.FORGED) {
                                sum += route.port();
                            }
                        },
                        ROUNDS);

        assertThat(bytes).isLessThan(1);
        assertThat(sum).isEqualTo(4L * (ROUNDS + 30_000));
    }
}
