package dev.parley.transceiver.recording;

import com.google.protobuf.Message;
import dev.parley.transceiver.audio.ClientCodec;

/** One thing that happened in a recorded call, on its way to the thread that writes it down. */
sealed interface TapeEntry {
    /** What an entry itself takes of memory, about. */
    int OVERHEAD_BYTES = 200;

    /** Whose it is. */
    RecordedTape tape();

    /** When it happened. */
    long nanos();

    /** Memory that it holds. */
    int bytes();

    /**
     * A packet of the caller or for it.
     *
     * @param input whether it is the caller's
     * @param atSamples its place at 48 kHz
     * @param samples its length at 48 kHz
     * @param lostSamples audio before it that was lost
     * @param audioLevel the RFC 6464 byte, or negative
     * @param voice 1 for voice, 0 for none, or negative
     */
    @SuppressWarnings("ArrayRecordComponent") // Written once, compared by no one.
    record Packet(
            RecordedTape tape,
            long nanos,
            boolean input,
            byte[] payload,
            long atSamples,
            int samples,
            int lostSamples,
            int audioLevel,
            int voice)
            implements TapeEntry {
        @Override
        public int bytes() {
            return OVERHEAD_BYTES + payload.length;
        }
    }

    /** A message. */
    record Said(RecordedTape tape, long nanos, Speaker by, Message message, int bytes)
            implements TapeEntry {
        Said(RecordedTape tape, long nanos, Speaker by, Message message) {
            this(tape, nanos, by, message, OVERHEAD_BYTES + message.getSerializedSize());
        }
    }

    /** Who says a message. */
    enum Speaker {
        CLIENT,
        EDGE,
        INFERENCE
    }

    /** A key of the caller's telephone. */
    record Key(RecordedTape tape, long nanos, char key, int durationMillis) implements TapeEntry {
        @Override
        public int bytes() {
            return OVERHEAD_BYTES;
        }
    }

    /** A remark. */
    record Note(RecordedTape tape, long nanos, String text) implements TapeEntry {
        @Override
        public int bytes() {
            return OVERHEAD_BYTES + text.length();
        }
    }

    /** What the packets are. */
    record Codec(RecordedTape tape, long nanos, ClientCodec codec) implements TapeEntry {
        @Override
        public int bytes() {
            return OVERHEAD_BYTES;
        }
    }

    /** The call is over. */
    record End(RecordedTape tape, long nanos) implements TapeEntry {
        @Override
        public int bytes() {
            return OVERHEAD_BYTES;
        }
    }
}
