package dev.parley.transceiver.session;

import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.SctpCounters;
import dev.parley.transceiver.inference.EventBacklog;
import java.util.Locale;

/**
 * How a call's data channels stand at one moment, and what waits where: enough to tell which side a
 * call waits for that has fallen silent.
 *
 * @param state of the SCTP association
 * @param ending why it is over, empty while it is not
 * @param channels that are open
 * @param messages that have passed, both ways
 * @param dataReceived DATA chunks
 * @param dataSent DATA chunks, repeated ones included
 * @param repeated of those
 * @param timeouts of T3-rtx
 * @param flightBytes sent and not acknowledged
 * @param bufferedBytes accepted and not acknowledged
 * @param congestionWindowBytes RFC 9260 7.2
 * @param peerWindowBytes what the client can take
 * @param receiveWindowBytes what we can take
 * @param held whether a message waits for room in the send buffer
 * @param waiting in front of inference and behind it
 */
public record DataSnapshot(
        Association.State state,
        String ending,
        int channels,
        long messages,
        long dataReceived,
        long dataSent,
        long repeated,
        long timeouts,
        int flightBytes,
        int bufferedBytes,
        int congestionWindowBytes,
        int peerWindowBytes,
        int receiveWindowBytes,
        boolean held,
        EventBacklog waiting) {
    static DataSnapshot of(
            Association association,
            String ending,
            int channels,
            long messages,
            boolean held,
            EventBacklog waiting) {
        SctpCounters counters = association.counters();
        return new DataSnapshot(
                association.state(),
                ending,
                channels,
                messages,
                counters.dataReceived(),
                counters.dataSent(),
                counters.retransmissions(),
                counters.timeouts(),
                association.flightBytes(),
                association.bufferedBytes(),
                association.congestionWindowBytes(),
                association.peerWindowBytes(),
                association.receiveWindowBytes(),
                held,
                waiting);
    }

    /** In one line, for people. */
    @Override
    public String toString() {
        return state.name().toLowerCase(Locale.ROOT)
                + (ending.isEmpty() ? "" : " (" + ending + ")")
                + " channels="
                + channels
                + " messages="
                + messages
                + " received="
                + dataReceived
                + " sent="
                + dataSent
                + " repeated="
                + repeated
                + " timeouts="
                + timeouts
                + " flight="
                + flightBytes
                + " buffered="
                + bufferedBytes
                + " cwnd="
                + congestionWindowBytes
                + " peer_window="
                + peerWindowBytes
                + " window="
                + receiveWindowBytes
                + (held ? " held" : "")
                + " up="
                + waiting.up()
                + "/"
                + waiting.upBytes()
                + (waiting.upReady() ? "" : " up_not_ready")
                + " down="
                + waiting.downBytes()
                + (waiting.downWithheld() ? " down_withheld" : "");
    }
}
