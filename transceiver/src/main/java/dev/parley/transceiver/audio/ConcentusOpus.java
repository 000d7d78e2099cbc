package dev.parley.transceiver.audio;

/** Opus in Java: slower than libopus and allocating, but it runs wherever Java does. */
final class ConcentusOpus implements OpusLibrary {
    @Override
    public String description() {
        return "Concentus (Java)";
    }

    @Override
    public OpusEncoder newEncoder(int sampleRateHz) {
        return new ConcentusEncoder(sampleRateHz);
    }

    @Override
    public OpusDecoder newDecoder(int sampleRateHz) {
        return new ConcentusDecoder(sampleRateHz);
    }
}
