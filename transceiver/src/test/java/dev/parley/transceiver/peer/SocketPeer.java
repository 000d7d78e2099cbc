package dev.parley.transceiver.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A {@link Peer} with a socket, driven by the caller's thread. */
public final class SocketPeer implements AutoCloseable {
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final int POLL_MILLIS = 5;
    private static final int FRAME_SAMPLES = 960;

    private final DatagramSocket socket;
    private final Peer peer;

    public SocketPeer(String setup, InetSocketAddress server) {
        try {
            socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
            socket.connect(server);
            socket.setSoTimeout(POLL_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        peer = new Peer(setup, 1, this::send);
    }

    public String offer() {
        return peer.offer();
    }

    /** Completes ICE and DTLS. */
    public void connect(String answer) {
        peer.answer(answer, System.nanoTime());
        peer.startDtls();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!peer.dtlsDone()) {
            turn(deadline);
        }
    }

    /**
     * Sends so many packets of 20 ms at their pace; answers the audio that came back until then and
     * half a second longer.
     */
    public List<byte[]> exchange(int packets) {
        long start = System.nanoTime();
        long deadline = start + PATIENCE_NANOS;
        int sent = 0;
        while (peer.speech().size() < packets && System.nanoTime() - deadline < 0) {
            if (sent < packets && System.nanoTime() - start >= sent * 20_000_000L) {
                peer.sendOpus(sent, sent * FRAME_SAMPLES, (byte) 0xF8, (byte) sent, (byte) 1);
                sent++;
            }
            turn(Long.MAX_VALUE);
        }
        return peer.speech().stream().map(Peer.Received::payload).toList();
    }

    public void awaitClose() {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!peer.closedByServer().isDone()) {
            turn(deadline);
        }
        try {
            peer.closedByServer().get(1, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    private void turn(long deadline) {
        if (System.nanoTime() > deadline) {
            throw new AssertionError("took too long");
        }
        peer.check(System.nanoTime());
        DatagramPacket packet = new DatagramPacket(new byte[2_048], 2_048);
        try {
            socket.receive(packet);
            byte[] datagram = Arrays.copyOf(packet.getData(), packet.getLength());
            if (!peer.receive(datagram, System.nanoTime())) {
                throw new AssertionError("not meant for us");
            }
        } catch (SocketTimeoutException e) {
            // Nothing came; time has passed all the same.
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void send(byte[] datagram) {
        try {
            socket.send(new DatagramPacket(datagram, datagram.length));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
