package dev.parley.transceiver.replay;

import dev.parley.otel.trace.Tracing;
import dev.parley.proto.inference.v1.CallMedia;
import dev.parley.proto.inference.v1.EndReason;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.proto.inference.v1.SessionStart;
import dev.parley.transceiver.audio.ClientCodec;
import dev.parley.transceiver.audio.G711;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.inference.BackendSettings;
import dev.parley.transceiver.inference.Backends;
import dev.parley.transceiver.inference.Formats;
import dev.parley.transceiver.inference.InferenceCall;
import dev.parley.transceiver.inference.OutputFeed;
import dev.parley.transceiver.inference.StreamStatus;
import dev.parley.transceiver.media.AudioCounters;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.OutputFormat;
import dev.parley.transceiver.media.OutputItem;
import dev.parley.transceiver.media.OutputMemory;
import dev.parley.transceiver.media.Playout;
import dev.parley.transceiver.media.VoiceInput;
import dev.parley.transceiver.realtime.RealtimeCounters;
import dev.parley.transceiver.realtime.RealtimeSurface;
import dev.parley.transceiver.recording.PacketFile;
import dev.parley.transceiver.replay.RecordedCall.ClientSaid;
import dev.parley.transceiver.replay.RecordedCall.Heard;
import dev.parley.transceiver.replay.RecordedCall.KeyPressed;
import dev.parley.transceiver.replay.RecordedCall.Moment;
import dev.parley.transceiver.speech.SpeechSettings;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One replay of a call: hands packets and events over when they came, plays what is answered to
 * nobody, at a caller's pace, and tells what happens. Owned by the thread that {@link #run}s it.
 */
public final class Replay implements AutoCloseable {
    private static final int PACKET_MILLIS = 20;
    private static final int PACKET_SAMPLES = InputClock.RATE_HZ / 1_000 * PACKET_MILLIS;
    private static final int SAMPLES_PER_MILLI = InputClock.RATE_HZ / 1_000;
    private static final int CUSHION_SAMPLES = InputClock.RATE_HZ / 200;
    private static final long HIGH_WATER_SAMPLES = 600L * InputClock.RATE_HZ;
    private static final long MEMORY_BYTES = 1L << 28;
    private static final long READY_SECONDS = 10;
    private static final long LOOK_NANOS = 1_000_000L;

    /** When the backend has said nothing for so long after the call's end, it is over. */
    private static final long TAIL_NANOS = 3_000_000_000L;

    /** However much it has to say. */
    private static final long MAX_TAIL_NANOS = 120_000_000_000L;

    /** What tells our own ear that the caller has finished. */
    private static final SpeechSettings EAR = new SpeechSettings(0.5f, 0, 250);

    private final RecordedCall call;
    private final ReplaySettings settings;
    private final ReplayLog log;
    private final LongSupplier clock;
    private final Backends backends;
    private final AtomicReference<@Nullable String> over = new AtomicReference<>();
    private volatile boolean failed;
    private @Nullable PacketFile saved;

    /**
     * Prepares it.
     *
     * @param out takes what happens, line by line
     */
    public Replay(RecordedCall call, ReplaySettings settings, Consumer<String> out) {
        this.call = call;
        this.settings = settings;
        long begin = System.nanoTime();
        this.clock = () -> Math.round((System.nanoTime() - begin) * settings.speed());
        this.log = new ReplayLog(out, clock);
        BackendSettings usual = BackendSettings.DEFAULT;
        this.backends =
                Backends.open(
                        Map.of(Backends.ANY_MODEL, settings.to().toString()),
                        new BackendSettings(
                                usual.keepalive(),
                                usual.keepaliveTimeout(),
                                usual.readyTimeout(),
                                usual.reconnectTimeout(),
                                settings.tls()),
                        new AudioCounters(),
                        Tracing.none(),
                        (_, _) -> log,
                        null);
    }

