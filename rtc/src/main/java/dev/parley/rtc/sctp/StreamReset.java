package dev.parley.rtc.sctp;

import dev.parley.rtc.sctp.Codes.Chunk;
import dev.parley.rtc.sctp.Codes.Parameter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;

/**
 * Resets streams, RFC 6525: ours when a channel closes, the peer's when it asks. Owned by an
 * association, made when both initial TSNs are known.
 *
 * <p>One request of ours is under way at a time. It leaves when everything sent on its streams has
 * been acknowledged, so the peer can rarely answer "in progress".
 */
final class StreamReset {
    /** Results of RFC 6525 4.4. */
    private static final int NOTHING_TO_DO = 0;

    private static final int PERFORMED = 1;
    private static final int DENIED = 2;
    private static final int BAD_SEQUENCE_NUMBER = 5;
    private static final int IN_PROGRESS = 6;

    private static final int REQUEST_FIXED_LENGTH = 16;
    private static final int MAX_STREAMS_PER_REQUEST = 128;

    private final OutboundStreams outbound;
    private final InboundData inbound;
    private final RetransmissionQueue sent;
    private final RtoEstimator rto;
    private final ControlChunks control;
    private final Queue<SctpEvent> events;
    private final SctpCounters counters;
    private final int outboundStreams;
    private final int inboundLimit;
    private int peerStreams;

    // Ours
    private final Set<Integer> wanted = new LinkedHashSet<>();
    private List<Integer> requested = List.of();
    private int requestNumber;
    private int requestLastTsn;
    private boolean requestDue;
    private int repetitions;
    private int answeredRequest;
    private final Deadline timer = new Deadline();

    // The peer's
    private int nextPeerRequest;
    private int lastResult = NOTHING_TO_DO;
    private List<Integer> deferred = List.of();
    private boolean isDeferred;
    private long deferredTsn;

    /** What both sides have said of themselves. */
    record Terms(
            int localInitialTsn,
            int peerInitialTsn,
            int outboundStreams,
            int peerStreams,
            int inboundLimit) {}

    StreamReset(
            Terms terms,
            OutboundStreams outbound,
            InboundData inbound,
            RetransmissionQueue sent,
            RtoEstimator rto,
            ControlChunks control,
            Queue<SctpEvent> events,
            SctpCounters counters) {
        this.outbound = outbound;
        this.inbound = inbound;
        this.sent = sent;
        this.rto = rto;
        this.control = control;
        this.events = events;
        this.counters = counters;
        this.outboundStreams = terms.outboundStreams();
        this.peerStreams = terms.peerStreams();
        this.inboundLimit = terms.inboundLimit();
        this.requestNumber = terms.localInitialTsn();
        this.nextPeerRequest = terms.peerInitialTsn();
        // RFC 6525 4.1: without an incoming request, the number before the peer's first.
        this.answeredRequest = terms.peerInitialTsn() - 1;
    }

    // --- ours

    /** The stream is to be reset once it has drained. */
    void want(int streamId) {
        if (!requested.contains(streamId)) {
            wanted.add(streamId);
        }
    }

    /** Requests in a row without an answer. */
    int repetitions() {
        return repetitions;
    }

    /** Whether {@link #write} has something to write. */
    boolean isDue() {
        if (requested.isEmpty() && !wanted.isEmpty()) {
            gather();
        }
        return requestDue;
    }

    private void gather() {
        List<Integer> drained = new ArrayList<>();
        for (Integer streamId : wanted) {
            if (drained.size() < MAX_STREAMS_PER_REQUEST && outbound.isDrained(streamId)) {
                drained.add(streamId);
            }
        }
        if (!drained.isEmpty()) {
            drained.forEach(wanted::remove);
            drained.forEach(outbound::resetting);
            requested = drained;
            requestLastTsn = sent.lastAssignedTsn();
            requestDue = true;
            repetitions = 0;
        }
    }

    // RFC 6525 4.1
    int length() {
        return Wire.padded(4 + REQUEST_FIXED_LENGTH + 2 * requested.size());
    }

    void write(PacketWriter packet, long nowNanos) {
        packet.chunk(Chunk.RE_CONFIG, 0).tlv(Parameter.OUTGOING_RESET_REQUEST);
        packet.i32(requestNumber).i32(answeredRequest).i32(requestLastTsn);
        for (int streamId : requested) {
            packet.u16(streamId);
        }
        packet.endTlv().endChunk();
        requestDue = false;
        timer.start(nowNanos + rto.rtoNanos());
    }

    void onTimer(long nowNanos) {
        if (timer.isDue(nowNanos)) {
            timer.stop();
            repetitions++;
            requestDue = true;
            rto.backOff();
        }
    }

    long deadlineOrEarlier(long otherNanos) {
        return timer.orEarlier(otherNanos);
    }

    private void receiveResponse(int number, int result, long nowNanos) {
        if (requested.isEmpty() || number != requestNumber) {
            counters.drop(SctpDrop.BAD_RECONFIG);
            return;
        }
        repetitions = 0;
        if (result == IN_PROGRESS) {
            // RFC 6525 5.2.7: the same request again, a timeout later.
            timer.start(nowNanos + rto.rtoNanos());
            requestDue = false;
            return;
        }
        boolean performed = result == NOTHING_TO_DO || result == PERFORMED;
        List<Integer> streams = requested;
        requested = List.of();
        requestNumber++;
        requestDue = false;
        timer.stop();
        for (int streamId : streams) {
            outbound.reopen(streamId, performed);
            events.add(new SctpEvent.OutgoingReset(streamId, performed));
        }
    }

