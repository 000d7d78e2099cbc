package dev.parley.transceiver;

import dev.parley.rtc.route.RouteKeys;
import dev.parley.runtime.config.Cidr;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import dev.parley.runtime.config.Option;
import dev.parley.runtime.udp.UdpMode;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.inference.TlsSettings;
import dev.parley.transceiver.recording.RecordingSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Everything that can be set on a transceiver. */
public record TransceiverConfig(
        @Option(
                        value =
                                "Address of the media sockets, host:port; loop i binds port + i."
                                        + " Relays send to it, so it must be one they reach,"
                                        + " not a wildcard. Port 0 takes any free port.",
                        orElse = "127.0.0.1:0")
                HostPort mediaAddress,
        @Option(
                        value = "Media loops, each with a socket and a thread of its own.",
                        orElse = "1",
                        min = 1,
                        max = 64)
                int mediaLoops,
        @Option(
                        value = "Address of the gRPC server that signaling calls, host:port.",
                        orElse = "127.0.0.1:0")
                HostPort controlAddress,
        @Option(
                        value = "Ranges from which packets with a client header are accepted.",
                        orElse = "127.0.0.0/8")
                List<Cidr> relayCidrs,
        @Option(
                        value =
                                "Keys that seal route tokens: key id (0..15) = 32 hex digits. The"
                                        + " relays need the same.",
                        secret = true)
                Map<String, String> routeKeys,
        @Option(
                        value = "Id of the route key that new tokens are sealed with.",
                        orElse = "0",
                        min = 0,
                        max = 15)
                int routeKeyId,
        @Option(
                        value = "Number of this cluster, written into route tokens.",
                        orElse = "0",
                        min = 0,
                        max = 65_535)
                int clusterId,
        @Option(
                        "Inference services: model = host:port, or several of them (a list, or with"
                                + " spaces between); a name stands for all its addresses and is"
                                + " looked up again. The model \"gpt-*\" stands for all that begin"
                                + " so, \"*\" for any other.")
                Map<String, String> backends,
        @Option(
                        value =
                                "Silence on a connection to an inference service after which it is"
                                        + " probed. A gRPC server breaks connections that are probed"
                                        + " more often than it permits; 5m is what most permit.",
                        orElse = "5m",
                        min = 10_000)
                Duration backendKeepalive,
        @Option(
                        value =
                                "How long the answer to such a probe may take before the connection"
                                        + " is given up and its calls go elsewhere.",
                        orElse = "5s",
                        min = 100,
                        max = 60_000)
                Duration backendKeepaliveTimeout,
        @Option(
                        value =
                                "How long a call whose stream to the inference service broke looks"
                                        + " for another one, with another replica first; then it"
                                        + " ends. 0s: it ends at once.",
                        orElse = "5s",
                        min = 0,
                        max = 300_000)
                Duration reconnectTimeout,
        @Option(
                        value =
                                "How long an inference service may take to accept a call before"
                                        + " the caller gets an error.",
                        orElse = "2s",
                        min = 100,
                        max = 60_000)
                Duration backendReadyTimeout,
        @Option(value = "Whether inference services are talked to over TLS.", orElse = "false")
                boolean backendTls,
        @Option(
                        value =
                                "File of certificates, PEM, one of which must have signed that of"
                                        + " an inference service; empty: those that the system"
                                        + " trusts. It is read again when it changes, as the next"
                                        + " two are.",
                        orElse = "")
                String backendCaFile,
        @Option(
                        value =
                                "File of the certificate, PEM, that is shown to inference services,"
                                        + " for those that want to know whom they talk to.",
                        orElse = "")
                String backendCertificateFile,
        @Option(value = "File of the key of that certificate, PEM (PKCS #8).", orElse = "")
                String backendKeyFile,
        @Option(
                        value =
                                "Folder that recordings of calls are written to; empty: no call is"
                                        + " ever recorded.",
                        orElse = "")
                String recordingFolder,
        @Option(
                        value =
                                "Which calls are recorded: asked (those whose inference service"
                                        + " says so in its SessionReady) or all.",
                        orElse = "asked")
                RecordingSettings.Choice recording,
        @Option(
                        value =
                                "What the folder of recordings may hold, bytes. When it does,"
                                        + " recordings are broken off and none is begun until files"
                                        + " were taken away; calls go on.",
                        orElse = "1073741824",
                        min = 1_048_576)
                long recordingBytes,
        @Option(
                        value = "Most calls at a time; more are refused.",
                        orElse = "1000",
                        min = 1,
                        max = 1_000_000)
                int maxSessions,
        @Option(
                        value = "How long a client may take from the answer to finished DTLS.",
                        orElse = "15s",
                        min = 1_000,
                        max = 300_000)
                Duration setupTimeout,
        @Option(
                        value =
                                "How long a call lives without an ICE check of its client"
                                        + " (RFC 7675: 30s).",
                        orElse = "30s",
                        min = 1_000,
                        max = 300_000)
                Duration consentTimeout,
        @Option(value = "Longest call.", orElse = "2h", min = 1_000) Duration maxDuration,
        @Option(
                        value =
                                "How long a call lives while neither the client nor the inference"
                                        + " service says anything: no audio, no data. A client that"
                                        + " is muted still sends.",
                        orElse = "10m",
                        min = 1_000)
                Duration idleTimeout,
        @Option(
                        value =
                                "Most DTLS handshakes under way at a time; further calls wait for"
                                        + " their turn.",
                        orElse = "1000",
                        min = 1,
                        max = 1_000_000)
                int maxHandshakes,
        @Option(
                        value =
                                "Whether our audio goes out as soon as a client can have its keys,"
                                        + " a round trip before DTLS is done (RFC 7918's false"
                                        + " start). Nothing that comes from the client is taken"
                                        + " before.",
                        orElse = "true")
                boolean dtlsFalseStart,
        @Option(
                        value =
                                "How long a new call's set-up may have to wait for others' work, or"
                                        + " any work at all for half a second on end, before new"
                                        + " calls are refused, so that those that are there do not"
                                        + " suffer; 0s never refuses.",
                        orElse = "250ms",
                        max = 60_000)
                Duration maxDelay,
        @Option(
                        value =
                                "How long calls may go on after this process was told to stop (it"
                                        + " takes no new ones); then they are ended. Kubernetes"
                                        + " kills after terminationGracePeriodSeconds, 30 by"
                                        + " default, so give that more than this.",
                        orElse = "25s",
                        min = 0,
                        max = 86_400_000)
                Duration drainTimeout,
        @Option(
                        value =
                                "Longest wait for a missing input packet when later ones have"
                                        + " come; how long it pays is learnt from each call.",
                        orElse = "60ms",
                        min = 0,
                        max = 1_000)
                Duration reorderWait,
        @Option(
                        value =
                                "Whether clients that offer redundant audio (RFC 2198) send it: a"
                                        + " single lost packet then costs nothing, and their audio"
                                        + " takes twice the bits.",
                        orElse = "false")
                boolean red,
        @Option(
                        value =
                                "Whether clients are asked to send lost packets again (RFC 4585)"
                                        + " when the round trip allows.",
                        orElse = "true")
                boolean nack,
        @Option(
                        value =
                                "How long packets may wait for others, so that they are handled"
                                        + " together, while a media loop has some 40 calls or"
                                        + " more: that costs a little delay and saves much of the"
                                        + " work. 0ms: never.",
                        orElse = "1ms",
                        min = 0,
                        max = 5)
                Duration packetGathering,
        @Option(
                        value =
                                "Whether DTLS is carried in STUN as well (draft-hancke-webrtc-sped,"
                                        + " which Chromium has behind a switch) for clients that"
                                        + " offer it: calls connect sooner on networks that lose"
                                        + " packets.",
                        orElse = "false")
                boolean sped,
        @Option(
                        value =
                                "Whether clients that offer SCTP's INIT chunk in SDP"
                                        + " (draft-hancke-tsvwg-snap, an experiment of Chrome 151 to"
                                        + " 156) are answered ours: their data channels are open two"
                                        + " round trips sooner.",
                        orElse = "false")
                boolean snap,
        @Option(
                        value =
                                "Output audio that should be queued behind the first packet of a"
                                        + " spurt before it leaves; hides jitter of a source that"
                                        + " speaks in real time, and delays such a source by as much.",
                        orElse = "5ms",
                        min = 0,
                        max = 500)
                Duration outputCushion,
        @Option(
                        value =
                                "Output audio that always waits at most this long for its packet is"
                                        + " spoken in real time, and packets leave earlier, 2.5 ms at a"
                                        + " time, until it waits no longer than jitter of its source"
                                        + " makes necessary. Audio that comes further ahead keeps its"
                                        + " time. 0ms: never.",
                        orElse = "120ms",
                        min = 0,
                        max = 500)
                Duration outputCatchUp,
        @Option(
                        value =
                                "Output audio that may wait for its time; with more waiting nothing"
                                        + " more is read from the inference service, neither audio nor"
                                        + " ClearAudio.",
                        orElse = "10m",
                        min = 100,
                        max = 3_600_000)
                Duration outputHighWater,
        @Option(
                        value =
                                "Memory for output audio that waits in all calls together, bytes; one"
                                        + " call takes an eighth of it at most. When it is full a"
                                        + " call is read only up to 30 s ahead.",
                        orElse = "134217728",
                        min = 1_048_576,
                        max = 68_719_476_736L)
                long outputMemoryBytes,
        @Option(
                        value =
                                "Audio in each packet that we encode, 10, 20, 40 or 60 ms, where"
                                        + " the client's ptime and maxptime say nothing else.",
                        orElse = "20ms",
                        min = 10,
                        max = 60)
                Duration packetTime,
        @Option(
                        value =
                                "Target bitrate of the Opus that we encode, bits per second; less"
                                        + " where the client wants less or its network is full.",
                        orElse = "32000",
                        min = 6_000,
                        max = 510_000)
                int opusBitrate,
        @Option(
                        value = "How hard Opus is tried to be made: 0 (least work) to 10.",
                        orElse = "5",
                        min = 0,
                        max = 10)
                int opusComplexity,
        @Option(
                        value =
                                "Whether Opus packets carry a copy of the one before for clients"
                                        + " that can use it (useinbandfec=1).",
                        orElse = "true")
                boolean opusFec,
        @Option(
                        value =
                                "Whether silence is a packet every 400 ms rather than every"
                                        + " packet time; always so for clients that ask for it"
                                        + " (usedtx=1).",
                        orElse = "false")
                boolean outputDtx,
        @Option(
                        value = "Receive buffer asked for on each media socket, bytes.",
                        orElse = "4194304",
                        min = 4_096,
                        max = 1_073_741_824)
                int receiveBufferBytes,
        @Option(
                        value = "Send buffer asked for on each media socket, bytes.",
                        orElse = "4194304",
                        min = 4_096,
                        max = 1_073_741_824)
                int sendBufferBytes,
        @Option(
                        value =
                                "How datagrams move: auto, native (batched system calls, Linux"
                                        + " only) or portable (DatagramChannel).",
                        orElse = "auto")
                UdpMode udp) {

    public TransceiverConfig {
        if (!keys(routeKeys).has(routeKeyId)) {
            throw new ConfigException(
                    "route_key_id: route_keys has no key "
                            + routeKeyId
                            + "; name one of those it has");
        }
        if (udp == UdpMode.NATIVE && !udp.isBatched()) {
            throw new ConfigException(
                    "udp: native needs Linux on x86_64 or aarch64; give auto or portable");
        }
        if (!List.of(10L, 20L, 40L, 60L).contains(packetTime.toMillis())) {
            throw new ConfigException(
                    "packet_time: \"" + packetTime.toMillis() + "ms\" is not 10, 20, 40 or 60 ms");
        }
        if (backends.isEmpty()) {
            throw new ConfigException(
                    "backends: no inference service is given; write for instance"
                            + " \"*\": 127.0.0.1:9090");
        }
        backends.forEach(Backends::parse);
        if (backendCertificateFile.isEmpty() != backendKeyFile.isEmpty()) {
            throw new ConfigException(
                    (backendKeyFile.isEmpty() ? "backend_key_file" : "backend_certificate_file")
                            + ": is missing; a certificate and its key belong together");
        }
        if (!backendTls && !(backendCaFile.isEmpty() && backendKeyFile.isEmpty())) {
            throw new ConfigException(
                    "backend_tls: is off, but files for it are given; set it to true or take"
                            + " backend_ca_file, backend_certificate_file and backend_key_file"
                            + " away");
        }
    }

    BackendSettings backendSettings() {
        return new BackendSettings(
                backendKeepalive,
                backendKeepaliveTimeout,
                backendReadyTimeout,
                reconnectTimeout,
                new TlsSettings(backendTls, backendCaFile, backendCertificateFile, backendKeyFile));
    }

    /** How calls are recorded, if they are. */
    Optional<RecordingSettings> findRecording() {
        return recordingFolder.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new RecordingSettings(Path.of(recordingFolder), recording, recordingBytes));
    }

    /** The keys that seal and open route tokens. */
    RouteKeys keys() {
        return keys(routeKeys);
    }

    private static RouteKeys keys(Map<String, String> texts) {
        try {
            return RouteKeys.parse(texts);
        } catch (IllegalArgumentException e) {
            throw new ConfigException("route_keys: " + e.getMessage());
        }
    }
}
