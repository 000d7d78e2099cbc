package dev.parley.transceiver.session;

import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sctp.SctpInit;
import dev.parley.rtc.sdp.SdpData;
import dev.parley.rtc.sdp.SdpOffer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What a call's offer and answer say of its SCTP association, draft-hancke-tsvwg-snap: it stands
 * when DTLS does, two round trips sooner. The same in all answers of a call.
 */
public record Snap(SctpInit own, SctpInit clients) {
    /**
     * Null unless the offer has a valid INIT; then nothing is answered, and SCTP shakes hands.
     *
     * @param random a secure one
     */
    public static @Nullable Snap find(SdpOffer offer, RandomGenerator random) {
        SdpData data = offer.findDataTerms();
        String text = data == null ? null : data.sctpInit();
        SctpInit clients = text == null ? null : SctpInit.find(text);
        return clients == null ? null : new Snap(SctpInit.of(SctpConfig.DEFAULT, random), clients);
    }
}
