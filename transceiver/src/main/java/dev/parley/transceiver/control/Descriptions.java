package dev.parley.transceiver.control;

import dev.parley.proto.control.v1.DescribeSessionResponse;
import dev.parley.proto.control.v1.SessionState;
import dev.parley.proto.control.v1.SetupTimes;
import dev.parley.proto.control.v1.StreamQuality;
import dev.parley.transceiver.media.CallQuality;
import dev.parley.transceiver.media.CallSummary;
import dev.parley.transceiver.session.SessionSnapshot;
import dev.parley.transceiver.session.SetupPhases;
import dev.parley.transceiver.session.SetupPhases.Phase;

/** What the control API tells about calls. */
final class Descriptions {
    private static final double NANOS_PER_MILLI = 1e6;

    private Descriptions() {}

    static DescribeSessionResponse of(Calls.Call call, SessionSnapshot now) {
        return of(now, call.session().phases())
                .setIceGeneration(call.negotiation().generation())
                .build();
    }

    static DescribeSessionResponse of(Calls.Ended call) {
        return of(call.how().last(), call.phases())
                .setState(SessionState.SESSION_STATE_ENDED)
                .setEndReason(call.how().reason().wire())
                .setEndMessage(call.how().message())
                .build();
    }

    private static DescribeSessionResponse.Builder of(SessionSnapshot now, SetupPhases phases) {
        DescribeSessionResponse.Builder response = DescribeSessionResponse.newBuilder();
        if (now.roundTripNanos() >= 0) {
            response.setRoundTripMs(now.roundTripNanos() / NANOS_PER_MILLI);
        }
        if (now.quality() != null) {
            addQuality(response, now.quality());
        }
        return response.setState(
                        switch (now.state()) {
                            case NEW -> SessionState.SESSION_STATE_NEW;
                            case CONNECTING -> SessionState.SESSION_STATE_CONNECTING;
                            case CONNECTED -> SessionState.SESSION_STATE_CONNECTED;
                            case ENDED -> SessionState.SESSION_STATE_ENDED;
                        })
                .setAgeMs((long) (now.ageNanos() / NANOS_PER_MILLI))
                .setPacketsReceived(now.received())
                .setPacketsSent(now.sent())
                .setPacketsLost(now.lost())
                .setJitterMs(now.jitterNanos() / NANOS_PER_MILLI)
                .setSetup(setup(phases));
    }

    private static void addQuality(DescribeSessionResponse.Builder response, CallSummary quality) {
        response.setConcealedMs(quality.concealedMillis())
                .setPacketsLostByClient(Math.max(0, quality.remoteLost()));
        if (quality.input() != null) {
            response.setInputQuality(side(quality.input()));
        }
        if (quality.output() != null) {
            response.setOutputQuality(side(quality.output()));
        }
    }

    private static StreamQuality side(CallQuality.Summary side) {
        return StreamQuality.newBuilder()
                .setLossPercent(side.lossShare() * 100)
                .setJitterMs(side.jitterMillis())
                .setRating(side.rating())
                .setMeanOpinionScore(side.meanOpinionScore())
                .build();
    }

    private static SetupTimes setup(SetupPhases phases) {
        SetupTimes.Builder times = SetupTimes.newBuilder();
        for (Phase phase : Phase.values()) {
            if (phases.has(phase)) {
                double millis = phases.millis(phase);
                var _ =
                        switch (phase) {
                            case ANSWERED -> times.setAnswerMs(millis);
                            case FIRST_CHECK -> times.setFirstCheckMs(millis);
                            case DTLS_CONNECTED -> times.setDtlsConnectedMs(millis);
                            case FIRST_RTP -> times.setFirstRtpMs(millis);
                            case FIRST_INPUT -> times.setFirstInputAudioMs(millis);
                        };
            }
        }
        return times.build();
    }
}
