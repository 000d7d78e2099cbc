package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.Codes.Parameter;
import java.util.Arrays;
import java.util.Base64;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * One side's INIT chunk as SDP carries it, draft-hancke-tsvwg-snap: what both have said so they
 * need not say in SCTP, and their association stands as soon as DTLS does. Immutable; belongs to
 * the call.
 */
public final class SctpInit {
    /** As libwebrtc has it. */
    private static final int MAX_BYTES = 2_048;

    private static final byte[] EXTENSIONS = {(byte) Chunk.RE_CONFIG, (byte) Chunk.FORWARD_TSN};
    private static final byte[] EXTENSIONS_INTERLEAVED = {
        (byte) Chunk.RE_CONFIG,
        (byte) Chunk.FORWARD_TSN,
        (byte) Chunk.I_DATA,
        (byte) Chunk.I_FORWARD_TSN,
    };

    private final String text;
    private final PeerInit terms;

    private SctpInit(byte[] chunk, PeerInit terms) {
        this.text = Base64.getEncoder().encodeToString(chunk);
        this.terms = terms;
    }

    /**
     * A new one of ours.
     *
     * @param random a secure one
     */
    public static SctpInit of(SctpConfig config, RandomGenerator random) {
        byte[] packet = new byte[config.packetBytes()];
        PacketWriter writer = new PacketWriter();
        writer.begin(packet, 0, packet.length, 0, 0, 0);
        writer.chunk(Chunk.INIT, 0).i32(newTag(random));
        writeTerms(writer, config, random.nextInt(), true);
        writer.endChunk();
        byte[] chunk = Arrays.copyOfRange(packet, PacketReader.HEADER_LENGTH, writer.finish(true));
        SctpInit made = find(chunk);
        if (made == null) {
            throw new IllegalStateException("our own INIT cannot be read");
        }
        return made;
    }

    /** Reads the value of {@code a=sctp-init}; null unless it is one valid INIT chunk. */
    public static @Nullable SctpInit find(String base64) {
        if (base64.length() > MAX_BYTES) {
            return null;
        }
        try {
            return find(Base64.getDecoder().decode(base64));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable SctpInit find(byte[] chunk) {
        byte[] packet = new byte[PacketReader.HEADER_LENGTH + chunk.length];
        System.arraycopy(chunk, 0, packet, PacketReader.HEADER_LENGTH, chunk.length);
        PacketReader reader = new PacketReader();
        if (!reader.wrap(packet, 0, packet.length)
                || !reader.next()
                || reader.type() != Chunk.INIT) {
            return null;
        }
        PeerInit terms = PeerInit.find(reader);
        return terms == null || !terms.isValid() || reader.next()
                ? null
                : new SctpInit(chunk, terms);
    }

    /** The value of {@code a=sctp-init}. */
    public String text() {
        return text;
    }

    PeerInit terms() {
        return terms;
    }

    static int newTag(RandomGenerator random) {
        int tag = random.nextInt();
        // RFC 9260 5.3.1: any but zero.
        return tag == 0 ? 1 : tag;
    }

    /**
     * RFC 9260 3.3.2, behind the initiate tag.
     *
     * @param offersZeroChecksum Pion up to 1.8.6 drops an INIT or INIT ACK with this parameter
     *     instead of skipping it as RFC 9260 3.2.1 says. So it stands in the first INIT, whose
     *     repetition goes without, and in the INIT ACK for a peer that knows it.
     */
    static void writeTerms(
            PacketWriter packet, SctpConfig config, int initialTsn, boolean offersZeroChecksum) {
        packet.i32(config.receiveWindowBytes());
        packet.u16(config.maxStreams()).u16(config.maxStreams()).i32(initialTsn);
        packet.tlv(Parameter.FORWARD_TSN_SUPPORTED).endTlv();
        byte[] extensions = config.interleaving() ? EXTENSIONS_INTERLEAVED : EXTENSIONS;
        packet.tlv(Parameter.SUPPORTED_EXTENSIONS).raw(extensions, 0, extensions.length).endTlv();
        if (config.zeroChecksum() && offersZeroChecksum) {
            packet.tlv(Parameter.ZERO_CHECKSUM_ACCEPTABLE).i32(Codes.DTLS_ERROR_DETECTION).endTlv();
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SctpInit init && init.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
