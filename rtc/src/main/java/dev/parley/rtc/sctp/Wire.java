package dev.parley.rtc.sctp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Numbers in network byte order in a byte array, and the arithmetic of serial numbers. */
final class Wire {
    private static final VarHandle SHORT =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private Wire() {}

    static int u8(byte[] bytes, int at) {
        return bytes[at] & 0xFF;
    }

    static int u16(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xFFFF;
    }

    static int i32(byte[] bytes, int at) {
        return (int) INT.get(bytes, at);
    }

    static long i64(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void put16(byte[] bytes, int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }

    static void put32(byte[] bytes, int at, int value) {
        INT.set(bytes, at, value);
    }

    static void put64(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    /** The number whose low 32 bits are on the wire and that is nearest to one already known. */
    static long extend(int onWire, long near) {
        return near + (onWire - (int) near);
    }

    /** RFC 1982: whether the 16-bit number {@code a} comes before {@code b}. */
    static boolean isBefore16(int a, int b) {
        return (short) (a - b) < 0;
    }

    /** Length with the padding that RFC 9260 3.2 puts behind chunks and parameters. */
    static int padded(int length) {
        return (length + 3) & ~3;
    }
}
