package dev.parley.otel;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Every metric, sorted by name. What is not here is not measured. docs/telemetry.md is made of
 * this, and dashboards and alerts may name nothing else.
 */
public enum Metric {
    SIGNALING_REQUEST_DURATION(
            "http.server.request.duration",
            Kind.HISTOGRAM,
            "s",
            "http.request.method,http.route,http.response.status_code",
            "Time from a request about a call to its response"),
    CALL_BARGE_INS(
            "parley.call.barge_ins",
            Kind.COUNTER,
            "{event}",
            "playing",
            "Interruptions of the agent, by whether it was speaking"),
    CALL_DURATION(
            "parley.call.duration",
            Kind.HISTOGRAM,
            "s",
            "reason",
            "How long calls lasted, by why they ended"),
    CALL_SETUP(
            "parley.call.setup.duration",
            Kind.HISTOGRAM,
            "s",
            "phase",
            "Time from a call's creation to a point of its set-up"),
    CLUSTER_MAP_FAILURES(
            "parley.cluster_map.failures",
            Kind.COUNTER,
            "{failure}",
            "source",
            "Times that a changed cluster map, or what belongs to it, could not be used"),
    INFERENCE_STUB_DROPS(
            "parley.inference_stub.drops",
            Kind.COUNTER,
            "{message}",
            "reason",
            "Audio messages not sent"),
    INFERENCE_STUB_FAULTS(
            "parley.inference_stub.faults",
            Kind.COUNTER,
            "{session}",
            "kind",
            "Calls that a fault of the stub ended"),
    INFERENCE_STUB_MISUSE(
            "parley.inference_stub.misuse",
            Kind.COUNTER,
            "{event}",
            "kind",
            "Messages and streams that broke the contract"),
    INFERENCE_STUB_OPEN_STREAMS(
            "parley.inference_stub.open_streams", Kind.GAUGE, "{stream}", "", "Streams open"),
    INFERENCE_STUB_SESSIONS(
            "parley.inference_stub.sessions", Kind.COUNTER, "{session}", "model", "Calls accepted"),
    PROCESS_CLOCK_JUMPS(
            "parley.process.clock_jumps",
            Kind.COUNTER,
            "{jump}",
            "direction",
            "Times that the wall clock jumped by more than 100 ms against the monotonic one"),
    PROCESS_CPU(
            "parley.process.cpu.time",
            Kind.COUNTER,
            "s",
            "",
            "Processor time of the process, all its threads together"),
    PROCESS_GC(
            "parley.process.gc.duration",
            Kind.HISTOGRAM,
            "s",
            "collector",
            "Pauses of garbage collections"),
    PROCESS_HEAP_LIMIT(
            "parley.process.heap.limit", Kind.GAUGE, "By", "", "Most that the heap may be"),
    PROCESS_HEAP_USED(
            "parley.process.heap.used",
            Kind.GAUGE,
            "By",
            "",
            "Heap in use, garbage that is not yet collected included"),
    PROCESS_LOG_DROPS(
            "parley.process.log.drops",
            Kind.COUNTER,
            "{line}",
            "output",
            "Log lines left out, since too many waited for whoever reads the output"),
    PROCESS_PAUSE(
            "parley.process.pause.duration",
            Kind.HISTOGRAM,
            "s",
            "",
            "Pauses of the whole process, as a thread that sleeps notices them, when more than 5 ms"),
    PROCESS_PAUSES_OVER_BUDGET(
            "parley.process.pauses_over_budget",
            Kind.COUNTER,
            "{pause}",
            "cause",
            "Pauses beyond the 20 ms of a packet: of the process, or of a collection"),
    LOOP_STALL(
            "parley.process.stall.duration",
            Kind.HISTOGRAM,
            "s",
            "loop",
            "Time that a turn of a packet loop took, when it was more than 10 ms"),
    RELAY_BATCHES(
            "parley.relay.batches",
            Kind.COUNTER,
            "{batch}",
            "le",
            "Batches received, by how many datagrams they had at most"),
    RELAY_DROPS(
            "parley.relay.drops",
            Kind.COUNTER,
            "{packet}",
            "reason",
            "Datagrams not forwarded, by reason"),
    RELAY_FLOW_SPANS_LOST(
            "parley.relay.flow_spans_lost",
            Kind.COUNTER,
            "{span}",
            "reason",
            "Flows that became no span because there were too many"),
    RELAY_FLOW_TABLE_LOAD(
            "parley.relay.flow_table.load",
            Kind.GAUGE,
            "%",
            "",
            "Share of the flow tables' slots that are taken"),
    RELAY_FLOWS("parley.relay.flows", Kind.GAUGE, "{flow}", "", "Client addresses remembered"),
    RELAY_FORWARD_TIME_SAMPLES(
            "parley.relay.forward_time.samples",
            Kind.COUNTER,
            "{turn}",
            "le",
            "Sampled turns, by how many microseconds they took at most"),
    RELAY_FORWARDS(
            "parley.relay.forwards",
            Kind.COUNTER,
            "{packet}",
            "route",
            "Datagrams forwarded, by how their route was found"),
    RELAY_HOLDS(
            "parley.relay.holds",
            Kind.COUNTER,
            "{packet}",
            "reason",
            "Datagrams held while their flow was looked for, to be forwarded or dropped"),
    RELAY_LEG_PROBES(
            "parley.relay.leg.probes",
            Kind.COUNTER,
            "{packet}",
            "kind",
            "Probes of other clusters' relays that were answered, and answers that came"),
    RELAY_LEGS_LOST(
            "parley.relay.legs.lost",
            Kind.GAUGE,
            "{way}",
            "",
            "Ways to other clusters' relays that do not work, each worker's counted"),
    RELAY_STORE_EVENTS(
            "parley.relay.store.events",
            Kind.COUNTER,
            "{event}",
            "event",
            "What the flow store did, by what came of it"),
    RELAY_UDP_REFUSALS(
            "parley.relay.udp.refusals",
            Kind.COUNTER,
            "{packet}",
            "reason",
            "Datagrams that the operating system refused, by reason"),
    RELAY_WORKER_BUSY(
            "parley.relay.worker.busy",
            Kind.COUNTER,
            "s",
            "worker",
            "Time that workers spent on turns with datagrams, of which one in 64 is timed"),
    SIGNALING_ADMISSION_REFUSED(
            "parley.signaling.admission.refused",
            Kind.COUNTER,
            "{call}",
            "reason",
            "Calls refused before their offer was read, by reason"),
    SIGNALING_CALLS(
            "parley.signaling.calls",
            Kind.COUNTER,
            "{call}",
            "event",
            "Calls created, joined and ended through signaling, and creations tried again elsewhere"),
    SIGNALING_CERTIFICATE_FAILURES(
            "parley.signaling.certificate_failures",
            Kind.COUNTER,
            "{failure}",
            "source",
            "Times that a changed certificate could not be used"),
    SIGNALING_CONNECTIONS(
            "parley.signaling.connections",
            Kind.GAUGE,
            "{connection}",
            "",
            "Client connections that are open"),
    SIGNALING_CONNECTIONS_CLOSED(
            "parley.signaling.connections_closed",
            Kind.COUNTER,
            "{connection}",
            "reason",
            "Client connections that were closed, by reason"),
    SIGNALING_CREDENTIAL_FAILURES(
            "parley.signaling.credential_failures",
            Kind.COUNTER,
            "{failure}",
            "source",
            "Times that keys for recognising callers could not be read"),
    SIGNALING_DISCOVERY_FAILURES(
            "parley.signaling.discovery_failures",
            Kind.COUNTER,
            "{failure}",
            "source",
            "Times that transceivers could not be looked for"),
    SIGNALING_ERRORS(
            "parley.signaling.errors",
            Kind.COUNTER,
            "{request}",
            "code",
            "Requests refused, by error code"),
    SIGNALING_GATEWAY_REFUSALS(
            "parley.signaling.gateway_refusals",
            Kind.COUNTER,
            "{request}",
            "reason",
            "Requests to the gateway for other clusters that came from nobody of the fleet, or"
                    + " named what is no transceiver"),
    SIGNALING_RESPONSES(
            "parley.signaling.responses",
            Kind.COUNTER,
            "{response}",
            "class",
            "HTTP responses by status class"),
    SIGNALING_WEBSOCKETS(
            "parley.signaling.websockets",
            Kind.COUNTER,
            "{connection}",
            "kind",
            "Connections that became WebSockets: a client's, for calls, or a sideband's"),
    SIGNALING_WEBSOCKETS_CLOSED(
            "parley.signaling.websockets_closed",
            Kind.COUNTER,
            "{connection}",
            "reason",
            "WebSockets that were closed for what their clients did, by what that was"),
    TELEMETRY_EXPORTS(
            "parley.telemetry.exports",
            Kind.COUNTER,
            "{item}",
            "outcome",
            "Spans, and batches of metrics, for a collector: sent, failed on the way or refused, or"
                    + " dropped because too many waited"),
    TELEMETRY_SPANS_WAITING(
            "parley.telemetry.spans.waiting",
            Kind.GAUGE,
            "{span}",
            "",
            "Spans that wait to be exported"),
    TRANSCEIVER_AUDIO_DROPS(
            "parley.transceiver.audio.drops",
            Kind.COUNTER,
            "{packet}",
            "reason",
            "Audio packets and messages dropped between RTP and inference, by reason"),
    TRANSCEIVER_AUDIO_REPAIRS(
            "parley.transceiver.audio.repairs",
            Kind.COUNTER,
            "{packet}",
            "kind",
            "Missing input packets that were made good, by how"),
    TRANSCEIVER_CHANGES(
            "parley.transceiver.changes",
            Kind.COUNTER,
            "{change}",
            "kind",
            "Changes of calls' transport: ICE restarts, and candidates named after the offer"),
    TRANSCEIVER_CHECKS(
            "parley.transceiver.checks",
            Kind.COUNTER,
            "{packet}",
            "outcome",
            "Authentic ICE checks, by outcome"),
    TRANSCEIVER_CONGESTED(
            "parley.transceiver.congested",
            Kind.GAUGE,
            "1",
            "",
            "1 while new calls are refused because work has to wait"),
    TRANSCEIVER_DRAINING(
            "parley.transceiver.draining",
            Kind.GAUGE,
            "1",
            "",
            "1 while no new calls are taken; the calls that are left are sessions"),
    TRANSCEIVER_DROPS(
            "parley.transceiver.drops",
            Kind.COUNTER,
            "{packet}",
            "reason",
            "Datagrams and packets dropped, by reason"),
    TRANSCEIVER_DTLS_IN_STUN(
            "parley.transceiver.dtls_in_stun",
            Kind.COUNTER,
            "{packet}",
            "direction",
            "DTLS datagrams in STUN checks (received) and in their answers (sent), all copies"),
    TRANSCEIVER_HANDSHAKES(
            "parley.transceiver.handshakes",
            Kind.GAUGE,
            "{handshake}",
            "",
            "DTLS handshakes under way"),
    TRANSCEIVER_INFERENCE_STREAMS(
            "parley.transceiver.inference.streams",
            Kind.COUNTER,
            "{stream}",
            "event",
            "What happened to streams to inference: accepted, broken, resumed and so on"),
    TRANSCEIVER_LOOP_BUSY(
            "parley.transceiver.loop.busy",
            Kind.COUNTER,
            "s",
            "loop",
            "Time that media loops spent on their turns"),
    TRANSCEIVER_LOOPS_DEAD(
            "parley.transceiver.loops.dead",
            Kind.GAUGE,
            "{loop}",
            "",
            "Media loops that a fault has ended"),
    TRANSCEIVER_OUTPUT_WAITING(
            "parley.transceiver.output.waiting",
            Kind.GAUGE,
            "By",
            "",
            "Agents' output that waits for its time"),
    TRANSCEIVER_REALTIME_ERRORS(
            "parley.transceiver.realtime.errors",
            Kind.COUNTER,
            "{event}",
            "code",
            "Errors that clients of the Realtime surface were told, by code"),
    TRANSCEIVER_REALTIME_EVENTS(
            "parley.transceiver.realtime.events",
            Kind.COUNTER,
            "{event}",
            "type",
            "Realtime events of clients, by type"),
    TRANSCEIVER_RECORDINGS(
            "parley.transceiver.recordings",
            Kind.COUNTER,
            "{event}",
            "event",
            "What happened to recordings of calls: begun, finished, full and so on"),
    TRANSCEIVER_RTP(
            "parley.transceiver.rtp",
            Kind.COUNTER,
            "{packet}",
            "outcome",
            "RTP packets, by what became of them"),
    TRANSCEIVER_SESSIONS(
            "parley.transceiver.sessions",
            Kind.GAUGE,
            "{session}",
            "",
            "Calls that exist or are being set up"),
    TRANSCEIVER_SESSIONS_ENDED(
            "parley.transceiver.sessions.ended",
            Kind.COUNTER,
            "{session}",
            "reason",
            "Calls that ended, by reason"),
    TRANSCEIVER_SESSIONS_QUALITY(
            "parley.transceiver.sessions.quality",
            Kind.COUNTER,
            "{session}",
            "quality",
            "Calls that ended, by the G.109 class of either direction's E-model rating"),
    TRANSCEIVER_SETUPS_REFUSED(
            "parley.transceiver.setups.refused",
            Kind.COUNTER,
            "{call}",
            "reason",
            "Calls refused because the work of those before them has to wait, by how that was seen"),
    TRANSCEIVER_SIDEBANDS(
            "parley.transceiver.sidebands",
            Kind.GAUGE,
            "{sideband}",
            "",
            "Backends that take part in calls' events"),
    TRANSCEIVER_SIDEBANDS_REFUSED(
            "parley.transceiver.sidebands.refused",
            Kind.COUNTER,
            "{sideband}",
            "reason",
            "Backends that were parted with, by reason"),
    TRANSCEIVER_UDP_REFUSALS(
            "parley.transceiver.udp.refusals",
            Kind.COUNTER,
            "{packet}",
            "reason",
            "Datagrams that the operating system refused, by reason"),
    TURN_LATENCY(
            "parley.turn.latency",
            Kind.HISTOGRAM,
            "s",
            "",
            "From the caller falling silent, as our detection has it, to the agent's first packet");

