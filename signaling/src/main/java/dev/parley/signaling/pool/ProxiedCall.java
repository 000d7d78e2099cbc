package dev.parley.signaling.pool;

import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One gRPC call that is passed on as it is, each side taking no more than the other has room for.
 * gRPC's threads call it.
 */
final class ProxiedCall<Q, A> extends ServerCall.Listener<Q> {
    private final ServerCall<Q, A> asker;
    private final ClientCall<Q, A> asked;
    private final BiConsumer<ClientCall<Q, A>, Metadata> onHeaders;
    private final Runnable onEnd;
    private boolean askerWaits;
    private boolean askedWaits;

    private ProxiedCall(
            ServerCall<Q, A> asker,
            ClientCall<Q, A> asked,
            BiConsumer<ClientCall<Q, A>, Metadata> onHeaders,
            Runnable onEnd) {
        this.asker = asker;
        this.asked = asked;
        this.onHeaders = onHeaders;
        this.onEnd = onEnd;
    }

    /**
     * Passes a call on.
     *
     * @param headers to send with it
     * @param onHeaders may add to the headers of the answer
     * @param onEnd run when it is over
     */
    static <Q, A> ServerCall.Listener<Q> start(
            ServerCall<Q, A> asker,
            ClientCall<Q, A> asked,
            Metadata headers,
            BiConsumer<ClientCall<Q, A>, Metadata> onHeaders,
            Runnable onEnd) {
        ProxiedCall<Q, A> call = new ProxiedCall<>(asker, asked, onHeaders, onEnd);
        asked.start(call.new Answers(), headers);
        asker.request(1);
        asked.request(1);
        return call;
    }

    @Override
    public void onMessage(Q message) {
        asked.sendMessage(message);
        synchronized (this) {
            askerWaits = !asked.isReady();
            if (!askerWaits) {
                asker.request(1);
            }
        }
    }

    @Override
    public void onHalfClose() {
        asked.halfClose();
    }

    @Override
    public void onCancel() {
        asked.cancel("cancelled by the asker", null);
    }

    @Override
    public void onReady() {
        synchronized (this) {
            if (askedWaits) {
                askedWaits = false;
                asked.request(1);
            }
        }
    }

    private final class Answers extends ClientCall.Listener<A> {
        @Override
        public void onHeaders(Metadata headers) {
            onHeaders.accept(asked, headers);
            asker.sendHeaders(headers);
        }

        @Override
        public void onMessage(A message) {
            asker.sendMessage(message);
            synchronized (ProxiedCall.this) {
                askedWaits = !asker.isReady();
                if (!askedWaits) {
                    asked.request(1);
                }
            }
        }

        @Override
        public void onReady() {
            synchronized (ProxiedCall.this) {
                if (askerWaits) {
                    askerWaits = false;
                    asker.request(1);
                }
            }
        }

        @Override
        public void onClose(Status status, @Nullable Metadata trailers) {
            asker.close(status, trailers == null ? new Metadata() : trailers);
            onEnd.run();
        }
    }
}
