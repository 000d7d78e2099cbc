package dev.parley.transceiver;

import dev.parley.rtc.dtls.DatagramLink;
import dev.parley.rtc.dtls.DtlsHandshake;
import dev.parley.rtc.dtls.DtlsIdentity;
import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsOutcome.Connected;
import dev.parley.rtc.dtls.DtlsRole;
import dev.parley.rtc.rtp.RtpWriter;
import dev.parley.rtc.sdp.SdpException;
import dev.parley.rtc.sdp.SdpOffer;
import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Practises a call's set-up before the first caller waits for it: DTLS handshakes between two ends
 * in memory, SRTP with their keys, an offer. Loading the classes behind these takes longer than a
 * whole warm set-up. A failure here is no failure of the transceiver; the first call is only
 * slower.
 */
final class WarmUp {
    private static final System.Logger LOGGER = System.getLogger(WarmUp.class.getName());
    private static final int HANDSHAKES = 3;
    private static final int PACKETS = 200;
    private static final int PAYLOAD_BYTES = 80;
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final String OFFER =
            String.join(
                    "\r\n",
                    "v=0",
                    "o=- 1 1 IN IP4 127.0.0.1",
                    "s=-",
                    "t=0 0",
                    "a=group:BUNDLE 0",
                    "m=audio 9 UDP/TLS/RTP/SAVPF 111",
                    "c=IN IP4 0.0.0.0",
                    "a=ice-ufrag:warm",
                    "a=ice-pwd:warmwarmwarmwarmwarmwarm",
                    "a=fingerprint:sha-256 " + "00:".repeat(31) + "00",
                    "a=setup:actpass",
                    "a=mid:0",
                    "a=sendrecv",
                    "a=rtcp-mux",
                    "a=rtpmap:111 opus/48000/2",
                    "");

    private WarmUp() {}

    /**
     * Runs on the calling thread and one virtual thread; takes about a second in a fresh JVM.
     *
     * @return nanoseconds that both sides of the last handshake took together
     */
    static long run(DtlsIdentity identity, SecureRandom random) {
        long took = 0;
        try {
            var _ = SdpOffer.parse(OFFER);
            for (int i = 0; i < HANDSHAKES; i++) {
                long began = System.nanoTime();
                handshake(identity, random);
                took = System.nanoTime() - began;
            }
        } catch (SdpException | RuntimeException e) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the warm-up failed; the first call will be slower",
                    e);
        }
        return took;
    }

    private static void handshake(DtlsIdentity identity, SecureRandom random) {
        BlockingQueue<byte[]> toServer = new ArrayBlockingQueue<>(64);
        BlockingQueue<byte[]> toClient = new ArrayBlockingQueue<>(64);
        DtlsHandshake handshake =
                new DtlsHandshake(random, TIMEOUT_MILLIS, DtlsHandshake.DEFAULT_RESEND_MILLIS);
        CompletableFuture<DtlsOutcome> server = new CompletableFuture<>();
        Thread.ofVirtual()
                .name("warm-up")
                .start(
                        () ->
                                server.complete(
                                        run(
                                                handshake,
                                                DtlsRole.SERVER,
                                                identity,
                                                new Pipe(toServer, toClient))));
        DtlsOutcome client =
                run(handshake, DtlsRole.CLIENT, identity, new Pipe(toClient, toServer));
        DtlsOutcome answered = server.orTimeout(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).join();
        if (client instanceof Connected ours && answered instanceof Connected theirs) {
            protect(ours.sender(), theirs.receiver());
        } else {
            throw new IllegalStateException(client + ", " + answered);
        }
    }

    private static DtlsOutcome run(
            DtlsHandshake handshake, DtlsRole role, DtlsIdentity identity, Pipe link) {
        return handshake.run(role, identity, List.of(identity.fingerprint()), link);
    }

    private static void protect(SrtpSender sender, SrtpReceiver receiver) {
        int length = RtpWriter.HEADER_LENGTH + PAYLOAD_BYTES;
        ByteBuffer packet = ByteBuffer.allocateDirect(length + sender.rtpOverhead());
        for (int i = 0; i < PACKETS; i++) {
            RtpWriter.writeHeader(packet, 0, false, 111, i, i * 960, 1);
            int sealed = sender.protectRtp(packet, 0, length);
            if (receiver.unprotectRtp(packet, 0, sealed) != length) {
                throw new IllegalStateException("SRTP does not open what it sealed");
            }
        }
    }

    /** One end of two queues. */
    private record Pipe(BlockingQueue<byte[]> in, BlockingQueue<byte[]> out)
            implements DatagramLink {
        @Override
        public int receive(byte[] buffer, int offset, int length, int waitMillis) {
            try {
                byte[] datagram = in.poll(waitMillis, TimeUnit.MILLISECONDS);
                if (datagram == null) {
                    return TIMED_OUT;
                }
                System.arraycopy(datagram, 0, buffer, offset, Math.min(length, datagram.length));
                return Math.min(length, datagram.length);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return CLOSED;
            }
        }

        @Override
        public void send(byte[] bytes, int offset, int length) {
            // A full queue loses the datagram, as a network may; it is sent again.
            var _ = out.offer(Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }
}
