package dev.parley.transceiver.audio;

class ConcentusTest extends OpusContract {
    @Override
    OpusLibrary library() {
        return OpusLibrary.concentus();
    }
}
