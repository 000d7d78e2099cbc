package dev.parley.transceiver.recording;

import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.G711;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/** A file that one direction's packets are written to, in order and on their clock. */
public interface PacketFile extends AutoCloseable {
    /** A file that takes what clients of this codec send: Ogg Opus, or WAV of G.711. */
    static PacketFile of(SeekableByteChannel file, ClientCodec codec) throws IOException {
        return switch (codec) {
            case OPUS ->
                    new OggOpusWriter(
                            new BufferedOutputStream(Channels.newOutputStream(file)),
                            ThreadLocalRandom.current().nextInt());
            case PCMU -> new G711Writer(file, G711.MULAW);
            case PCMA -> new G711Writer(file, G711.ALAW);
        };
    }

    /** Makes such a file, or makes one that is there anew. */
    static PacketFile create(Path path, ClientCodec codec) throws IOException {
        return of(
                Files.newByteChannel(
                        path,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE),
                codec);
    }

    /**
     * Adds a packet behind silence that reaches up to it.
     *
     * @param atSamples its place at 48 kHz
     * @param samples its length at 48 kHz
     * @return where it stands in the file, for who reads it again; negative when it could not be
     *     kept
     */
    long add(byte[] packet, long atSamples, int samples) throws IOException;

    /** Bytes that it takes of the disk by now, the silence and what is about to be written too. */
    long bytes();

    @Override
    void close() throws IOException;
}
