package dev.parley.rtc.sctp;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** INIT chunks in SDP, draft-hancke-tsvwg-snap. */
class SctpInitTest {
    private final SctpInit left = SctpInit.of(SctpConfig.DEFAULT, new Random(1));
    private final SctpInit right = SctpInit.of(SctpConfig.DEFAULT, new Random(2));

    private static SctpInit read(String text) {
        return requireNonNull(SctpInit.find(text));
    }

    @Test
    void isReadAsItWasWritten() {
        SctpInit again = read(left.text());

        assertThat(again).isEqualTo(left).isNotEqualTo(right);
        assertThat(again.terms().tag()).isEqualTo(left.terms().tag()).isNotZero();
        assertThat(again.terms().window()).isEqualTo(SctpConfig.DEFAULT.receiveWindowBytes());
        assertThat(again.terms().features().zeroChecksum()).isTrue();
        // An answer has to fit 2,047 bytes.
        assertThat(left.text().length()).isLessThan(80);
    }

    @Test
    void refusesWhatIsNotOneWholeValidInit() {
        byte[] chunk = Base64.getDecoder().decode(left.text());
        for (int length = 0; length < chunk.length; length++) {
            assertThat(SctpInit.find(text(Arrays.copyOf(chunk, length)))).isNull();
        }
        assertThat(SctpInit.find(text(changed(chunk, 0, 2)))).as("INIT ACK").isNull();
        byte[] tagless = chunk.clone();
        Arrays.fill(tagless, 4, 8, (byte) 0);
        assertThat(SctpInit.find(text(tagless))).as("tag 0").isNull();
        byte[] twice = Arrays.copyOf(chunk, 2 * chunk.length);
        System.arraycopy(chunk, 0, twice, chunk.length, chunk.length);
        assertThat(SctpInit.find(text(twice))).as("two chunks").isNull();
        assertThat(SctpInit.find("*")).as("no base64").isNull();
        assertThat(SctpInit.find("A".repeat(4_000))).as("too long").isNull();
    }

    @Test
    void survivesWhateverStandsThere() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] chunk = Base64.getDecoder().decode(left.text());
            chunk[random.nextInt(chunk.length)] = (byte) random.nextInt();
            chunk[random.nextInt(chunk.length)] = (byte) random.nextInt();
            SctpInit found = SctpInit.find(text(chunk));
            assertThat(found == null || found.terms().isValid()).isTrue();
        }
    }

    private static byte[] changed(byte[] chunk, int at, int value) {
        byte[] copy = chunk.clone();
        copy[at] = (byte) value;
        return copy;
    }

    private static String text(byte[] chunk) {
        return Base64.getEncoder().encodeToString(chunk);
    }

    @Test
    void theFirstMessageArrivesOnOneWayWithoutAHandshake() {
        SctpPair pair = new SctpPair(1, SctpPair.link(0, 50));
        pair.left.establish(left, read(right.text()));
        pair.right.establish(right, read(left.text()));
        assertThat(pair.left.association.state()).isEqualTo(Association.State.ESTABLISHED);

        assertThat(pair.left.send(0, new byte[] {1, 2, 3})).isEqualTo(SendResult.ACCEPTED);
        assertThat(pair.right.send(1, new byte[100_000])).isEqualTo(SendResult.ACCEPTED);
        pair.run(60 * SctpPair.MILLIS);
        assertThat(pair.right.events).hasAtLeastOneElementOfType(SctpEvent.Message.class);

        pair.run(5 * SctpPair.SECOND);
        assertThat(pair.left.events).hasAtLeastOneElementOfType(SctpEvent.Message.class);
        assertThat(pair.left.association.isZeroChecksum()).isTrue();
        assertThat(pair.left.association.bufferedBytes()).isZero();
    }
}