    /** What a metric is. */
    public enum Kind {
        /** Only grows. */
        COUNTER,
        /** Goes up and down. */
        GAUGE,
        /** How values are spread. */
        HISTOGRAM
    }

    private final String text;
    private final Kind kind;
    private final String unit;
    private final String labels;
    private final String meaning;

    Metric(String text, Kind kind, String unit, String labels, String meaning) {
        this.text = text;
        this.kind = kind;
        this.unit = unit;
        this.labels = labels;
        this.meaning = meaning;
    }

    /** The metric of a name. */
    static Optional<Metric> find(String text) {
        return Stream.of(values()).filter(metric -> metric.text.equals(text)).findFirst();
    }

    /** Its name in OTLP. */
    public String text() {
        return text;
    }

    Kind kind() {
        return kind;
    }

    /** Its unit, by UCUM. */
    String unit() {
        return unit;
    }

    /** Keys of its attributes, each with a closed set of values. */
    List<String> labels() {
        return labels.isEmpty() ? List.of() : List.of(labels.split(",", -1));
    }

    String meaning() {
        return meaning;
    }

    /** Its name in Prometheus' registry, which adds {@code _total} to counters. */
    String prometheus() {
        return prometheus(text, unit);
    }

    /** Its name as Prometheus reads it. */
    public String scraped() {
        return prometheus() + (kind == Kind.COUNTER ? "_total" : "");
    }

    static String prometheus(String text, String unit) {
        String name = text.replace('.', '_');
        return switch (unit) {
            case "s" -> name + "_seconds";
            case "By" -> name + "_bytes";
            case "%" -> name + "_percent";
            default -> name;
        };
    }

    /** A label as Prometheus writes it. */
    static String prometheusLabel(String label) {
        return label.replace('.', '_').toLowerCase(Locale.ROOT);
    }
}