    // --- the peer's

    /** Takes a RE-CONFIG chunk; false when it does not parse. */
    boolean receive(PacketReader chunk, long nowNanos) {
        byte[] bytes = chunk.bytes();
        TlvReader reader = new TlvReader(bytes, chunk.valueAt(), chunk.valueLength());
        boolean understood = true;
        while (reader.next()) {
            understood &= receive(bytes, reader, nowNanos);
        }
        return understood && reader.isWhole();
    }

    private boolean receive(byte[] bytes, TlvReader parameter, long nowNanos) {
        if (parameter.valueLength() < 8) {
            return parameter.type() == Parameter.SSN_TSN_RESET_REQUEST
                    && parameter.valueLength() == 4
                    && refuse(Wire.i32(bytes, parameter.valueAt()));
        }
        int number = Wire.i32(bytes, parameter.valueAt());
        int second = Wire.i32(bytes, parameter.valueAt() + 4);
        return switch (parameter.type()) {
            case Parameter.OUTGOING_RESET_REQUEST ->
                    parameter.valueLength() >= 12
                            && receiveOutgoing(
                                    number,
                                    Wire.i32(bytes, parameter.valueAt() + 8),
                                    streams(bytes, parameter, 12));
            case Parameter.INCOMING_RESET_REQUEST ->
                    receiveIncoming(number, streams(bytes, parameter, 4));
            case Parameter.RECONFIG_RESPONSE -> {
                receiveResponse(number, second, nowNanos);
                yield true;
            }
            case Parameter.ADD_OUTGOING_STREAMS -> addStreams(number, second >>> 16);
            case Parameter.ADD_INCOMING_STREAMS -> refuse(number);
            default -> false;
        };
    }

    private static List<Integer> streams(byte[] bytes, TlvReader parameter, int skip) {
        List<Integer> streams = new ArrayList<>();
        for (int i = skip; i + 2 <= parameter.valueLength(); i += 2) {
            streams.add(Wire.u16(bytes, parameter.valueAt() + i));
        }
        return streams;
    }

    /** RFC 6525 5.2.1: whether a request is new; a repeated one gets its answer again. */
    private boolean isNew(int number) {
        if (number == nextPeerRequest) {
            nextPeerRequest++;
            return true;
        }
        boolean repeated = number == nextPeerRequest - 1;
        respond(number, repeated ? lastResult : BAD_SEQUENCE_NUMBER);
        counters.drop(SctpDrop.BAD_RECONFIG);
        return false;
    }

    // RFC 6525 5.2.2
    private boolean receiveOutgoing(int number, int lastTsn, List<Integer> streams) {
        if (!isNew(number)) {
            return true;
        }
        for (int streamId : streams) {
            if (streamId >= inboundLimit) {
                answer(number, DENIED);
                return true;
            }
        }
        deferred = streams;
        deferredTsn = inbound.extend(lastTsn);
        isDeferred = true;
        if (!performIfReached()) {
            // The peer sends nothing more on these streams until it has an answer, so there is
            // nothing to hold back meanwhile.
            answer(number, IN_PROGRESS);
        }
        return true;
    }

    /** The cumulative TSN may have moved. */
    boolean performIfReached() {
        if (!isDeferred || inbound.cumulativeTsn() - deferredTsn < 0) {
            return false;
        }
        isDeferred = false;
        if (deferred.isEmpty()) {
            inbound.resetAll();
            events.add(new SctpEvent.IncomingResetOfAll());
        }
        for (int streamId : deferred) {
            inbound.reset(streamId);
            events.add(new SctpEvent.IncomingReset(streamId));
        }
        deferred = List.of();
        answer(nextPeerRequest - 1, PERFORMED);
        return true;
    }

    // RFC 6525 5.2.3: our request for these streams is the answer.
    private boolean receiveIncoming(int number, List<Integer> streams) {
        if (!isNew(number)) {
            return true;
        }
        if (streams.isEmpty() || streams.stream().anyMatch(id -> id >= outboundStreams)) {
            answer(number, DENIED);
            return true;
        }
        answeredRequest = number;
        lastResult = PERFORMED;
        for (int streamId : streams) {
            outbound.drain(streamId, false);
            want(streamId);
        }
        return true;
    }

    // RFC 6525 5.2.5: as many as our INIT has allowed. We take any of them anyway.
    private boolean addStreams(int number, int more) {
        if (isNew(number)) {
            boolean allowed = peerStreams + more <= inboundLimit;
            peerStreams += allowed ? more : 0;
            answer(number, allowed ? PERFORMED : DENIED);
        }
        return true;
    }

    private boolean refuse(int number) {
        if (isNew(number)) {
            answer(number, DENIED);
        }
        return true;
    }

    private void answer(int number, int result) {
        lastResult = result;
        respond(number, result);
    }

    private void respond(int number, int result) {
        PacketWriter packet = control.begin();
        packet.chunk(Chunk.RE_CONFIG, 0).tlv(Parameter.RECONFIG_RESPONSE);
        packet.i32(number).i32(result).endTlv().endChunk();
        control.send();
    }
}
