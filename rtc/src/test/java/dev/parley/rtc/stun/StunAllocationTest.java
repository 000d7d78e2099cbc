package dev.parley.rtc.stun;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.AllocationProbe;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class StunAllocationTest {
    private static final int ROUNDS = 20_000;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(StunWriter.MAX_LENGTH);
    private final StunReader reader = new StunReader();
    private long sum;

    @Test
    void readsACheckWithoutAllocating() {
        int length =
                new StunWriter()
                        .bindingRequest(buffer, 0, 1, 2)
                        .username("a".repeat(50) + ":abcd")
                        .iceControlling(3)
                        .priority(4)
                        .useCandidate()
                        .attribute(0x7777, new byte[5])
                        .integrity(StunIntegrity.shortTerm("passwordpasswordpassword"))
                        .fingerprint()
                        .length();

        double bytes =
                AllocationProbe.bytesPerRound(
                        () -> {
                            if (reader.wrap(buffer, 0, length)
                                    && reader.isBindingRequest()
                                    && reader.hasValidFingerprint()) {
                                sum += reader.receiverUfragLength();
                            }
                        },
                        ROUNDS);

        assertThat(bytes).isLessThan(1);
        assertThat(sum).isEqualTo(50L * (ROUNDS + 30_000));
    }
}
