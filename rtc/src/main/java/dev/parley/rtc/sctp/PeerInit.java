package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.Codes.Parameter;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the peer says in an INIT or INIT ACK, RFC 9260 3.3.2.
 *
 * @param window the peer's a_rwnd, at most 2^31 - 1
 * @param cookie of an INIT ACK
 * @param unrecognized parameters to report, RFC 9260 3.2.1, one behind the other
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
record PeerInit(
        int tag,
        int window,
        int outboundStreams,
        int inboundStreams,
        int initialTsn,
        Features features,
        byte @Nullable [] cookie,
        byte[] unrecognized) {
    private static final int FIXED_LENGTH = 16;
    private static final int MAX_REPORTED = 512;

    /** Extensions of one side. */
    record Features(
            boolean partialReliability,
            boolean reconfiguration,
            boolean interleaving,
            boolean zeroChecksum) {
        Features and(Features other) {
            return new Features(
                    partialReliability && other.partialReliability,
                    reconfiguration && other.reconfiguration,
                    interleaving && other.interleaving,
                    zeroChecksum && other.zeroChecksum);
        }

        int bits() {
            return (partialReliability ? 1 : 0)
                    | (reconfiguration ? 2 : 0)
                    | (interleaving ? 4 : 0)
                    | (zeroChecksum ? 8 : 0);
        }

        static Features ofBits(int bits) {
            return new Features((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0);
        }
    }

    /** Answers null when it does not parse. */
    static @Nullable PeerInit find(PacketReader chunk) {
        if (chunk.valueLength() < FIXED_LENGTH) {
            return null;
        }
        byte[] bytes = chunk.bytes();
        int at = chunk.valueAt();
        Parameters parameters = new Parameters();
        TlvReader reader =
                new TlvReader(bytes, at + FIXED_LENGTH, chunk.valueLength() - FIXED_LENGTH);
        boolean going = true;
        while (going && reader.next()) {
            going = parameters.take(bytes, reader);
        }
        if (!reader.isWhole()) {
            return null;
        }
        int window = Wire.i32(bytes, at + 4);
        return new PeerInit(
                Wire.i32(bytes, at),
                window < 0 ? Integer.MAX_VALUE : window,
                Wire.u16(bytes, at + 8),
                Wire.u16(bytes, at + 10),
                Wire.i32(bytes, at + 12),
                parameters.features(),
                parameters.cookie,
                parameters.unrecognized.toByteArray());
    }

    /** RFC 9260 3.3.2: none of these may be zero. */
    boolean isValid() {
        return tag != 0 && outboundStreams != 0 && inboundStreams != 0;
    }

    private static final class Parameters {
        private final ByteArrayOutputStream unrecognized = new ByteArrayOutputStream();
        private byte @Nullable [] cookie;
        private boolean forwardTsnParameter;
        private boolean forwardTsnChunk;
        private boolean interleaving;
        private boolean reconfiguration;
        private boolean zeroChecksum;

        /** Answers false when what follows is not to be looked at. */
        boolean take(byte[] bytes, TlvReader parameter) {
            int type = parameter.type();
            switch (type) {
                case Parameter.STATE_COOKIE ->
                        cookie =
                                Arrays.copyOfRange(
                                        bytes,
                                        parameter.valueAt(),
                                        parameter.valueAt() + parameter.valueLength());
                case Parameter.FORWARD_TSN_SUPPORTED -> forwardTsnParameter = true;
                case Parameter.SUPPORTED_EXTENSIONS -> takeExtensions(bytes, parameter);
                case Parameter.ZERO_CHECKSUM_ACCEPTABLE ->
                        zeroChecksum =
                                parameter.valueLength() >= 4
                                        && Wire.i32(bytes, parameter.valueAt())
                                                == Codes.DTLS_ERROR_DETECTION;
                // RFC 8831 5: there is one path, whatever addresses the peer knows.
                case Parameter.IPV4_ADDRESS,
                        Parameter.IPV6_ADDRESS,
                        Parameter.COOKIE_PRESERVATIVE,
                        Parameter.HOST_NAME_ADDRESS,
                        Parameter.SUPPORTED_ADDRESS_TYPES,
                        Parameter.UNRECOGNIZED_PARAMETER -> {}
                default -> {
                    return takeUnknown(bytes, parameter);
                }
            }
            return true;
        }

        // RFC 9260 3.2.1: the two highest bits say whether to go on and whether to report.
        private boolean takeUnknown(byte[] bytes, TlvReader parameter) {
            boolean report = (parameter.type() & 0x4000) != 0;
            int length = Wire.padded(parameter.length());
            if (report && unrecognized.size() + length <= MAX_REPORTED) {
                unrecognized.write(bytes, parameter.at(), parameter.length());
                unrecognized.write(new byte[3], 0, length - parameter.length());
            }
            return (parameter.type() & 0x8000) != 0;
        }

        private void takeExtensions(byte[] bytes, TlvReader parameter) {
            for (int i = 0; i < parameter.valueLength(); i++) {
                switch (Wire.u8(bytes, parameter.valueAt() + i)) {
                    case Chunk.FORWARD_TSN -> forwardTsnChunk = true;
                    case Chunk.RE_CONFIG -> reconfiguration = true;
                    case Chunk.I_DATA -> interleaving = true;
                    default -> {}
                }
            }
        }

        private Features features() {
            return new Features(
                    forwardTsnParameter || forwardTsnChunk,
                    reconfiguration,
                    interleaving,
                    zeroChecksum);
        }
    }
}
