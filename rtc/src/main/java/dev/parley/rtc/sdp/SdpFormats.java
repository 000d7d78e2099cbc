package dev.parley.rtc.sdp;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The payload types of one audio section that both sides use, in the client's numbering.
 *
 * @param voice Opus or, of a client that has none, G.711
 * @param redPayloadType of redundant audio (RFC 2198) whose every block is {@code voice}, {@link
 *     #NONE} when it is not used
 * @param dtmf of telephone events (RFC 4733), or null
 * @param nack whether the client may be asked to send a packet again (RFC 4585 6.2.1)
 */
public record SdpFormats(
        SdpCodec voice, int redPayloadType, @Nullable SdpCodec dtmf, boolean nack) {
    /** Stands for a payload type that was not agreed on. */
    public static final int NONE = -1;

    /** Of a call of data channels alone; its codec stands on no wire. */
    public static final SdpFormats WITHOUT_AUDIO =
            new SdpFormats(new SdpCodec(NONE, "opus", 48_000, 2, Map.of()), NONE, null, false);

    /** Whether there is audio at all. */
    public boolean hasAudio() {
        return voice.payloadType() != NONE;
    }

    /** The same, asking for packets again or not. */
    SdpFormats withNack(boolean other) {
        return new SdpFormats(voice, redPayloadType, dtmf, other);
    }

    /** Payload type of telephone events, or {@link #NONE}. */
    public int dtmfPayloadType() {
        return dtmf == null ? NONE : dtmf.payloadType();
    }

    /** Clock of the durations of telephone events, 0 without them. */
    public int dtmfClockRateHz() {
        return dtmf == null ? 0 : dtmf.clockRateHz();
    }
}
