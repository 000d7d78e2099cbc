package dev.parley.bench;

import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.Reliability;
import dev.parley.rtc.sctp.SctpConfig;
import dev.parley.rtc.sctp.SctpCounters;
import dev.parley.rtc.sctp.SctpEvent;
import dev.parley.rtc.sctp.SendResult;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * What SCTP carries over links that lose and delay, in virtual time: two associations, one that
 * always has something to send. The same seed gives the same figures on any machine.
 */
final class SctpBench {
    private static final long MILLIS = 1_000_000L;
    private static final long SECOND = 1_000 * MILLIS;
    private static final int MESSAGE_BYTES = 16_384;
    private static final int DEFAULT_SECONDS = 60;

    @SuppressWarnings("ArrayRecordComponent") // Handed over, compared by no one.
    private record Arrival(long at, long order, Side to, byte[] packet) {}

    private static final class Side {
        private final Association association;
        private Side peer = this;
        private long received;
        private long bytes;
        private boolean inOrder = true;

        Side(SplittableRandom random) {
            association = new Association(SctpConfig.DEFAULT, 5000, 5000, random);
        }

        void takeEvents() {
            for (SctpEvent e = association.pollEvent(); e != null; e = association.pollEvent()) {
                if (e instanceof SctpEvent.Message message) {
                    inOrder &= ByteBuffer.wrap(message.payload()).getLong(0) == received;
                    received++;
                    bytes += message.payload().length;
                }
            }
        }
    }

    private final double loss;
    private final long delayNanos;
    private final SplittableRandom random;
    private final PriorityQueue<Arrival> network =
            new PriorityQueue<>(
                    (a, b) -> {
                        int byTime = Long.compare(a.at, b.at);
                        return byTime != 0 ? byTime : Long.compare(a.order, b.order);
                    });
    private final byte[] scratch = new byte[2_000];
    private final Side sender;
    private final Side receiver;
    private long nowNanos = SECOND;
    private long order;
    private long sent;

    private SctpBench(long seed, double loss, long delayMillis) {
        this.loss = loss;
        this.delayNanos = delayMillis * MILLIS;
        this.random = new SplittableRandom(seed);
        this.sender = new Side(random.split());
        this.receiver = new Side(random.split());
        sender.peer = receiver;
        receiver.peer = sender;
    }

    /** Prints a table; the argument, if there is one, is the virtual seconds of each row. */
    static void main(String[] options) {
        int seconds = options.length == 0 ? DEFAULT_SECONDS : Integer.parseInt(options[0]);
        System.out.printf(
                Locale.ROOT,
                "SCTP one way, messages of %d bytes, %d virtual seconds a row%n%n",
                MESSAGE_BYTES,
                seconds);
        System.out.println(
                "loss %  delay ms  kbit/s  messages  in order  sent again %  timeouts  CPU ms");
        for (double loss : new double[] {0, 0.01, 0.05, 0.1}) {
            for (long delay : new long[] {10, 50, 100}) {
                row(loss, delay, seconds);
            }
        }
    }

    private static void row(double loss, long delayMillis, int seconds) {
        SctpBench bench = new SctpBench(1, loss, delayMillis);
        long before = System.nanoTime();
        bench.run(seconds * SECOND);
        long wall = (System.nanoTime() - before) / MILLIS;
        SctpCounters counters = bench.sender.association.counters();
        System.out.printf(
                Locale.ROOT,
                "%6.0f  %8d  %6.0f  %8d  %8s  %12.1f  %8d  %6d%n",
                loss * 100,
                delayMillis,
                bench.receiver.bytes * 8.0 / 1_000 / seconds,
                bench.receiver.received,
                bench.receiver.inOrder ? "yes" : "NO",
                100.0 * counters.retransmissions() / Math.max(1, counters.dataSent()),
                counters.timeouts(),
                wall);
    }

    private void run(long durationNanos) {
        long end = nowNanos + durationNanos;
        sender.association.connect(nowNanos);
        receiver.association.connect(nowNanos);
        settle();
        while (nowNanos < end) {
            nowNanos = Math.min(next(), end);
            while (!network.isEmpty() && network.peek().at <= nowNanos) {
                Arrival arrival = network.remove();
                arrival.to.association.handle(arrival.packet, 0, arrival.packet.length, nowNanos);
                settle();
            }
            sender.association.onTimer(nowNanos);
            receiver.association.onTimer(nowNanos);
            settle();
        }
    }

    private long next() {
        long next =
                Math.min(
                        sender.association.deadlineNanos(nowNanos),
                        receiver.association.deadlineNanos(nowNanos));
        return network.isEmpty() ? next : Math.min(next, network.peek().at);
    }

    private void settle() {
        receiver.takeEvents();
        sender.takeEvents();
        while (offer() == SendResult.ACCEPTED) {
            sent++;
        }
        flush(sender);
        flush(receiver);
    }

    private SendResult offer() {
        byte[] payload = new byte[MESSAGE_BYTES];
        ByteBuffer.wrap(payload).putLong(0, sent);
        return sender.association.send(0, 53, payload, true, Reliability.RELIABLE, nowNanos);
    }

    private void flush(Side side) {
        for (int n = side.association.poll(scratch, 0, nowNanos); n > 0; ) {
            if (random.nextDouble() >= loss) {
                network.add(
                        new Arrival(
                                nowNanos + delayNanos,
                                order++,
                                side.peer,
                                Arrays.copyOf(scratch, n)));
            }
            n = side.association.poll(scratch, 0, nowNanos);
        }
    }
}
