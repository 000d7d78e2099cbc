package dev.parley.rtc.ice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.sim.SimAddress;
import dev.parley.rtc.sim.SimLink;
import dev.parley.rtc.sim.SimNetwork;
import dev.parley.rtc.stun.StunFingerprint;
import dev.parley.rtc.stun.StunIntegrity;
import dev.parley.rtc.stun.StunReader;
import dev.parley.rtc.stun.StunWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Handshakes with a client that carries DTLS in its checks, over a network that loses. The
 * handshake is four datagrams that answer each other, repeated as our DTLS repeats its own.
 */
class DtlsInStunSimulationTest {
    private static final long MILLI = 1_000_000L;
    private static final IceCredentials SERVER = new IceCredentials("server", "server".repeat(4));
    private static final IceCredentials CLIENT = new IceCredentials("client", "client".repeat(4));
    private static final SimAddress THERE = SimAddress.of(1, 3_478);
    private static final SimAddress HERE = SimAddress.of(2, 5_000);
    private static final int LAST_FLIGHT = 4;
    private static final int SEEDS = 100;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, SEEDS);
    }

    /** One side of the handshake; sends the odd or the even flights. */
    private static final class Handshake {
        final SimNetwork network;
        final Consumer<byte[]> out;
        int expected;
        long doneNanos = -1;
        private int repetitions;
        private int sent;
        private byte[] flight = new byte[0];

        Handshake(SimNetwork network, boolean begins, Consumer<byte[]> out) {
            this.network = network;
            this.expected = begins ? 2 : 1;
            this.out = out;
        }

        void receive(byte[] datagram) {
            int number = datagram[13];
            if (number != expected) {
                // Whoever has the last flight sends it again to whom it has not reached.
                if (number == expected - 2 && number + 1 == LAST_FLIGHT) {
                    out.accept(flight);
                }
                return;
            }
            expected += 2;
            if (number == LAST_FLIGHT || number + 1 == LAST_FLIGHT) {
                doneNanos = network.elapsedNanos();
            }
            if (number < LAST_FLIGHT) {
                send(number + 1);
            }
        }

        void send(int number) {
            flight = new byte[number == 1 ? 160 : 500];
            flight[0] = 22;
            flight[13] = (byte) number;
            repetitions = 0;
            out.accept(flight);
            sent = number;
            repeatLater(number);
        }

        private void repeatLater(int number) {
            long wait = (250 * MILLI) << Math.min(repetitions++, 2);
            network.at(
                    network.nowNanos() + wait,
                    () -> {
                        if (number == sent && doneNanos < 0) {
                            out.accept(flight);
                            repeatLater(number);
                        }
                    });
        }
    }

    /** A call; the client checks as Chromium does. */
    private static final class Call {
        final SimNetwork network;
        final boolean carries;
        final boolean clientBegins;
        final IceLite ice;
        final DtlsInStun dtls = new DtlsInStun();
        final Handshake ours;
        final Handshake theirs;
        int inChecks;
        int inAnswers;
        boolean plainBlocked;

        private final StunReader reader = new StunReader();
        private final StunWriter writer = new StunWriter();
        private final IcePath path = new IcePath().client(HERE.high(), HERE.low(), HERE.port());
        private final List<byte[]> pending = new ArrayList<>();
        private final List<Integer> acks = new ArrayList<>();
        private boolean answered;
        private int checks;

        Call(long seed, double loss, boolean carries, boolean clientBegins) {
            network = new SimNetwork(seed, new SimLink(loss, 0.02, 0.01, 50 * MILLI, 2 * MILLI));
            this.carries = carries;
            this.clientBegins = clientBegins;
            ice = new IceLite(SERVER, CLIENT, 30_000 * MILLI, network.random());
            ours = new Handshake(network, !clientBegins, this::send);
            theirs = new Handshake(network, clientBegins, this::sendFromClient);
            if (carries) {
                ice.carry(dtls);
            }
            network.attach(THERE, this::receive);
            network.attach(HERE, this::receiveAtClient);
            if (clientBegins && carries) {
                theirs.send(1);
            }
            check();
        }

        private void send(byte[] datagram) {
            dtls.sent(datagram.clone());
            if (!plainBlocked && ice.claimHandshakePath(datagram.length, now()) != null) {
                network.send(THERE, HERE, datagram);
            }
        }

        private void sendFromClient(byte[] datagram) {
            pending.clear();
            pending.add(datagram);
            if (answered && !plainBlocked) {
                network.send(HERE, THERE, datagram);
            }
        }

        private void receive(SimAddress from, byte[] datagram) {
            ByteBuffer bytes = ByteBuffer.wrap(datagram);
            if (PacketKind.classify(bytes, 0, datagram.length) == PacketKind.DTLS) {
                if (ice.shakesHands(path, datagram.length, now())) {
                    dtls.received(bytes, 0, datagram.length);
                    take(ours, datagram);
                }
                return;
            }
            ByteBuffer answer = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
            if (!reader.wrap(bytes, 0, datagram.length)) {
                return;
            }
            IceVerdict verdict = ice.handle(reader, path, now(), answer, 0);
            if (ice.answerLength() > 0) {
                network.send(THERE, HERE, Arrays.copyOf(answer.array(), ice.answerLength()));
            }
            inAnswers += ice.answerCarriesDtls() ? 1 : 0;
            if (verdict == IceVerdict.SELECTED && !clientBegins) {
                ours.send(1);
            }
            if (verdict.isAuthentic()
                    && verdict != IceVerdict.REPEATED
                    && DtlsInStun.isIn(reader)) {
                inChecks++;
                take(ours, dtlsIn(reader));
            }
        }

        private void take(Handshake side, byte[] datagram) {
            boolean before = side.doneNanos >= 0;
            side.receive(datagram);
            if (side == ours && !before && ours.doneNanos >= 0) {
                ice.handshakeDone(now());
                dtls.handshakeDone(clientBegins);
            }
        }

        private static byte[] dtlsIn(StunReader message) {
            byte[] bytes = new byte[message.dtlsLength()];
            message.buffer().get(message.dtlsOffset(), bytes);
            return bytes;
        }

        private void receiveAtClient(SimAddress from, byte[] datagram) {
            ByteBuffer bytes = ByteBuffer.wrap(datagram);
            if (PacketKind.classify(bytes, 0, datagram.length) == PacketKind.DTLS) {
                note(datagram);
                theirs.receive(datagram);
                return;
            }
            if (!reader.wrap(bytes, 0, datagram.length)
                    || !StunIntegrity.shortTerm(SERVER.password()).verifies(reader)) {
                return;
            }
            if (!answered) {
                answered = true;
                if (clientBegins) {
                    startPlain();
                }
            }
            for (int i = 0; i < reader.dtlsAckCount(); i++) {
                int acked = reader.dtlsAck(i);
                pending.removeIf(packet -> crc(packet) == acked);
            }
            if (DtlsInStun.isIn(reader)) {
                byte[] carried = dtlsIn(reader);
                note(carried);
                theirs.receive(carried);
            }
        }

        private void startPlain() {
            if (!carries) {
                theirs.send(1);
            } else if (!plainBlocked) {
                pending.forEach(packet -> network.send(HERE, THERE, packet));
            }
        }

        private void note(byte[] datagram) {
            acks.removeIf(crc -> crc == crc(datagram));
            acks.add(crc(datagram));
        }

        private static int crc(byte[] datagram) {
            return StunFingerprint.crc32(ByteBuffer.wrap(datagram), 0, datagram.length);
        }

        private void check() {
            ByteBuffer out = ByteBuffer.allocate(StunWriter.MAX_LENGTH);
            writer.bindingRequest(out, 0, 7, network.random().nextLong())
                    .username(SERVER.ufrag() + ":" + CLIENT.ufrag())
                    .iceControlling(5)
                    .priority(1);
            if (answered) {
                writer.useCandidate();
            }
            if (carries) {
                int[] last =
                        acks.subList(Math.max(0, acks.size() - 4), acks.size()).stream()
                                .mapToInt(Integer::intValue)
                                .toArray();
                writer.dtlsAck(last, last.length);
                pending.forEach(writer::dtls);
            }
            int length =
                    writer.integrity(StunIntegrity.shortTerm(SERVER.password()))
                            .fingerprint()
                            .length();
            network.send(HERE, THERE, Arrays.copyOf(out.array(), length));
            checks += answered ? 1 : 0;
            long next = checks < 3 ? 50 : 1_000;
            network.at(now() + next * MILLI, this::check);
        }

        private long now() {
            return network.nowNanos();
        }

        /**
         * When both sides were done, in milliseconds; as long as it was tried when they are not.
         */
        double run() {
            network.run(15_000 * MILLI);
            long last = Math.max(ours.doneNanos, theirs.doneNanos);
            return ours.doneNanos < 0 || theirs.doneNanos < 0 ? 15_000 : last / (double) MILLI;
        }
    }

    private static double[] times(double loss, boolean carries, boolean clientBegins) {
        return seeds().mapToDouble(seed -> new Call(seed, loss, carries, clientBegins).run())
                .sorted()
                .toArray();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void handshakesEndThoughNoDatagramOfDtlsArrivesByItself(long seed) {
        Call call = new Call(seed, 0.1, true, seed % 2 == 0);
        call.plainBlocked = true;

        assertThat(call.run()).isLessThan(15_000);
        assertThat(call.inChecks).isPositive();
        assertThat(call.inAnswers).isPositive();
    }

    @Test
    void aClientThatBeginsIsDoneARoundTripSoonerWhereNothingIsLost() {
        double alone = times(0, false, true)[SEEDS / 2];

        assertThat(times(0, true, true)[SEEDS / 2]).isBetween(alone - 110, alone - 90);
    }

    @Test
    void handshakesEndSoonerWherePacketsAreLost() {
        for (boolean clientBegins : new boolean[] {true, false}) {
            double[] alone = times(0.2, false, clientBegins);
            double[] carried = times(0.2, true, clientBegins);

            assertThat(carried[SEEDS / 2]).isLessThan(alone[SEEDS / 2] - 40);
            assertThat(carried[SEEDS * 9 / 10]).isLessThan(alone[SEEDS * 9 / 10] - 100);
        }
    }
}
