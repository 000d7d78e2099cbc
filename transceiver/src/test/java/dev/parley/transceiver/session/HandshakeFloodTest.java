package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Peer;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.peer.Rig.Place;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A thousand clients that stop in the middle of DTLS, and one that does not. */
class HandshakeFloodTest {
    private static final int STRANGERS = 1_000;
    private static final int PLACES = 100;

    @TempDir Path folder;
    private int dumps;

    @Test
    void keepsNoGoodCallerOutAndLeavesNothing() {
        SessionLimits limits =
                new SessionLimits(
                        Rig.LIMITS.setupNanos(),
                        Rig.LIMITS.consentNanos(),
                        Rig.LIMITS.durationNanos(),
                        Rig.LIMITS.reorderNanos(),
                        Rig.LIMITS.cushionSamples(),
                        Rig.LIMITS.liveNanos(),
                        Rig.LIMITS.idleNanos(),
                        PLACES);
        FakeVoiceAgent agent = new FakeVoiceAgent(FakeVoiceAgent.opus(), false);
        try (Rig rig = new Rig(agent, limits, 30_000, STRANGERS + 1)) {
            for (int i = 0; i < STRANGERS; i++) {
                stopInTheMiddle(rig, i);
            }
            Peer good = rig.client("actpass", place(STRANGERS));
            rig.create(good);
            good.check(rig.now());
            good.startDtls();
            rig.run();
            // How many have begun is the machine's affair; more than there are places never have.
            assertThat(rig.loop().counters().handshakes.get()).isBetween(1L, (long) PLACES);

            rig.advance(3_000);
            rig.pump(good::dtlsDone);
            rig.pump(() -> connected(rig) == 1);
            assertThat(rig.calls().count()).isEqualTo(STRANGERS + 1);
            assertThat(handshakeThreads()).isGreaterThan(PLACES);

            rig.advance(Rig.LIMITS.setupNanos() / 1_000_000);
            rig.pump(() -> rig.calls().count() == 1);
            assertThat(rig.loop().table().size()).isOne();
            assertThat(rig.loop().table().peers()).isOne();
            assertThat(rig.loop().counters().handshakes.get()).isZero();
            // Nor does the one that is connected keep a thread: the loop reads its data.
            rig.pump(() -> handshakeThreads() == 0);
        }
    }

    /** Every other one is the DTLS client and says hello; of the rest we are, and hear nothing. */
    private static void stopInTheMiddle(Rig rig, int number) {
        boolean client = number % 2 == 0;
        Peer peer = rig.client(client ? "active" : "actpass", place(number));
        rig.create(peer);
        peer.check(rig.now());
        if (client) {
            peer.sendHello();
        }
        rig.run();
    }

    private static Place place(int number) {
        return new Place(Address.ipv4(1 + number % 90, 10_000 + number), true);
    }

    private static long connected(Rig rig) {
        return rig.loop().table().all().stream()
                .filter(session -> session.state() == Session.State.CONNECTED)
                .count();
    }

    /** Virtual threads are in no other list of threads. */
    private long handshakeThreads() {
        Path dump = folder.resolve("threads-" + dumps++);
        try {
            ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                    .dumpThreads(dump.toString(), ThreadDumpFormat.TEXT_PLAIN);
            try (Stream<String> lines = Files.lines(dump)) {
                return lines.filter(line -> line.contains(" \"dtls-")).count();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
