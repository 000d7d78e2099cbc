package dev.parley.otel.trace;

import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/**
 * A call as a trace: its 16-byte session id is the trace id. All that a part of the fleet has to
 * know to join the trace follows from the id, so that nobody looks anything up: the lowest bit of
 * the high half says whether the trace is sampled, the low half is the span id of the request that
 * started the call, the high half that of the call itself.
 *
 * <p>The sampled bit lies in the first 12 bytes, which a route token's tag vouches for. It is none
 * of the seven bytes that W3C Trace Context wants to be random.
 *
 * @param high the first 8 bytes of the id
 * @param low the last 8 bytes
 */
public record CallTrace(long high, long low) {
    /** Bytes of an id. */
    public static final int BYTES = 16;

    private static final long SAMPLED = 1;

    /**
     * A new id.
     *
     * @param random one that cannot be foreseen
     * @param ratio share of calls whose trace is sampled, 0 to 1
     */
    public static CallTrace mint(RandomGenerator random, double ratio) {
        boolean sampled = random.nextDouble() < ratio;
        while (true) {
            long high = (random.nextLong() & ~SAMPLED) | (sampled ? SAMPLED : 0);
            long low = random.nextLong();
            // W3C Trace Context 3.2.2: no id is all zero.
            if (high != 0 && low != 0 && high != low) {
                return new CallTrace(high, low);
            }
        }
    }

    /**
     * Reads the wire form.
     *
     * @throws IllegalArgumentException unless there are 16 bytes
     */
    public static CallTrace of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a session id has 16 bytes");
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new CallTrace(buffer.getLong(), buffer.getLong());
    }

    /**
     * Reads 32 hexadecimal digits.
     *
     * @throws IllegalArgumentException when it is something else
     */
    public static CallTrace parse(String hex) {
        return of(HexFormat.of().parseHex(hex));
    }

    /** The wire form. */
    public byte[] bytes() {
        return ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
    }

    /** Whether its spans are exported. */
    public boolean isSampled() {
        return (high & SAMPLED) != 0;
    }

    static boolean isSampled(String traceId) {
        return (HexFormat.fromHexDigitsToLong(traceId, 0, 16) & SAMPLED) != 0;
    }

    /** The span of the request that started the call. */
    public SpanContext root() {
        return context(SpanId.fromLong(low));
    }

    /** The span of the call itself. */
    public SpanContext call() {
        return context(SpanId.fromLong(high));
    }

    private SpanContext context(String spanId) {
        return SpanContext.createFromRemoteParent(
                toString(),
                spanId,
                isSampled() ? TraceFlags.getSampled() : TraceFlags.getDefault(),
                TraceState.getDefault());
    }

    /** 32 lower-case hexadecimal digits. */
    @Override
    public String toString() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(high) + hex.toHexDigits(low);
    }
}
