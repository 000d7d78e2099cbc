package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.ClientEvent;
import dev.parley.proto.inference.v1.ConverseRequest;
import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionEnd;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.CallSummary;
import dev.parley.transceiver.media.InputPath;
import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.Playout;
import dev.parley.transceiver.recording.CallTape;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The inference side of one call: its stream, its codecs where inference speaks PCM, and the queue
 * of output between them and the media loop. Made by the thread that sets the call up, which opens
 * it, waits for {@link #ready}, then connects it.
 */
public final class InferenceCall {
    /** What the call tells its owner, on threads that must not be blocked. */
    public interface Owner {
        /** The first input was handed to inference. */
        void onFirstInput();

        /** Inference failed and nothing more will come; at most once. */
        void onInferenceFailed(Status status);

        /** The stream broke, and another one is looked for. */
        default void onInferenceLost(Status status) {}

        /** Another stream goes on: after a loss, or because the replica wanted to stop. */
        default void onInferenceResumed() {}

        /**
         * A thread of the call died of a fault of ours.
         *
         * @param where which one
         */
        void onFault(String where, Throwable fault);

        /**
         * There is something for the client that its loop does not look for by itself: an event, or
         * speech that {@link #awaitOutput} has asked for.
         */
        void onOutput();

        /** The caller began to speak, or fell silent, as our detection has it. */
        default void onSpeech(boolean speaking) {}
    }

    private final String name;
    private final SessionStart start;
    private final InferenceLink link;
    private final CallResponses responses;
    private final Backlog backlog;
    private final CallEvents events;
    private final PlaybackReports.Awaited awaited = new PlaybackReports.Awaited();
    private final AudioCounters counters;
    private @Nullable CallAudio audio;
    private boolean refused;

    private InferenceCall(Backends backends, SessionStart start, Backlog backlog) {
        this.name = "codec-" + start.getSessionId();
        this.backlog = backlog;
        this.counters = backends.counters();
        this.start = start;
        this.responses = new CallResponses(backlog, backends.timers());
        this.link = new InferenceLink(backends, start, responses);
        this.events = new CallEvents(link);
    }

    /**
     * Opens the stream.
     *
     * @param backlog bounds the output that may wait before reading stops
     * @throws IllegalArgumentException when no backend serves the model
     */
    public static InferenceCall open(Backends backends, SessionStart start, Backlog backlog) {
        InferenceCall call = new InferenceCall(backends, start, backlog);
        call.link.open();
        return call;
    }

    /** The backend's acceptance, or a {@link StatusRuntimeException} with its refusal. */
    public CompletableFuture<SessionReady> ready() {
        return responses.ready();
    }

    /**
     * Sets up the audio paths and lets the backend speak; once, after {@link #ready}.
     *
     * @param wire how output looks to the client
     * @param encoder how PCM of inference is encoded
     * @param surfaces makes what stands between clients and inference, if inference wants it
     */
    public void connect(
            Formats formats,
            OutputFormat wire,
            OpusSettings encoder,
            OpusLibrary library,
            LongSupplier clock,
            EventSurface.Factory surfaces,
            Owner owner) {
        CallAudio made =
                new CallAudio(
                        name,
                        link,
                        formats,
                        wire,
                        encoder,
                        library,
                        responses.hasSurface(),
                        counters,
                        clock,
                        new AudioOwner(owner));
        audio = made;
        OutputIntake intake =
                new OutputIntake(
                        formats.output(),
                        wire.packetMillis(),
                        made.target(),
                        backlog,
                        awaited,
                        events,
                        counters,
                        link.breaches(),
                        link.pace(),
                        clock);
        events.connect(
                owner::onOutput,
                responses.hasSurface()
                        ? surface(
                                surfaces, new SurfaceEdge(events, link, intake, made), clock, owner)
                        : null);
        if (responses.connect(new CallResponses.Connection(intake, events, owner))) {
            link.requestNext();
        }
    }

    private EventThread surface(
            EventSurface.Factory surfaces,
            EventSurface.Edge edge,
            LongSupplier clock,
            Owner owner) {
        EventSurface made = surfaces.make(start, ready().join(), edge, clock.getAsLong());
        return new EventThread(
                "events-" + start.getSessionId(),
                made,
                clock,
                events::payVote,
                fault -> owner.onFault("events", fault));
    }

    /**
     * Where the media loop puts input; only when connected. What it puts there in one turn leaves
     * with {@link Backends#flush}.
     */
    public InputPath.Sink input() {
        return audio().input();
    }

    private CallAudio audio() {
        CallAudio connected = audio;
        if (connected == null) {
            throw new IllegalStateException("not connected");
        }
        return connected;
    }

    /** Keeps what happens in the call; from its acceptance on. */
    public CallTape tape() {
        return link.tape();
    }

    /** Where dropped audio is counted. */
    public AudioCounters counters() {
        return counters;
    }

    /** A playout's listener that reports to inference. */
    public Playout.Listener reports(Consumer<String> onHangup) {
        PlaybackReports made =
                new PlaybackReports(
                        events::fromEdge, awaited, bytes -> removed(0, bytes), onHangup);
        responses.reports(made);
        return made;
    }

    /**
     * The client has reported how our stream arrives; on the media loop.
     *
     * @param fractionLost in 256ths
     * @param roundTripNanos or a negative number
     */
    public void steer(int fractionLost, long roundTripNanos) {
        audio().steer(fractionLost, roundTripNanos);
    }

    /** Tells inference how the call sounds. */
    public void tellQuality(CallSummary summary) {
        events.fromEdge(
                ConverseRequest.newBuilder().setQualityReport(QualityReports.of(summary)).build());
    }

    /** Tells inference whether the client sends and wants audio from now on; on the media loop. */
    public void tellMedia(boolean inputAudio, boolean outputAudio) {
        CallMedia changed =
                start.getMedia().toBuilder()
                        .setInputAudio(inputAudio)
                        .setOutputAudio(outputAudio)
                        .build();
        link.media(changed);
        ConverseRequest told = ConverseRequest.newBuilder().setMediaChanged(changed).build();
        link.tape().fromClient(told);
        events.fromEdge(told);
    }

    /** Milliseconds of the caller's audio that had to be made up. */
    public long concealedMillis() {
        return audio == null ? 0 : audio.concealedMillis();
    }

    /** The next thing inference wants done with its output, or null; for the media loop. */
    public @Nullable OutputItem pollOutput() {
        return audio().pollOutput();
    }

    /**
     * Has the owner told of the next thing, once, as nobody will look for it soon; answers false
     * when there is something already.
     */
    public boolean awaitOutput() {
        return audio().awaitOutput();
    }

    /**
     * Tells that output has been sent or cleared, so that more may be read and encoded.
     *
     * @param samples what they counted for in the backlog, at 48 kHz
     * @param bytes the same, of memory
     */
    public void left(int frames, long samples, long bytes) {
        audio().left(frames);
        removed(samples, bytes);
    }

    /** Reads on if other calls have made room for it; costs next to nothing. */
    public void lookAgain() {
        if (backlog.goesOn()) {
            events.vote();
        }
    }

    /** Sends inference what came of a data channel; never dropped. */
    public void sendEvent(ConverseRequest event) {
        link.tape().fromClient(event);
        events.fromChannel(event);
    }

    /** Whether inference reads fast enough for more of {@link #sendEvent}. */
    public boolean hasEventRoom() {
        return events.hasRoom();
    }

    /** The next thing for a data channel, or null; to be given back to {@link #eventLeft}. */
    public @Nullable ConverseResponse pollEvent() {
        return events.poll();
    }

    /** Tells that it has been sent or dropped, so that more may be read. */
    public void eventLeft(ConverseResponse event) {
        events.left(event);
    }

    /** The client has a channel now; until then a little is kept for it. */
    public void channelOpened() {
        events.channelOpened();
    }

    /** The client will have no channel: what is meant for one is dropped. */
    public void noChannels() {
        events.noChannels();
    }

    /**
     * Joins one more client of the call's events; any thread. It hears of all that clients are told
     * from now on.
     */
    public void attach(EventClient client) {
        events.attach(client);
    }

    /** Parts with it; any thread. */
    public void detach(EventClient client) {
        events.detach(client);
    }

    /**
     * Takes an event of an attached client as if it had come on the data channel; any thread.
     * Answers false when it cannot be taken now: it is to be offered again a little later.
     */
    public boolean offerEvent(EventClient from, ClientEvent event) {
        boolean taken = events.offer(from, event);
        if (taken) {
            link.tape().fromClient(ConverseRequest.newBuilder().setClientEvent(event).build());
        }
        return taken;
    }

    /** What of its events waits, and for whom. */
    public EventBacklog waitingEvents() {
        return events.waiting();
    }

    /** Messages for channels that had to be dropped since the last question. */
    public long takeDroppedEvents() {
        return events.takeDropped();
    }

    /**
     * Ends the call from our side; on the media loop.
     *
     * @param summary how it sounded, null when nothing was to be heard
     */
    public void end(EndReason reason, String message, @Nullable CallSummary summary) {
        SessionEnd.Builder end = SessionEnd.newBuilder().setReason(reason).setMessage(message);
        if (summary != null) {
            end.setQuality(QualityReports.of(summary));
        }
        PlaybackReports made = responses.reports();
        if (made != null) {
            made.ended();
        }
        events.end(() -> link.end(end.build()));
        close();
    }

    /**
     * Breaks off a call because its backend has broken the contract.
     *
     * @param why a whole sentence for the backend's developer
     */
    public void refuse(String why) {
        refused = true;
        link.end(Leg.refusal(why));
    }

    /** Breaks off a call that never began, unless it was refused. */
    public void cancel(String reason) {
        if (refused) {
            return;
        }
        events.end(() -> link.cancel(reason));
        close();
    }

    private void close() {
        backlog.close();
        if (audio != null) {
            audio.close();
        }
    }

    /** Input messages that inference was too slow for. */
    public long inputDropped() {
        return link.audioDropped();
    }

    private void removed(long samples, long bytes) {
        if (backlog.remove(samples, bytes)) {
            events.vote();
        }
    }

    /** What the call's audio has to tell. */
    private final class AudioOwner implements CallAudio.Owner {
        private final Owner owner;

        AudioOwner(Owner owner) {
            this.owner = owner;
        }

        @Override
        public void event(ConverseRequest event) {
            events.fromEdge(event);
            if (event.hasSpeechStarted() || event.hasSpeechStopped()) {
                owner.onSpeech(event.hasSpeechStarted());
            }
        }

        @Override
        public void onFirstInput() {
            owner.onFirstInput();
        }

        @Override
        public void onOutput() {
            owner.onOutput();
        }

        @Override
        public void removed(long samples, long bytes) {
            InferenceCall.this.removed(samples, bytes);
        }

        @Override
        public void onFault(Throwable fault) {
            owner.onFault("codec", fault);
        }
    }
}
