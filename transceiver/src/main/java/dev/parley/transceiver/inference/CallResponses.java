package dev.parley.transceiver.inference;

import dev.parley.proto.inference.v1.ConverseResponse;
import dev.parley.proto.inference.v1.Error;
import dev.parley.proto.inference.v1.Resume;
import dev.parley.proto.inference.v1.SessionReady;
import dev.parley.transceiver.media.Backlog;
import dev.parley.transceiver.media.InputClock;
import dev.parley.transceiver.media.PlayedItem;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Takes what comes from inference for one call to what the call has connected, and tells its owner
 * how the streams fare. Owned by the {@link InferenceCall}; threads of the transport and timers
 * enter.
 */
final class CallResponses implements LinkListener {
    /** How long a client's last event has to be on its way before the call ends. */
    private static final long FAREWELL_MILLIS = 200;

    /** Output that may be left when nothing is being said: less than a packet, at 48 kHz. */
    private static final int QUIET_SAMPLES = InputClock.RATE_HZ / 50;

    /** Where messages and the end of the stream go. */
    record Connection(OutputIntake intake, CallEvents events, InferenceCall.Owner owner) {}

    private final Backlog backlog;
    private final ScheduledExecutorService timers;
    private final CompletableFuture<SessionReady> ready = new CompletableFuture<>();
    private volatile @Nullable PlaybackReports reports;

    // Guarded by this.
    private @Nullable Connection connection;
    private @Nullable Status earlyStatus;

    /**
     * @param backlog output that waits
     */
    CallResponses(Backlog backlog, ScheduledExecutorService timers) {
        this.backlog = backlog;
        this.timers = timers;
    }

    /** The backend's acceptance, or a {@link StatusRuntimeException} with its refusal. */
    CompletableFuture<SessionReady> ready() {
        return ready;
    }

    boolean hasSurface() {
        return ready.join().getEventSurface()
                == dev.parley.proto.inference.v1.EventSurface.EVENT_SURFACE_REALTIME;
    }

    /** From now on messages go there; answers whether any may still come. */
    boolean connect(Connection made) {
        Status ended;
        synchronized (this) {
            connection = made;
            ended = earlyStatus;
        }
        if (ended != null) {
            closed(made, ended);
        }
        return ended == null;
    }

    /** What the caller hears is reported there. */
    void reports(PlaybackReports made) {
        reports = made;
    }

    @Nullable PlaybackReports reports() {
        return reports;
    }

    private synchronized @Nullable Connection connection() {
        return connection;
    }

    @Override
    public void onReady(SessionReady message) {
        ready.complete(message);
    }

    @Override
    public void onMessage(ConverseResponse message) {
        Connection to = connection();
        if (to != null) {
            to.events().taken(to.intake().take(message));
        }
    }

    @Override
    public void onLost(Status status) {
        Connection to = connection();
        if (to != null) {
            to.owner().onInferenceLost(status);
        }
        if (hasSurface() && to != null) {
            tellClients(
                    to,
                    "inference_reconnecting",
                    "The connection to the model broke; the call goes on with another one.");
        }
    }

    @Override
    public boolean isQuiet() {
        return connection() != null && backlog.samples() < QUIET_SAMPLES;
    }

    @Override
    public void onResumed() {
        Connection to = connection();
        if (to != null) {
            to.intake().streamChanged();
            to.owner().onInferenceResumed();
        }
    }

    @Override
    public Resume.Builder position() {
        Resume.Builder position = Resume.newBuilder();
        PlaybackReports made = reports;
        PlayedItem item = made == null ? null : made.latest();
        if (item != null) {
            position.setResponseId(item.responseId())
                    .setItemId(item.itemId())
                    .setAudioEndMs(item.sentMillis());
        }
        return position.setQueuedMs(InputClock.millis(Math.max(0, backlog.samples())));
    }

    @Override
    public boolean isSame(SessionReady other) {
        SessionReady first = ready.join();
        return Formats.sameAudio(first, other)
                && first.getEventSurface() == other.getEventSurface();
    }

    @Override
    public void onClosed(Status status) {
        ready.completeExceptionally(new StatusRuntimeException(status));
        Connection to;
        synchronized (this) {
            to = connection;
            earlyStatus = status;
        }
        if (to != null) {
            closed(to, status);
        }
    }

    private void closed(Connection to, Status status) {
        if (status.isOk()) {
            var _ = to.intake().hangUp("");
        } else if (!to.intake().hungUp()) {
            fail(to, status);
        }
    }

    /** A client with a surface is told before its channel is gone. */
    private void fail(Connection to, Status status) {
        if (!hasSurface()) {
            to.owner().onInferenceFailed(status);
            return;
        }
        tellClients(to, "inference_failed", "The model has failed, and the call ends.");
        var _ =
                timers.schedule(
                        () -> to.owner().onInferenceFailed(status),
                        FAREWELL_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    private static void tellClients(Connection to, String code, String message) {
        var _ =
                to.events()
                        .fromInference(
                                ConverseResponse.newBuilder()
                                        .setError(
                                                Error.newBuilder()
                                                        .setCode(code)
                                                        .setMessage(message))
                                        .build());
    }
}
