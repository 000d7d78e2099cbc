package dev.parley.transceiver.audio;

/** Decodes one stream of Opus; its packets may be stereo. Allocates nothing with libopus. */
public interface OpusDecoder extends PcmDecoder {}