    /**
     * Replays it to its end; answers whether the backend took it and did not fail.
     *
     * @throws IOException when what is heard cannot be saved
     */
    public boolean run() throws IOException, InterruptedException {
        long asked = System.nanoTime();
        InferenceCall inference =
                InferenceCall.open(
                        backends,
                        start(),
                        new Backlog(
                                HIGH_WATER_SAMPLES, new OutputMemory(MEMORY_BYTES, MEMORY_BYTES)));
        Formats formats = accepted(inference);
        if (formats == null) {
            inference.cancel("it was not accepted");
            return false;
        }
        double readyMillis = (System.nanoTime() - asked) / 1e6;
        log.say("accepted; in " + text(formats.input()) + ", out " + text(formats.output()));
        play(inference, formats);
        log.summary(readyMillis);
        return !failed;
    }

    /** The call that was, under an id of its own. */
    private SessionStart start() {
        SessionStart.Builder start = call.start().toBuilder().clearResume();
        start.clearInputFormats().clearOutputFormats();
        if (!settings.model().isEmpty()) {
            start.setModel(settings.model());
        }
        if (!call.start().getSessionId().isEmpty()) {
            start.putAttributes("replay_of", call.start().getSessionId());
        }
        if (!call.start().hasMedia()) {
            start.setMedia(CallMedia.newBuilder().setInputAudio(true).setOutputAudio(true));
        }
        return start.setSessionId(UUID.randomUUID().toString().replace("-", ""))
                .addAllInputFormats(Formats.offered(call.codec()))
                .addAllOutputFormats(Formats.offered(call.codec()))
                .build();
    }

    private @Nullable Formats accepted(InferenceCall inference) throws InterruptedException {
        try {
            SessionReady ready = inference.ready().get(READY_SECONDS, TimeUnit.SECONDS);
            Formats formats = Formats.find(call.codec(), ready);
            if (formats == null) {
                log.say("it chose what was not on offer: " + Formats.whyNot(call.codec(), ready));
            }
            return formats;
        } catch (ExecutionException e) {
            log.say("it refused the call: " + StreamStatus.describe(Status.fromThrowable(e)));
        } catch (TimeoutException _) {
            log.say("it did not answer within " + READY_SECONDS + " s");
        } catch (IllegalArgumentException e) {
            log.say("it asked for what cannot be: " + e.getMessage());
        }
        return null;
    }

    private static String text(InferenceFormat format) {
        return format.encoding() + " at " + format.sampleRateHz() + " Hz";
    }

    private void play(InferenceCall inference, Formats formats) throws IOException {
        inference.connect(
                formats,
                wire(),
                OpusSettings.VOICE,
                OpusLibrary.best(),
                clock,
                RealtimeSurface.factory(new RealtimeCounters()),
                new Owner());
        Playout playout =
                new Playout(CUSHION_SAMPLES, log.watching(inference.reports(this::hungUp)));
        Path to = settings.save();
        try (VoiceInput ear = ear();
                PacketFile file = to == null ? null : PacketFile.create(to, call.codec())) {
            saved = file;
            new Course(inference, playout, ear).run();
            playout.end();
        }
        inference.end(EndReason.END_REASON_CLIENT_HANGUP, "the replay is over", null);
    }

    private void hungUp(String message) {
        over.set("the backend hung up" + (message.isEmpty() ? "" : ": " + message));
    }

    private OutputFormat wire() {
        return switch (call.codec()) {
            case OPUS -> OutputFormat.opus(0, PACKET_MILLIS, false);
            case PCMU -> OutputFormat.g711(0, PACKET_MILLIS, G711.MULAW);
            case PCMA -> OutputFormat.g711(0, PACKET_MILLIS, G711.ALAW);
        };
    }

    /** Listens to the caller beside whatever the backend has asked for. */
    private VoiceInput ear() {
        ClientCodec codec = call.codec();
        VoiceInput.Source source =
                new VoiceInput.Source(
                        codec == ClientCodec.OPUS,
                        format -> codec.decoder(OpusLibrary.best(), format));
        return new VoiceInput(source, new AudioCounters()).detect(EAR, false, log);
    }

