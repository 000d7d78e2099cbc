package dev.parley.transceiver.session;

import dev.parley.rtc.datachannel.ChannelDrop;
import dev.parley.rtc.ice.IceVerdict;
import dev.parley.rtc.route.RouteVerdict;
import dev.parley.rtc.sctp.SctpDrop;
import dev.parley.rtc.srtp.SrtpVerdict;
import dev.parley.transceiver.media.CallQuality.QualityClass;
import java.util.concurrent.atomic.AtomicLong;

/** What one media loop counts. Its thread writes, any thread reads. */
final class LoopCounters {
    final EnumCounters<Drop> drops = new EnumCounters<>(Drop.class);
    final EnumCounters<RouteVerdict> routes = new EnumCounters<>(RouteVerdict.class);
    final EnumCounters<IceVerdict> checks = new EnumCounters<>(IceVerdict.class);
    final EnumCounters<SrtpVerdict> srtp = new EnumCounters<>(SrtpVerdict.class);
    final EnumCounters<SctpDrop> sctp = new EnumCounters<>(SctpDrop.class);
    final EnumCounters<ChannelDrop> channels = new EnumCounters<>(ChannelDrop.class);
    final EnumCounters<EndReason> ended = new EnumCounters<>(EndReason.class);

    /** Time spent on turns. */
    final AtomicLong busyNanos = new AtomicLong();

    /** DTLS datagrams that came in checks, and those that went in their answers. */
    final AtomicLong dtlsInChecks = new AtomicLong();

    final AtomicLong dtlsInAnswers = new AtomicLong();

    /** Authentic RTP packets. */
    final AtomicLong rtpReceived = new AtomicLong();

    /** DTLS handshakes under way. */
    final AtomicLong handshakes = new AtomicLong();

    final AtomicLong rtpSent = new AtomicLong();

    /** Packets sent once more because a client asked for them. */
    final AtomicLong rtpSentAgain = new AtomicLong();

    /** Calls that ended, by how the caller sounded to us. */
    final EnumCounters<QualityClass> inputQuality = new EnumCounters<>(QualityClass.class);

    /** Calls that ended, by how we sounded to the caller. */
    final EnumCounters<QualityClass> outputQuality = new EnumCounters<>(QualityClass.class);

    /** Datagrams dropped because the socket's send buffer was full. */
    final AtomicLong unsent = new AtomicLong();

    /** Packets that never came in time. */
    final AtomicLong rtpLost = new AtomicLong();

    /** Adds to a counter; only the loop's thread. */
    static void add(AtomicLong counter, long amount) {
        counter.setRelease(counter.getPlain() + amount);
    }
}
