package dev.parley.rtc.rtp;

/**
 * Extends the 16-bit sequence numbers of one source to numbers that never wrap: each stands for the
 * number nearest to the highest one so far. Belongs to one stream; one thread only.
 */
public final class SequenceExtender {
    private boolean started;
    private long highest;

    /**
     * The extended sequence number. Starts with the first packet's own; packets that were sent
     * before the first one received may extend to less than zero.
     *
     * @param sequenceNumber 0 to 65535
     */
    public long extend(int sequenceNumber) {
        if (!started) {
            started = true;
            highest = sequenceNumber;
            return sequenceNumber;
        }
        long extended = highest + (short) (sequenceNumber - (int) highest);
        highest = Math.max(highest, extended);
        return extended;
    }
}
