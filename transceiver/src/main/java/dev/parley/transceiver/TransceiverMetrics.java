package dev.parley.transceiver;

import dev.parley.otel.Metric;
import dev.parley.otel.Telemetry;
import dev.parley.runtime.load.Congestion;
import dev.parley.transceiver.control.Calls;
import dev.parley.transceiver.control.Draining;
import dev.parley.transceiver.inference.LinkCounters;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.realtime.RealtimeCounters;
import dev.parley.transceiver.recording.RecordingCounters;
import dev.parley.transceiver.session.LoopMetrics;
import dev.parley.transceiver.session.MediaLoop;
import dev.parley.transceiver.session.SetupWork;
import java.util.List;
import java.util.Map;

/** What a transceiver tells telemetry. */
final class TransceiverMetrics {
    private TransceiverMetrics() {}

    static void register(
            Telemetry telemetry,
            List<MediaLoop> loops,
            Calls calls,
            Draining draining,
            Congestion congestion,
            SetupWork work,
            AudioCounters audio,
            LinkCounters links,
            RealtimeCounters realtime,
            RecordingCounters recorded) {
        telemetry.gauge(Metric.TRANSCEIVER_SESSIONS, calls::count);
        telemetry.gauge(Metric.TRANSCEIVER_DRAINING, () -> draining.isOn() ? 1 : 0);
        telemetry.gauge(Metric.TRANSCEIVER_CONGESTED, () -> congestion.isStanding() ? 1 : 0);
        telemetry.counters(
                Metric.TRANSCEIVER_SETUPS_REFUSED,
                Map.of("congestion", congestion::refused, "setup_work", work::refused));
        telemetry.gauge(
                Metric.TRANSCEIVER_LOOPS_DEAD,
                () -> loops.stream().filter(MediaLoop::isDead).count());
        telemetry.counters(
                Metric.TRANSCEIVER_CHANGES,
                Map.of("restart", calls::restarts, "candidate", calls::candidates));
        telemetry.gauge(Metric.TRANSCEIVER_SIDEBANDS, calls.sidebands()::count);
        telemetry.counters(
                Metric.TRANSCEIVER_SIDEBANDS_REFUSED, Map.of("too_slow", calls.sidebands()::slow));
        LoopMetrics metrics = new LoopMetrics(loops);
        telemetry.seconds(Metric.TRANSCEIVER_LOOP_BUSY, metrics.busy());
        telemetry.gauge(Metric.TRANSCEIVER_HANDSHAKES, metrics.handshakes());
        telemetry.counters(Metric.TRANSCEIVER_DROPS, metrics.drops());
        telemetry.counters(Metric.TRANSCEIVER_UDP_REFUSALS, metrics.udpRefusals());
        telemetry.counters(Metric.TRANSCEIVER_SESSIONS_ENDED, metrics.ended());
        telemetry.counters(Metric.TRANSCEIVER_SESSIONS_QUALITY, metrics.quality());
        telemetry.counters(Metric.TRANSCEIVER_CHECKS, metrics.checks());
        telemetry.counters(Metric.TRANSCEIVER_DTLS_IN_STUN, metrics.dtlsInStun());
        telemetry.counters(Metric.TRANSCEIVER_INFERENCE_STREAMS, links.series());
        telemetry.counters(Metric.TRANSCEIVER_AUDIO_DROPS, audio.series());
        telemetry.counters(Metric.TRANSCEIVER_AUDIO_REPAIRS, audio.repairs());
        telemetry.counters(Metric.TRANSCEIVER_REALTIME_EVENTS, realtime.events());
        telemetry.counters(Metric.TRANSCEIVER_REALTIME_ERRORS, realtime.errors());
        telemetry.counters(Metric.TRANSCEIVER_RECORDINGS, recorded.series());
        telemetry.counters(Metric.TRANSCEIVER_RTP, metrics.packets());
    }
}