    /** What happens when. */
    private final class Course {
        private final InferenceCall inference;
        private final Playout playout;
        private final OutputFeed feed;
        private final VoiceInput ear;
        private final List<Moment> moments = call.moments();
        private final long beginNanos = clock.getAsLong();
        private int next;
        private long dueNanos = beginNanos;
        private long outputSamples;
        private long saidNanos = beginNanos;
        private boolean began;

        Course(InferenceCall inference, Playout playout, VoiceInput ear) {
            this.inference = inference;
            this.playout = playout;
            this.feed = new OutputFeed(inference, playout);
            this.ear = ear;
        }

        void run() throws IOException {
            while (over.get() == null && !isOver(clock.getAsLong())) {
                long now = clock.getAsLong();
                while (next < moments.size()
                        && beginNanos + moments.get(next).atNanos() - now <= 0) {
                    log.late(now - beginNanos - moments.get(next).atNanos());
                    happen(moments.get(next++));
                }
                while (ear.runOnce(now)) {
                    // Until it has heard all.
                }
                passEvents();
                var _ = feed.take();
                while (dueNanos - now <= 0) {
                    output(now);
                }
                feed.tellLeft();
                LockSupport.parkNanos(LOOK_NANOS);
            }
            log.say("over: " + Objects.requireNonNullElse(over.get(), "the recording has ended"));
        }

        private boolean isOver(long now) {
            if (next < moments.size()) {
                return false;
            }
            long ended = beginNanos + call.lengthNanos();
            return now - Math.max(saidNanos, ended) > TAIL_NANOS || now - ended > MAX_TAIL_NANOS;
        }

        private void happen(Moment moment) {
            switch (moment) {
                case Heard heard -> {
                    if (!began) {
                        began = true;
                        log.inputBegan(
                                beginNanos
                                        + heard.atNanos()
                                        - nanos(
                                                heard.packet().offsetSamples()
                                                        + heard.packet().samples()));
                    }
                    ear.packet(heard.packet());
                    inference.input().packet(heard.packet());
                    backends.flush();
                }
                case KeyPressed key -> inference.input().key(key.key(), key.durationMillis());
                case ClientSaid event -> happen(event);
            }
        }

        private void happen(ClientSaid event) {
            if (event.message().hasMediaChanged()) {
                CallMedia media = event.message().getMediaChanged();
                inference.tellMedia(media.getInputAudio(), media.getOutputAudio());
                return;
            }
            if (event.message().hasChannelOpened()) {
                inference.channelOpened();
            }
            inference.sendEvent(event.message());
        }

        /** Nobody is there to read them; they are told as they come. */
        private void passEvents() {
            for (var event = inference.pollEvent(); event != null; event = inference.pollEvent()) {
                inference.eventLeft(event);
            }
        }

        private void output(long now) throws IOException {
            OutputItem.Frame frame = playout.poll(now);
            int samples = frame == null ? PACKET_SAMPLES : frame.samples();
            if (frame != null) {
                saidNanos = now;
                log.played(frame.audioSamples());
                if (saved != null) {
                    var _ = saved.add(frame.payload(), outputSamples, samples);
                }
            }
            outputSamples += samples;
            dueNanos += nanos(samples);
        }

        private static long nanos(long samples) {
            return samples * 1_000_000L / SAMPLES_PER_MILLI;
        }
    }

    private final class Owner implements InferenceCall.Owner {
        @Override
        public void onFirstInput() {}

        @Override
        public void onInferenceFailed(Status status) {
            failed = true;
            over.set("the backend failed: " + StreamStatus.describe(status));
        }

        @Override
        public void onFault(String where, Throwable fault) {
            failed = true;
            over.set("a fault of ours in " + where + ": " + fault);
        }

        @Override
        public void onOutput() {}
    }

    @Override
    public void close() {
        backends.close();
    }
}
