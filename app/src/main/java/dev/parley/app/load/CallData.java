package dev.parley.app.load;

import dev.parley.rtc.datachannel.ChannelEvent;
import dev.parley.rtc.datachannel.DataChannel;
import dev.parley.rtc.datachannel.DataChannels;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.sctp.Association;
import dev.parley.rtc.sctp.Reliability;
import dev.parley.rtc.sctp.SctpConfig;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The data channel of one call: opens it, sends messages, and times those that come back. Owned by
 * its call.
 */
final class CallData {
    private static final String LABEL = "oai-events";
    private static final int SCTP_PORT = 5_000;
    private static final double NANOS_PER_SECOND = 1e9;
    private static final Pattern OWN =
            Pattern.compile("\\{\"type\":\"parley\\.load\",\"caller\":(\\d+),\"sent\":(-?\\d+)}");

    private final LoadCall call;
    private final CallDtls dtls;
    private final Association association;
    private final DataChannels channels;
    private final byte[] packet = new byte[SctpConfig.DEFAULT_PACKET_BYTES];
    private final long intervalNanos;
    private @Nullable DataChannel channel;
    private boolean open;
    private long messageDueNanos;

    CallData(
            LoadHost host,
            LoadCall call,
            CallDtls dtls,
            DtlsRole role,
            double messagesPerSecond,
            long nowNanos) {
        this.call = call;
        this.dtls = dtls;
        this.association = new Association(SctpConfig.DEFAULT, SCTP_PORT, SCTP_PORT, host.random());
        this.channels =
                new DataChannels(
                        association, new DataChannels.Limits(4, 1_024, 0), role == DtlsRole.CLIENT);
        this.intervalNanos =
                messagesPerSecond > 0
                        ? (long) (NANOS_PER_SECOND / messagesPerSecond)
                        : Long.MAX_VALUE;
        association.connect(nowNanos);
        channel = channels.open(LABEL, "", true, Reliability.RELIABLE, nowNanos);
        work(nowNanos);
    }

    long deadlineNanos(long latest, long nowNanos) {
        long deadline = association.deadlineNanos(nowNanos);
        if (open && intervalNanos != Long.MAX_VALUE && messageDueNanos - deadline < 0) {
            deadline = messageDueNanos;
        }
        return deadline - latest < 0 ? deadline : latest;
    }

    void onTimer(long nowNanos) {
        association.onTimer(nowNanos);
        DataChannel to = channel;
        if (open
                && to != null
                && intervalNanos != Long.MAX_VALUE
                && messageDueNanos - nowNanos <= 0) {
            String text =
                    "{\"type\":\"parley.load\",\"caller\":%d,\"sent\":%d}"
                            .formatted(call.number(), nowNanos);
            byte[] payload = text.getBytes(StandardCharsets.UTF_8);
            if (channels.send(to, false, payload, nowNanos) == DataChannels.Sent.ACCEPTED) {
                call.tally().messagesSent++;
            }
            messageDueNanos = nowNanos + intervalNanos;
        }
        work(nowNanos);
    }

    void receive(byte[] record, long nowNanos) {
        association.handle(record, 0, record.length, nowNanos);
        work(nowNanos);
    }

    private void work(long nowNanos) {
        ChannelEvent event = channels.pollEvent(nowNanos);
        while (event != null) {
            take(event, nowNanos);
            event = channels.pollEvent(nowNanos);
        }
        int length = association.poll(packet, 0, nowNanos);
        while (length > 0) {
            // What DTLS does not send is lost as on the network, and sent again.
            var _ = dtls.sendData(packet, 0, length);
            length = association.poll(packet, 0, nowNanos);
        }
    }

    private void take(ChannelEvent event, long nowNanos) {
        switch (event) {
            case ChannelEvent.Opened(DataChannel opened, boolean byPeer) -> {
                if (!byPeer) {
                    open = true;
                    messageDueNanos = nowNanos;
                    call.channelOpened();
                }
            }
            case ChannelEvent.Message message -> {
                Matcher own = OWN.matcher(new String(message.payload(), StandardCharsets.UTF_8));
                if (own.matches() && Long.parseLong(own.group(1)) == call.number()) {
                    call.tally().messagesReturned++;
                    Tally.record(call.tally().message, nowNanos - Long.parseLong(own.group(2)));
                }
            }
            case ChannelEvent.Closed _, ChannelEvent.Ended _ -> open = false;
            case ChannelEvent.Connected _ -> {}
        }
    }
}
