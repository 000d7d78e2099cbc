package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DtlsOutcome.Connected;
import dev.parley.rtc.srtp.SrtpKeys;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import org.jspecify.annotations.Nullable;

/**
 * The SRTP of one call both ways, RFC 3711 3.2. Made on its DTLS thread, since that takes time of
 * which the media loop has none, and the session's from then on.
 */
record SrtpContexts(SrtpSender sender, SrtpReceiver receiver) {
    static SrtpContexts of(SrtpKeys sendKeys, SrtpKeys receiveKeys) {
        return new SrtpContexts(new SrtpSender(sendKeys), new SrtpReceiver(receiveKeys));
    }

    /** Null when the association keys no media. */
    static @Nullable SrtpContexts find(Connected connected) {
        SrtpKeys sendKeys = connected.sendKeys();
        SrtpKeys receiveKeys = connected.receiveKeys();
        return sendKeys == null || receiveKeys == null ? null : of(sendKeys, receiveKeys);
    }
}
