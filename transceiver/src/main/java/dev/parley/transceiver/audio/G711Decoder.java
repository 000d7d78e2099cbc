package dev.parley.transceiver.audio;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Decodes one stream of G.711 to 8 kHz or a multiple. What is lost is made up by going on with the
 * last period of the voice, more and more quietly, in the manner of G.711 appendix I. Owned by one
 * thread; allocates nothing.
 */
public final class G711Decoder implements PcmDecoder {
    private static final int RATE_HZ = 8_000;

    /** Voices from 66 to 200 Hz; a higher one is found at a multiple of its period. */
    private static final int MIN_PERIOD = 40;

    private static final int MAX_PERIOD = 120;
    private static final int COMPARED = 160;
    private static final int HISTORY = MAX_PERIOD + COMPARED;

    /** G.711 appendix I: full for 10 ms, then down by a fifth every 10 ms. */
    private static final int FULL_SAMPLES = 80;

    private static final int FADED_SAMPLES = 480;

    /** Made-up and real audio are blended for 4 ms. */
    private static final int BLEND = 32;

    private final G711 law;
    private final int factor;
    private final Upsampler upsampler;
    private final short[] narrow = new short[RATE_HZ / 1000 * MAX_PACKET_MILLIS];
    private final short[] history = new short[HISTORY];
    private final short[] lastPeriod = new short[MAX_PERIOD];
    private int period;
    private int concealed;

    /**
     * @param sampleRateHz a multiple of 8,000
     */
    public G711Decoder(G711 law, int sampleRateHz) {
        if (!OpusLibrary.supportsRate(sampleRateHz)) {
            throw new IllegalArgumentException("sample rate " + sampleRateHz);
        }
        this.law = law;
        factor = sampleRateHz / RATE_HZ;
        upsampler = new Upsampler(factor, narrow.length);
    }

    @Override
    public int sampleRateHz() {
        return factor * RATE_HZ;
    }

    @Override
    public int decode(ByteBuffer packet, int offset, int length, short[] pcm, int pcmOffset) {
        if (length <= 0 || length > narrow.length) {
            return OpusError.INVALID_PACKET.code();
        }
        for (int i = 0; i < length; i++) {
            narrow[i] = law.decode(packet.get(offset + i));
        }
        if (concealed > 0) {
            int blended = Math.min(BLEND, length);
            for (int i = 0; i < blended; i++) {
                int madeUp = next(i);
                narrow[i] = (short) (madeUp + (narrow[i] - madeUp) * (i + 1) / (blended + 1));
            }
            concealed = 0;
        }
        remember(length);
        return upsampler.raise(narrow, length, pcm, pcmOffset);
    }

    @Override
    public int recover(
            ByteBuffer nextPacket,
            int offset,
            int length,
            int samples,
            short[] pcm,
            int pcmOffset) {
        return conceal(samples, pcm, pcmOffset);
    }

    @Override
    public int conceal(int samples, short[] pcm, int pcmOffset) {
        int count = samples / factor;
        if (count <= 0 || count > narrow.length || samples % factor != 0) {
            return OpusError.BAD_ARGUMENT.code();
        }
        if (concealed == 0) {
            period = findPeriod();
            System.arraycopy(history, HISTORY - period, lastPeriod, 0, period);
        }
        for (int i = 0; i < count; i++) {
            narrow[i] = (short) next(i);
        }
        concealed += count;
        remember(count);
        return upsampler.raise(narrow, count, pcm, pcmOffset);
    }

    /** Sample {@code i} from here if the voice went on with its last period, but fainter. */
    private int next(int i) {
        int age = concealed + i;
        return (lastPeriod[age % period] * gain(age)) >> 14;
    }

    private static int gain(int age) {
        return age < FULL_SAMPLES
                ? 1 << 14
                : Math.max(0, (1 << 14) * (FADED_SAMPLES - age) / (FADED_SAMPLES - FULL_SAMPLES));
    }

    private int findPeriod() {
        int best = MAX_PERIOD;
        double most = 0;
        for (int lag = MIN_PERIOD; lag <= MAX_PERIOD; lag++) {
            double product = 0;
            double power = 1;
            for (int i = HISTORY - COMPARED; i < HISTORY; i++) {
                product += history[i] * history[i - lag];
                power += history[i - lag] * history[i - lag];
            }
            double likeness = product <= 0 ? 0 : product * product / power;
            if (likeness > most) {
                most = likeness;
                best = lag;
            }
        }
        return best;
    }

    private void remember(int count) {
        if (count >= HISTORY) {
            System.arraycopy(narrow, count - HISTORY, history, 0, HISTORY);
        } else {
            System.arraycopy(history, count, history, 0, HISTORY - count);
            System.arraycopy(narrow, 0, history, HISTORY - count, count);
        }
    }

    @Override
    public void reset() {
        upsampler.reset();
        Arrays.fill(history, (short) 0);
        concealed = 0;
    }

    @Override
    public void close() {
        // Only memory of the heap.
    }
}
