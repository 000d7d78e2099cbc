package dev.parley.transceiver.audio;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;

/**
 * One loaded libopus. Immutable; shared by all threads. Codec states live in memory of ours
 * (libopus allocates nothing), so that an arena frees them.
 */
final class NativeOpus implements OpusLibrary {
    private static final Linker LINKER = Linker.nativeLinker();

    private final String versionText;
    private final String origin;
    final MethodHandle encoderGetSize;
    final MethodHandle encoderInit;
    final MethodHandle encoderSet;
    final MethodHandle encoderReset;
    final MethodHandle encode;
    final MethodHandle decoderGetSize;
    final MethodHandle decoderInit;
    final MethodHandle decoderReset;
    final MethodHandle decode;

    /**
     * @throws IllegalArgumentException when the library lacks a function
     */
    NativeOpus(SymbolLookup library, String origin) {
        this.origin = origin;
        FunctionDescriptor getSize = FunctionDescriptor.of(JAVA_INT, JAVA_INT);
        encoderGetSize = bind(library, "opus_encoder_get_size", getSize);
        decoderGetSize = bind(library, "opus_decoder_get_size", getSize);
        encoderInit =
                bind(
                        library,
                        "opus_encoder_init",
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT));
        decoderInit =
                bind(
                        library,
                        "opus_decoder_init",
                        FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
        // The ctl functions are variadic after (state, request).
        FunctionDescriptor set = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
        FunctionDescriptor plain = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT);
        Linker.Option variadic = Linker.Option.firstVariadicArg(2);
        encoderSet = bind(library, "opus_encoder_ctl", set, variadic);
        encoderReset = bind(library, "opus_encoder_ctl", plain, variadic);
        decoderReset = bind(library, "opus_decoder_ctl", plain, variadic);
        encode =
                bind(
                        library,
                        "opus_encode",
                        FunctionDescriptor.of(
                                JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT));
        decode =
                bind(
                        library,
                        "opus_decode",
                        FunctionDescriptor.of(
                                JAVA_INT, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
        versionText = readVersion(library);
    }

    @SuppressWarnings("restricted") // Descriptors above are those of opus.h.
    private static MethodHandle bind(
            SymbolLookup library,
            String name,
            FunctionDescriptor descriptor,
            Linker.Option... options) {
        return LINKER.downcallHandle(symbol(library, name), descriptor, options);
    }

    private static MemorySegment symbol(SymbolLookup library, String name) {
        return library.find(name)
                .orElseThrow(() -> new IllegalArgumentException("libopus without " + name));
    }

    @SuppressWarnings("restricted") // A constant string of a few characters.
    private static String readVersion(SymbolLookup library) {
        MethodHandle version =
                bind(library, "opus_get_version_string", FunctionDescriptor.of(ADDRESS));
        try {
            MemorySegment text = (MemorySegment) version.invokeExact();
            return text.reinterpret(256).getString(0);
        } catch (Throwable unexpected) {
            throw failed(unexpected);
        }
    }

    /**
     * A downcall throws only for faults of the caller, such as a wrong thread or a closed codec.
     */
    static RuntimeException failed(Throwable unexpected) {
        return switch (unexpected) {
            case Error error -> throw error;
            case RuntimeException exception -> exception;
            default -> new IllegalStateException(unexpected);
        };
    }

    OpusVersion version() {
        return OpusVersion.parse(versionText);
    }

    @Override
    public String description() {
        return versionText + " (" + origin + ")";
    }

    @Override
    public OpusEncoder newEncoder(int sampleRateHz) {
        return new NativeOpusEncoder(this, sampleRateHz);
    }

    @Override
    public OpusDecoder newDecoder(int sampleRateHz) {
        return new NativeOpusDecoder(this, sampleRateHz);
    }
}
