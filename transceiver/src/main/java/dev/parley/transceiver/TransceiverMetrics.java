package dev.parley.transceiver;

import dev.parley.otel.Telemetry;
import dev.parley.transceiver.control.Calls;
import dev.parley.transceiver.control.Draining;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.realtime.RealtimeCounters;
import dev.parley.transceiver.session.LoopMetrics;
import dev.parley.transceiver.session.MediaLoop;
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
            AudioCounters audio,
            RealtimeCounters realtime) {
        telemetry.gauge(
                "parley.transceiver.sessions",
                "Calls that exist or are being set up",
                "{session}",
                calls::count);
        telemetry.gauge(
                "parley.transceiver.draining",
                "1 while no new calls are taken; the calls that are left are sessions",
                "1",
                () -> draining.isOn() ? 1 : 0);
        telemetry.gauge(
                "parley.transceiver.loops.dead",
                "Media loops that a fault has ended",
                "{loop}",
                () -> loops.stream().filter(MediaLoop::isDead).count());
        telemetry.counters(
                "parley.transceiver.changes",
                "Changes of calls' transport: ICE restarts, and candidates named after the offer",
                "{change}",
                "kind",
                Map.of("restart", calls::restarts, "candidate", calls::candidates));
        telemetry.gauge(
                "parley.transceiver.sidebands",
                "Backends that take part in calls' events",
                "{sideband}",
                calls.sidebands()::count);
        telemetry.counters(
                "parley.transceiver.sidebands.refused",
                "Backends that were parted with, by reason",
                "{sideband}",
                "reason",
                Map.of("too_slow", calls.sidebands()::slow));
        LoopMetrics metrics = new LoopMetrics(loops);
        telemetry.gauge(
                "parley.transceiver.handshakes",
                "DTLS handshakes under way",
                "{handshake}",
                metrics.handshakes());
        telemetry.counters(
                "parley.transceiver.drops",
                "Datagrams and packets dropped, by reason",
                "{packet}",
                "reason",
                metrics.drops());
        telemetry.counters(
                "parley.transceiver.udp.refusals",
                "Datagrams that the operating system refused, by reason",
                "{packet}",
                "reason",
                metrics.udpRefusals());
        telemetry.counters(
                "parley.transceiver.sessions.ended",
                "Calls that ended, by reason",
                "{session}",
                "reason",
                metrics.ended());
        telemetry.counters(
                "parley.transceiver.sessions.quality",
                "Calls that ended, by the G.109 class of either direction's E-model rating",
                "{session}",
                "quality",
                metrics.quality());
        telemetry.counters(
                "parley.transceiver.checks",
                "Authentic ICE checks, by outcome",
                "{packet}",
                "outcome",
                metrics.checks());
        telemetry.counters(
                "parley.transceiver.audio.drops",
                "Audio packets and messages dropped between RTP and inference, by reason",
                "{packet}",
                "reason",
                audio.series());
        telemetry.counters(
                "parley.transceiver.audio.repairs",
                "Missing input packets that were made good, by how",
                "{packet}",
                "kind",
                audio.repairs());
        telemetry.counters(
                "parley.transceiver.realtime.events",
                "Realtime events of clients, by type",
                "{event}",
                "type",
                realtime.events());
        telemetry.counters(
                "parley.transceiver.realtime.errors",
                "Errors that clients of the Realtime surface were told, by code",
                "{event}",
                "code",
                realtime.errors());
        telemetry.counters(
                "parley.transceiver.rtp",
                "RTP packets, by what became of them",
                "{packet}",
                "outcome",
                metrics.packets());
    }
}
