package dev.parley.e2e.client;

import dev.onvoid.webrtc.RTCStats;
import dev.onvoid.webrtc.RTCStatsReport;
import dev.onvoid.webrtc.RTCStatsType;
import java.util.Map;
import java.util.Optional;

/**
 * What libwebrtc knows of a call at one moment, from its {@code getStats()}.
 *
 * @param remoteAddress {@code address:port} of the selected pair's remote candidate; empty before
 *     there is one
 * @param srtpCipher as libwebrtc names it, such as {@code AEAD_AES_128_GCM}; empty before DTLS
 * @param dtlsCipher name of the DTLS cipher suite; empty before DTLS
 * @param packetsLost of those expected from the other side; negative when there were duplicates
 * @param concealedSamples that had to be made up because packets were missing or late, those during
 *     silence included
 * @param remoteLossReported packets that the other side's receiver reports say were lost, if any
 *     arrived
 * @param roundTripMillis of the last ICE check
 */
public record CallStats(
        String remoteAddress,
        String srtpCipher,
        String dtlsCipher,
        long packetsSent,
        long packetsReceived,
        long packetsLost,
        long packetsDiscarded,
        long concealedSamples,
        double jitterMillis,
        Optional<Long> remoteLossReported,
        double roundTripMillis) {

    static CallStats of(RTCStatsReport report) {
        Attributes transport = first(report, RTCStatsType.TRANSPORT);
        Attributes pair = byId(report, transport.text("selectedCandidatePairId"));
        Attributes remote = byId(report, pair.text("remoteCandidateId"));
        Attributes in = first(report, RTCStatsType.INBOUND_RTP);
        Attributes out = first(report, RTCStatsType.OUTBOUND_RTP);
        Attributes reported = first(report, RTCStatsType.REMOTE_INBOUND_RTP);
        return new CallStats(
                remote.map().isEmpty()
                        ? ""
                        : remote.text("address") + ":" + (long) remote.number("port"),
                transport.text("srtpCipher"),
                transport.text("dtlsCipher"),
                (long) out.number("packetsSent"),
                (long) in.number("packetsReceived"),
                (long) in.number("packetsLost"),
                (long) in.number("packetsDiscarded"),
                (long) in.number("concealedSamples"),
                1_000 * in.number("jitter"),
                reported.map().isEmpty()
                        ? Optional.empty()
                        : Optional.of((long) reported.number("packetsLost")),
                1_000 * pair.number("currentRoundTripTime"));
    }

    private static Attributes first(RTCStatsReport report, RTCStatsType type) {
        return report.getStats().values().stream()
                .filter(stats -> stats.getType() == type)
                .findFirst()
                .map(stats -> new Attributes(stats.getAttributes()))
                .orElse(Attributes.NONE);
    }

    private static Attributes byId(RTCStatsReport report, String id) {
        RTCStats stats = report.getStats().get(id);
        return stats == null ? Attributes.NONE : new Attributes(stats.getAttributes());
    }

    /** Attributes of one stats object; what is missing reads as empty or 0. */
    private record Attributes(Map<String, Object> map) {
        private static final Attributes NONE = new Attributes(Map.of());

        String text(String name) {
            return map.get(name) instanceof String text ? text : "";
        }

        double number(String name) {
            return map.get(name) instanceof Number number ? number.doubleValue() : 0;
        }
    }
}
