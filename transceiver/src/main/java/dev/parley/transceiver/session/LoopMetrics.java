package dev.parley.transceiver.session;

import dev.parley.rtc.ice.IceVerdict;
import dev.parley.rtc.route.RouteVerdict;
import dev.parley.runtime.udp.UdpCounters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/** The counters of all media loops of a process, added up, as metric series. */
public final class LoopMetrics {
    private final List<LoopCounters> loops;
    private final List<UdpCounters> sockets;

    public LoopMetrics(List<MediaLoop> loops) {
        this.loops = loops.stream().map(MediaLoop::counters).toList();
        this.sockets = loops.stream().map(MediaLoop::udpCounters).toList();
    }

    /** Datagrams and packets dropped, by reason. */
    public Map<String, LongSupplier> drops() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        series.putAll(series("", c -> c.drops, _ -> true));
        series.putAll(series("route_", c -> c.routes, v -> v != RouteVerdict.OPENED));
        series.putAll(series("ice_", c -> c.checks, v -> !v.isAuthentic()));
        series.putAll(series("srtp_", c -> c.srtp, _ -> true));
        series.putAll(series("sctp_", c -> c.sctp, _ -> true));
        series.putAll(series("channel_", c -> c.channels, _ -> true));
        series.put("unsent", sum(c -> c.unsent));
        return series;
    }

    /** Datagrams that the operating system refused, by reason. */
    public Map<String, LongSupplier> udpRefusals() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (UdpCounters.Reason reason : UdpCounters.Reason.values()) {
            series.put(
                    reason.name().toLowerCase(Locale.ROOT),
                    () -> sockets.stream().mapToLong(socket -> socket.count(reason)).sum());
        }
        return series;
    }

    /** Authentic ICE checks, by outcome. */
    public Map<String, LongSupplier> checks() {
        return series("", c -> c.checks, IceVerdict::isAuthentic);
    }

    /** Calls that ended, by reason. */
    public Map<String, LongSupplier> ended() {
        return series("", c -> c.ended, _ -> true);
    }

    /** Nanoseconds spent on turns, by loop. */
    public Map<String, LongSupplier> busy() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (LoopCounters loop : loops) {
            series.put(Integer.toString(series.size()), loop.busyNanos::getAcquire);
        }
        return series;
    }

    /** DTLS handshakes under way. */
    public LongSupplier handshakes() {
        return sum(c -> c.handshakes);
    }

    /** DTLS datagrams in checks and in their answers. */
    public Map<String, LongSupplier> dtlsInStun() {
        return Map.of(
                "received", sum(c -> c.dtlsInChecks),
                "sent", sum(c -> c.dtlsInAnswers));
    }

    /** RTP packets received, sent, and never received. */
    public Map<String, LongSupplier> packets() {
        return Map.of(
                "received", sum(c -> c.rtpReceived),
                "sent", sum(c -> c.rtpSent),
                "sent_again", sum(c -> c.rtpSentAgain),
                "lost", sum(c -> c.rtpLost));
    }

    /** Calls that ended, by how either side sounded to the other. */
    public Map<String, LongSupplier> quality() {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        series.putAll(series("input_", c -> c.inputQuality, _ -> true));
        series.putAll(series("output_", c -> c.outputQuality, _ -> true));
        return series;
    }

    private <E extends Enum<E>> Map<String, LongSupplier> series(
            String prefix, Function<LoopCounters, EnumCounters<E>> of, Predicate<E> wanted) {
        Map<String, LongSupplier> series = new LinkedHashMap<>();
        for (E event : of.apply(loops.getFirst()).type().getEnumConstants()) {
            if (wanted.test(event)) {
                series.put(
                        prefix + event.name().toLowerCase(Locale.ROOT),
                        () -> loops.stream().mapToLong(c -> of.apply(c).count(event)).sum());
            }
        }
        return series;
    }

    private LongSupplier sum(Function<LoopCounters, AtomicLong> of) {
        return () -> loops.stream().mapToLong(c -> of.apply(c).get()).sum();
    }
}
