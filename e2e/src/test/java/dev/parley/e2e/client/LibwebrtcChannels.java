package dev.parley.e2e.client;

import com.google.gson.JsonObject;
import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.PeerConnectionObserver;
import dev.onvoid.webrtc.RTCConfiguration;
import dev.onvoid.webrtc.RTCDataChannel;
import dev.onvoid.webrtc.RTCDataChannelBuffer;
import dev.onvoid.webrtc.RTCDataChannelInit;
import dev.onvoid.webrtc.RTCDataChannelObserver;
import dev.onvoid.webrtc.RTCDataChannelState;
import dev.onvoid.webrtc.RTCIceCandidate;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCPeerConnectionState;
import dev.onvoid.webrtc.RTCSdpType;
import dev.onvoid.webrtc.media.audio.HeadlessAudioDeviceModule;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** libwebrtc with data channels alone. Owned by one thread. */
public final class LibwebrtcChannels implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    /** A message that came. */
    @SuppressWarnings("ArrayRecordComponent") // Compared by content where it matters.
    public record Message(boolean binary, byte[] bytes) {}

    private final HeadlessAudioDeviceModule device = new HeadlessAudioDeviceModule();
    private final PeerConnectionFactory factory = new PeerConnectionFactory(device);
    private final RTCPeerConnection connection;
    private final List<Channel> channels = new ArrayList<>();
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    /** Nothing is connected yet; channels may be opened. */
    public LibwebrtcChannels() {
        PeerConnectionObserver events =
                new PeerConnectionObserver() {
                    @Override
                    public void onIceCandidate(RTCIceCandidate candidate) {
                        // The other side learns our address from our first check.
                    }

                    @Override
                    public void onConnectionChange(RTCPeerConnectionState state) {
                        if (state == RTCPeerConnectionState.CLOSED) {
                            over.complete(null);
                        }
                    }
                };
        connection = factory.createPeerConnection(new RTCConfiguration(), events);
    }

    /** Calls an agent; at least one channel must have been opened. */
    public void call(URI base, String model) throws Exception {
        var _ =
                call(
                        base.resolve("/v1/realtime/calls?model=" + model),
                        "application/sdp",
                        Descriptions.offer(connection));
    }

    /** Calls with a session object, and answers the call's id. */
    public String callWith(URI base, JsonObject session) throws Exception {
        JsonObject body = new JsonObject();
        body.addProperty("sdp", Descriptions.offer(connection));
        body.add("session", session);
        return call(base.resolve("/v1/realtime/calls"), "application/json", body.toString());
    }

    private String call(URI where, String type, String body) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(where)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofString(body))
                        .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
            if (answer.statusCode() != 201) {
                throw new IllegalStateException(answer.statusCode() + ": " + answer.body());
            }
            Descriptions.setRemote(connection, RTCSdpType.ANSWER, answer.body());
            String location = answer.headers().firstValue("Location").orElseThrow();
            return location.substring(location.lastIndexOf('/') + 1);
        }
    }

    /** Opens a channel, which may take until the call is answered. */
    public Channel open(String label) {
        Channel opened = new Channel(connection.createDataChannel(label, new RTCDataChannelInit()));
        channels.add(opened);
        return opened;
    }

    /** One channel and what came on it. */
    public static final class Channel implements RTCDataChannelObserver {
        private final RTCDataChannel channel;
        private final CompletableFuture<Void> opened = new CompletableFuture<>();
        private final CompletableFuture<Void> closed = new CompletableFuture<>();
        private final BlockingQueue<Message> messages = new LinkedBlockingQueue<>();

        private Channel(RTCDataChannel channel) {
            this.channel = channel;
            channel.registerObserver(this);
            onStateChange();
        }

        @Override
        public void onBufferedAmountChange(long previous) {
            // The messages of these tests fit its buffer.
        }

        @Override
        public void onStateChange() {
            RTCDataChannelState state = channel.getState();
            if (state == RTCDataChannelState.OPEN) {
                opened.complete(null);
            } else if (state == RTCDataChannelState.CLOSED) {
                closed.complete(null);
            }
        }

        @Override
        public void onMessage(RTCDataChannelBuffer buffer) {
            byte[] bytes = new byte[buffer.data.remaining()];
            buffer.data.get(bytes);
            messages.add(new Message(buffer.binary, bytes));
        }

        public Channel awaitOpen() {
            opened.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
            return this;
        }

        public void awaitClosed() {
            closed.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        }

        /** The stream that it has. */
        public int id() {
            return channel.getId();
        }

        public void send(boolean binary, byte[] bytes) throws Exception {
            channel.send(new RTCDataChannelBuffer(ByteBuffer.wrap(bytes), binary));
        }

        /** The next message. */
        public Message next() throws InterruptedException {
            Message next = messages.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            if (next == null) {
                throw new AssertionError("nothing came on " + channel.getLabel());
            }
            return next;
        }

        public void close() {
            channel.close();
        }

        /** Hears nothing more. */
        private void forget() {
            channel.unregisterObserver();
        }
    }

    @Override
    public void close() {
        channels.forEach(Channel::forget);
        connection.close();
        // Native threads still call back until then.
        over.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
        factory.dispose();
        device.dispose();
    }
}
