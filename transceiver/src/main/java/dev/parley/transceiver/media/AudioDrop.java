package dev.parley.transceiver.media;

/** Why audio was dropped between RTP and inference; each has its counter. */
public enum AudioDrop {
    /** Input whose payload is no Opus packet. */
    INPUT_MALFORMED,
    /** Input that came while the codec thread was more than a second behind. */
    INPUT_CODEC_BEHIND,
    /** Input that the decoder refused. */
    INPUT_UNDECODABLE,
    /** The oldest input that waited, because inference reads too slowly. */
    INPUT_INFERENCE_SLOW,
    /** The oldest input that waited, because the stream to inference broke and none goes on yet. */
    INPUT_INFERENCE_LOST,
    /** Output that is empty, no Opus packet, or too long for a datagram. */
    OUTPUT_INVALID,
    /** Output of a response that was cleared before. */
    OUTPUT_CLEARED
}
