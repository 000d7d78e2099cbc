package dev.parley.transceiver.speech;

/** The fast Fourier transform of one size, in place. Owned by one thread; allocates nothing. */
final class Fourier {
    private final int size;
    private final int[] reversed;
    private final float[] cosines;
    private final float[] sines;

    /**
     * @param size a power of two
     */
    Fourier(int size) {
        this.size = size;
        reversed = new int[size];
        cosines = new float[size / 2];
        sines = new float[size / 2];
        int unused = 1 + Integer.numberOfLeadingZeros(size);
        for (int i = 0; i < size; i++) {
            reversed[i] = Integer.reverse(i) >>> unused;
        }
        for (int i = 0; i < size / 2; i++) {
            cosines[i] = (float) Math.cos(2 * Math.PI * i / size);
            sines[i] = (float) -Math.sin(2 * Math.PI * i / size);
        }
    }

    void transform(float[] real, float[] imaginary) {
        for (int i = 0; i < size; i++) {
            int j = reversed[i];
            if (j > i) {
                swap(real, i, j);
                swap(imaginary, i, j);
            }
        }
        for (int half = 1; half < size; half *= 2) {
            int step = size / (2 * half);
            for (int start = 0; start < size; start += 2 * half) {
                for (int k = 0; k < half; k++) {
                    butterfly(real, imaginary, start + k, start + k + half, k * step);
                }
            }
        }
    }

    private void butterfly(float[] real, float[] imaginary, int a, int b, int turn) {
        float c = cosines[turn];
        float s = sines[turn];
        float turnedReal = real[b] * c - imaginary[b] * s;
        float turnedImaginary = real[b] * s + imaginary[b] * c;
        real[b] = real[a] - turnedReal;
        imaginary[b] = imaginary[a] - turnedImaginary;
        real[a] += turnedReal;
        imaginary[a] += turnedImaginary;
    }

    private static void swap(float[] values, int i, int j) {
        float value = values[i];
        values[i] = values[j];
        values[j] = value;
    }
}
