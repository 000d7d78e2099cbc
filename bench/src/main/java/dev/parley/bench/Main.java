package dev.parley.bench;

import dev.parley.bench.all.AllBench;
import dev.parley.bench.audio.BargeInBench;
import dev.parley.bench.audio.ChurnBench;
import dev.parley.bench.audio.CpuBench;
import dev.parley.bench.audio.DelayBench;
import dev.parley.bench.audio.InputBench;
import dev.parley.bench.audio.LossBench;
import dev.parley.bench.audio.PacingBench;
import dev.parley.bench.audio.SpeechBench;
import dev.parley.bench.capacity.CapacityModel;
import dev.parley.bench.grpc.GrpcTransportBench;
import dev.parley.bench.sessions.SessionsBench;
import dev.parley.bench.signaling.SetupRateBench;
import dev.parley.bench.signaling.SignalingAbuse;
import dev.parley.bench.soak.SoakBench;
import dev.parley.bench.telemetry.TelemetryBench;
import java.util.Arrays;

/** The command {@code ./parley bench}: which benchmarks there are, and running one of them. */
public final class Main {
    private static final String USAGE =
            """
            usage: ./parley bench NAME [OPTIONS]

              all                the figures that matter, with medians and spreads, compared with bench/baseline.json
                                 (--rounds N --only PART,... --write FILE)
              relay              packets a second through a relay, against other relays
              sessions           what one core of a transceiver carries: processor time per echoed packet, round trip,
                                 loss, memory, set-ups a second (--calls N,N,... --formats F,... --json FILE)
              soak               an hour of the whole product under calls that come and go: does anything grow?
                                 (--minutes N --sessions N --call-seconds S --report FILE)
              setup-rate         calls a second that are set up, with DTLS and audio there and back
              signaling-abuse    what strangers may try against signaling, and what it costs
              srtp [SECONDS]     SRTP per packet, ours and jitsi-srtp (a minute with 1 s a measurement)
              sctp [SECONDS]     data channels over links that lose and delay, in virtual time
              dtls-loss [N]      how many of N handshakes a bad path lets through, and how soon (2 minutes with 200)
              opus               Opus per 20 ms frame, by library and complexity
              opus-quality WAV   what Opus keeps of a voice, by complexity
              pacing             how evenly packets leave, at 1, 100 and 500 calls with agents that burst
              barge-in           the last packet after ClearAudio, and the error of audio_end_ms
              audio-delay        from an agent's message to its packet at the caller
              audio-cpu          processor time per call and second, by what the agent speaks
                                 (these four: --rounds N --seconds N --sessions N --json FILE)
              audio-input        a caller's audio from RTP to the stream: processor time, delay
              audio-loss [WAV]   a caller's voice when packets are lost, by kind of repair
              speech FOLDER      speech detectors on labelled recordings
              churn              what a transceiver holds before and after callers that vanish
                                 (--cycles N --json FILE)
              telemetry          what metrics and traces cost relay and transceiver
                                 (--rounds N --seconds N --sessions N --json FILE)
              grpc load|probes|balance
                                 Converse streams over gRPC transports, and who gets the next call
              capacity           computes, from measured costs and a world of callers, what a fleet needs
                                 (--calls N[,N...] --set NAME=VALUE --json FILE)
            """;

    private Main() {}

    /** Exits with 2 when there is no such benchmark. */
    public static void main(String[] arguments) throws Exception {
        String name = arguments.length == 0 ? "" : arguments[0];
        String[] options =
                Arrays.copyOfRange(arguments, Math.min(1, arguments.length), arguments.length);
        switch (name) {
            case "all" -> AllBench.main(options);
            case "relay" -> RelayBench.main(options);
            case "setup-rate" -> SetupRateBench.main(options);
            case "signaling-abuse" -> SignalingAbuse.main(options);
            case "srtp" -> SrtpBench.main(options);
            case "sctp" -> SctpBench.main(options);
            case "dtls-loss" -> DtlsBench.main(options);
            case "opus" -> org.openjdk.jmh.Main.main(new String[] {OpusBench.class.getName()});
            case "opus-quality" -> OpusQuality.main(options);
            case "pacing" -> PacingBench.main(options);
            case "barge-in" -> BargeInBench.main(options);
            case "audio-delay" -> DelayBench.main(options);
            case "audio-cpu" -> CpuBench.main(options);
            case "audio-input" -> InputBench.main(options);
            case "audio-loss" -> LossBench.main(options);
            case "speech" -> SpeechBench.main(options);
            case "churn" -> ChurnBench.main(options);
            case "soak" -> SoakBench.main(options);
            case "sessions" -> SessionsBench.main(options);
            case "capacity" -> CapacityModel.main(options);
            case "telemetry" -> TelemetryBench.main(options);
            case "grpc" -> GrpcTransportBench.main(options);
            default -> {
                System.err.print(USAGE);
                System.exit(name.isEmpty() ? 0 : 2);
            }
        }
    }
}
