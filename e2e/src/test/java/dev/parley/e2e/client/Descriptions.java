package dev.parley.e2e.client;

import dev.onvoid.webrtc.CreateSessionDescriptionObserver;
import dev.onvoid.webrtc.RTCAnswerOptions;
import dev.onvoid.webrtc.RTCOfferOptions;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCSdpType;
import dev.onvoid.webrtc.RTCSessionDescription;
import dev.onvoid.webrtc.SetSessionDescriptionObserver;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** libwebrtc's offer and answer calls as plain blocking ones. */
final class Descriptions {
    private static final int TIMEOUT_SECONDS = 10;

    private Descriptions() {}

    /** Makes an offer and sets it; answers its SDP. */
    static String offer(RTCPeerConnection connection) {
        Created offer = new Created();
        connection.createOffer(new RTCOfferOptions(), offer);
        RTCSessionDescription description = join(offer.future);
        setLocal(connection, description);
        return description.sdp;
    }

    /** Answers an offer; candidates gathered so far are not in it. */
    static void answer(RTCPeerConnection connection, String offerSdp) {
        setRemote(connection, RTCSdpType.OFFER, offerSdp);
        Created answer = new Created();
        connection.createAnswer(new RTCAnswerOptions(), answer);
        setLocal(connection, join(answer.future));
    }

    static void setRemote(RTCPeerConnection connection, RTCSdpType type, String sdp) {
        Set set = new Set();
        connection.setRemoteDescription(new RTCSessionDescription(type, sdp), set);
        join(set.future);
    }

    private static void setLocal(RTCPeerConnection connection, RTCSessionDescription description) {
        Set set = new Set();
        connection.setLocalDescription(description, set);
        join(set.future);
    }

    static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS).join();
    }

    private static final class Created implements CreateSessionDescriptionObserver {
        private final CompletableFuture<RTCSessionDescription> future = new CompletableFuture<>();

        @Override
        public void onSuccess(RTCSessionDescription description) {
            future.complete(description);
        }

        @Override
        public void onFailure(String error) {
            future.completeExceptionally(new IllegalStateException(error));
        }
    }

    private static final class Set implements SetSessionDescriptionObserver {
        private final CompletableFuture<Boolean> future = new CompletableFuture<>();

        @Override
        public void onSuccess() {
            future.complete(true);
        }

        @Override
        public void onFailure(String error) {
            future.completeExceptionally(new IllegalStateException(error));
        }
    }
}
