package dev.parley.rtc.rtp;

/**
 * What we tell a sender about its packets: loss and jitter as RFC 3550 A.1, A.3 and A.8 compute
 * them. Belongs to one source of one session; one thread only.
 *
 * <p>There is no probation as in A.1: it guards against packets of strangers, and only packets that
 * SRTP has authenticated are counted here, so each counts from the first on.
 */
public final class ReceptionStatistics {
    private static final int SEQUENCE_NUMBERS = 1 << 16;
    private static final int MAX_DROPOUT = 3000;
    private static final int MAX_MISORDER = 100;
    private static final int NO_SEQUENCE = SEQUENCE_NUMBERS + 1;
    private static final int MAX_CUMULATIVE_LOST = 0x7F_FFFF;
    private static final int MIN_CUMULATIVE_LOST = -0x80_0000;
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final int clockRateHz;
    private boolean started;
    private int highestSequence;
    private int cycles;
    private int baseSequence;
    private int badSequence = NO_SEQUENCE;
    private long received;
    private long expectedPrior;
    private long receivedPrior;
    private int fractionLost;
    private int transit;
    private long jitterTimes16;
    private boolean senderReportSeen;
    private int lastSenderReport;
    private long senderReportNanos;

    /**
     * @param clockRateHz ticks of the RTP timestamp per second
     */
    public ReceptionStatistics(int clockRateHz) {
        this.clockRateHz = clockRateHz;
    }

    /**
     * Counts one packet.
     *
     * @param sequenceNumber 0 to 65535
     * @return false when the sequence number makes no sense yet: it jumped far, and counts only
     *     when the next packet follows it
     */
    public boolean receive(int sequenceNumber, int timestamp, long nowNanos) {
        int newTransit = ticks(nowNanos) - timestamp;
        if (!started) {
            restart(sequenceNumber, newTransit);
            started = true;
        } else if (!updateSequence(sequenceNumber, newTransit)) {
            return false;
        }
        received++;
        updateJitter(newTransit);
        return true;
    }

    // RFC 3550 A.1, update_seq() after probation
    private boolean updateSequence(int sequenceNumber, int newTransit) {
        int delta = sequenceNumber - highestSequence & 0xFFFF;
        if (delta < MAX_DROPOUT) {
            if (sequenceNumber < highestSequence) {
                cycles += SEQUENCE_NUMBERS;
            }
            highestSequence = sequenceNumber;
        } else if (delta <= SEQUENCE_NUMBERS - MAX_MISORDER) {
            if (sequenceNumber != badSequence) {
                badSequence = sequenceNumber + 1 & 0xFFFF;
                return false;
            }
            // Two packets in a row: the other side started over.
            restart(sequenceNumber, newTransit);
        }
        return true;
    }

    private void restart(int sequenceNumber, int newTransit) {
        baseSequence = sequenceNumber;
        highestSequence = sequenceNumber;
        badSequence = NO_SEQUENCE;
        transit = newTransit;
        cycles = 0;
        received = 0;
        receivedPrior = 0;
        expectedPrior = 0;
    }

    // RFC 3550 A.8
    private void updateJitter(int newTransit) {
        long difference = Math.abs((long) (newTransit - transit));
        transit = newTransit;
        jitterTimes16 += difference - ((jitterTimes16 + 8) >> 4);
    }

    private int ticks(long nowNanos) {
        long seconds = Math.floorDiv(nowNanos, NANOS_PER_SECOND);
        long nanos = Math.floorMod(nowNanos, NANOS_PER_SECOND);
        return (int) (seconds * clockRateHz + nanos * clockRateHz / NANOS_PER_SECOND);
    }

    /**
     * Notes a sender report of this source, for the last two fields of the next report block.
     *
     * @param ntpTimestamp the report's 64-bit NTP timestamp
     */
    public void receiveSenderReport(long ntpTimestamp, long nowNanos) {
        senderReportSeen = true;
        lastSenderReport = NtpTime.middle(ntpTimestamp);
        senderReportNanos = nowNanos;
    }

    /** Ends the interval that {@link #fractionLost} speaks of; call it once for each report. */
    public void endInterval() {
        // RFC 3550 A.3
        long expectedInterval = expected() - expectedPrior;
        long lostInterval = expectedInterval - (received - receivedPrior);
        expectedPrior = expected();
        receivedPrior = received;
        // Less than 256: what is expected grows only when a packet comes.
        fractionLost = lostInterval <= 0 ? 0 : (int) ((lostInterval << 8) / expectedInterval);
    }

    /** Loss in the last ended interval, in 256ths: 0 to 255. */
    public int fractionLost() {
        return fractionLost;
    }

    /** Packets lost since the start, as a signed 24-bit number: duplicates may make it negative. */
    public int cumulativeLost() {
        long lost = expected() - received;
        return Math.clamp(lost, MIN_CUMULATIVE_LOST, MAX_CUMULATIVE_LOST);
    }

    /** Cycles in the high 16 bits, highest sequence number received in the low 16. */
    public int extendedHighestSequence() {
        return cycles + highestSequence;
    }

    /** Interarrival jitter in timestamp units. */
    public int jitter() {
        return (int) (jitterTimes16 >> 4);
    }

    /** Interarrival jitter in nanoseconds. */
    public long jitterNanos() {
        return (jitterTimes16 >> 4) * NANOS_PER_SECOND / clockRateHz;
    }

    /** Packets counted, duplicates included. */
    public long received() {
        return received;
    }

    /** The middle 32 bits of the last sender report's NTP timestamp; 0 when there was none. */
    public int lastSenderReport() {
        return lastSenderReport;
    }

    /** Time since the last sender report came, in 65536ths of a second; 0 when there was none. */
    public int delaySinceLastSenderReport(long nowNanos) {
        return senderReportSeen ? NtpTime.shortDuration(nowNanos - senderReportNanos) : 0;
    }

    private long expected() {
        return started ? (cycles & 0xFFFF_FFFFL) + highestSequence - baseSequence + 1 : 0;
    }
}
