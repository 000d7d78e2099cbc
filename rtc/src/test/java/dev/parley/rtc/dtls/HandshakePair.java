package dev.parley.rtc.dtls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.srtp.SrtpReceiver;
import dev.parley.rtc.srtp.SrtpSender;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Runs our client against our server, each on its own virtual thread. */
final class HandshakePair {
    static final SecureRandom RANDOM = new SecureRandom();
    static final DtlsIdentity CLIENT_IDENTITY = DtlsIdentity.generate(RANDOM);
    static final DtlsIdentity SERVER_IDENTITY = DtlsIdentity.generate(RANDOM);

    /** What an outcome is before {@link #run} has set it. */
    static final DtlsOutcome NOT_RUN = new DtlsOutcome.Failed(DtlsFailure.PROTOCOL, "not run");

    private static final Executor VIRTUAL = task -> Thread.ofVirtual().start(task);

    /** First wait before a flight is sent again: short, so that lossy paths do not slow tests. */
    int resendMillis = 10;

    final SimulatedLink clientLink;
    final SimulatedLink serverLink;

    /** What the server's session answers to its reader once the handshake is over. */
    CompletableFuture<Integer> serverReader = new CompletableFuture<>();

    /** Who hears of keys before the end. */
    FalseStart clientEarly = FalseStart.NONE;

    FalseStart serverEarly = FalseStart.NONE;
    boolean mayStartFalsely = true;

    private boolean clientKeys = true;
    private boolean serverKeys = true;
    DtlsOutcome clientOutcome = NOT_RUN;
    DtlsOutcome serverOutcome = NOT_RUN;

    HandshakePair(SimulatedLink.Faults faults, long seed) {
        SimulatedLink[] ends = SimulatedLink.pair(faults, seed);
        clientLink = ends[0];
        serverLink = ends[1];
    }

    /** Who of the two wants SRTP keys; both do otherwise. */
    HandshakePair keying(boolean client, boolean server) {
        clientKeys = client;
        serverKeys = server;
        return this;
    }

    /** Runs both sides to their ends, each expecting the other's certificate. */
    HandshakePair run(int timeoutMillis) throws Exception {
        return run(
                timeoutMillis,
                List.of(SERVER_IDENTITY.fingerprint()),
                List.of(CLIENT_IDENTITY.fingerprint()));
    }

    HandshakePair run(
            int timeoutMillis, List<Fingerprint> serverExpected, List<Fingerprint> clientExpected)
            throws Exception {
        var any = new DtlsHandshake(RANDOM, timeoutMillis, resendMillis);
        DtlsHandshake handshake = mayStartFalsely ? any : any.withoutFalseStart();
        CompletableFuture<DtlsOutcome> server =
                start(
                        () -> {
                            DtlsOutcome outcome =
                                    handshake.run(
                                            DtlsRole.SERVER,
                                            SERVER_IDENTITY,
                                            clientExpected,
                                            serverKeys,
                                            serverLink,
                                            serverEarly);
                            keepReading(outcome);
                            return outcome;
                        });
        clientOutcome =
                start(
                                () ->
                                        handshake.run(
                                                DtlsRole.CLIENT,
                                                CLIENT_IDENTITY,
                                                serverExpected,
                                                clientKeys,
                                                clientLink,
                                                clientEarly))
                        .get(60, TimeUnit.SECONDS);
        serverOutcome = server.get(60, TimeUnit.SECONDS);
        return this;
    }

    static <T> CompletableFuture<T> start(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, VIRTUAL);
    }

    // The server's last flight may be lost: its reader has to send it again.
    private void keepReading(DtlsOutcome outcome) {
        if (outcome instanceof DtlsOutcome.Connected connected) {
            byte[] buffer = new byte[DatagramLink.MAX_RECEIVED];
            serverReader = start(() -> connected.session().receive(buffer, 0, buffer.length, 0));
        }
    }

    DtlsOutcome.Connected client() {
        return connected(clientOutcome);
    }

    DtlsOutcome.Connected server() {
        return connected(serverOutcome);
    }

    static DtlsOutcome.Connected connected(DtlsOutcome outcome) {
        assertThat(outcome).isInstanceOf(DtlsOutcome.Connected.class);
        return (DtlsOutcome.Connected) outcome;
    }

    static DtlsOutcome.Failed failed(DtlsOutcome outcome) {
        assertThat(outcome).isInstanceOf(DtlsOutcome.Failed.class);
        return (DtlsOutcome.Failed) outcome;
    }

    /** Sends a packet each way under the keys that the two sides got. */
    void assertKeysFit() {
        assertThat(opens(client().sender(), server().receiver())).isTrue();
        assertThat(opens(server().sender(), client().receiver())).isTrue();
        assertThat(opens(client().sender(), client().receiver())).isFalse();
    }

    private static boolean opens(SrtpSender sender, SrtpReceiver receiver) {
        ByteBuffer packet = ByteBuffer.allocate(128);
        packet.put(0, (byte) 0x80);
        int length = sender.protectRtp(packet, 0, 100);
        return receiver.unprotectRtp(packet, 0, length) == 100;
    }
}
