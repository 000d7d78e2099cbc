package dev.parley.e2e.client;

import dev.onvoid.webrtc.PeerConnectionFactory;
import dev.onvoid.webrtc.PeerConnectionObserver;
import dev.onvoid.webrtc.RTCConfiguration;
import dev.onvoid.webrtc.RTCIceCandidate;
import dev.onvoid.webrtc.RTCIceConnectionState;
import dev.onvoid.webrtc.RTCIceGatheringState;
import dev.onvoid.webrtc.RTCPeerConnection;
import dev.onvoid.webrtc.RTCPeerConnectionState;
import dev.onvoid.webrtc.RTCRtpTransceiver;
import dev.onvoid.webrtc.RTCStatsReport;
import dev.onvoid.webrtc.media.audio.AudioTrack;
import dev.onvoid.webrtc.media.audio.CustomAudioSource;
import dev.onvoid.webrtc.media.audio.HeadlessAudioDeviceModule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One libwebrtc peer connection with one audio track each way and no sound card. Audio that it
 * sends passes no echo canceller, gain control or noise suppression: a custom source feeds the
 * encoder. Owned by one thread.
 */
final class LibwebrtcPeer implements AutoCloseable {
    private final HeadlessAudioDeviceModule device = new HeadlessAudioDeviceModule();
    private final PeerConnectionFactory factory = new PeerConnectionFactory(device);
    private final CustomAudioSource source = new CustomAudioSource();
    private final Events events = new Events();
    private final Recording recording = new Recording();
    private final RTCPeerConnection connection;

    LibwebrtcPeer() {
        connection = factory.createPeerConnection(new RTCConfiguration(), events);
        AudioTrack track = factory.createAudioTrack("microphone", source);
        connection.addTrack(track, List.of("caller"));
    }

    RTCPeerConnection connection() {
        return connection;
    }

    CustomAudioSource source() {
        return source;
    }

    Recording recording() {
        return recording;
    }

    Events events() {
        return events;
    }

    CallStats stats() {
        CompletableFuture<RTCStatsReport> report = new CompletableFuture<>();
        connection.getStats(report::complete);
        return CallStats.of(Descriptions.join(report));
    }

    /**
     * Makes the device stop feeding the track, which from then on hears the source alone. The
     * device of webrtc-java 0.14.0 "records" what it plays, and its thread and ours in one encoder
     * abort the process; it starts once the connection is up, which its first packet shows.
     */
    void silenceDevice(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (stats().packetsSent() == 0) {
            if (deadline - System.nanoTime() <= 0) {
                throw new IllegalStateException("connected, but nothing is sent");
            }
            Thread.onSpinWait();
        }
        device.stopRecording();
    }

    /** Sends back what it hears from now on; the device must be silent. */
    void echo() {
        AudioTrack heard = (AudioTrack) connection.getReceivers()[0].getTrack();
        heard.addSink(
                (data, bits, rateHz, channels, frames) ->
                        source.pushAudio(data, bits, rateHz, channels, frames));
    }

    /** Follows the connection's way up and down; libwebrtc's signaling thread writes. */
    final class Events implements PeerConnectionObserver {
        final CompletableFuture<Long> iceConnectedNanos = new CompletableFuture<>();
        final CompletableFuture<Long> connectedNanos = new CompletableFuture<>();
        final CompletableFuture<Long> disconnectedNanos = new CompletableFuture<>();
        final CompletableFuture<Long> gatheredNanos = new CompletableFuture<>();
        final CompletableFuture<Long> closedNanos = new CompletableFuture<>();

        @Override
        public void onIceCandidate(RTCIceCandidate candidate) {
            // The other side learns our address from our first check.
        }

        @Override
        public void onIceGatheringChange(RTCIceGatheringState state) {
            if (state == RTCIceGatheringState.COMPLETE) {
                gatheredNanos.complete(System.nanoTime());
            }
        }

        @Override
        public void onIceConnectionChange(RTCIceConnectionState state) {
            if (state == RTCIceConnectionState.CONNECTED
                    || state == RTCIceConnectionState.COMPLETED) {
                iceConnectedNanos.complete(System.nanoTime());
            }
        }

        @Override
        public void onConnectionChange(RTCPeerConnectionState state) {
            switch (state) {
                case CONNECTED -> connectedNanos.complete(System.nanoTime());
                case FAILED -> {
                    connectedNanos.completeExceptionally(new IllegalStateException("FAILED"));
                    disconnectedNanos.complete(System.nanoTime());
                }
                case DISCONNECTED -> disconnectedNanos.complete(System.nanoTime());
                case CLOSED -> {
                    disconnectedNanos.complete(System.nanoTime());
                    closedNanos.complete(System.nanoTime());
                }
                case NEW, CONNECTING -> {}
            }
        }

        @Override
        public void onTrack(RTCRtpTransceiver transceiver) {
            if (transceiver.getReceiver().getTrack() instanceof AudioTrack track) {
                track.addSink(recording);
            }
        }
    }

    @Override
    public void close() {
        connection.close();
        // Native threads still call back until then.
        events.closedNanos.orTimeout(10, TimeUnit.SECONDS).join();
        source.dispose();
        factory.dispose();
        device.dispose();
    }
}
