package dev.parley.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.udp.LocalSocket;
import dev.parley.runtime.udp.UdpMode;
import dev.parley.runtime.udp.UdpOptions;
import dev.parley.runtime.udp.UdpPoller;
import dev.parley.runtime.udp.UdpPort;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What two processes agree on when one follows the other, be they of one version or not. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class SuccessionTest {
    private static final String ADDRESSES = "here";
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(50);

    private final String name = "parley-test " + UUID.randomUUID();
    private final UdpPoller poller = UdpMode.NATIVE.open();
    private final UdpPort port =
            poller.bind(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new UdpOptions(false, 1 << 16, 1 << 16));
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        poller.close();
    }

    private Succession await(Duration patience) {
        return Succession.await(name, ADDRESSES, new Incumbent(), patience);
    }

    private final class Incumbent implements Succession.Incumbent {
        @Override
        public List<Takeover.Share> cease() {
            events.add("ceased");
            return List.of(
                    new Takeover.Share(new int[] {port.descriptor()}, ByteBuffer.allocate(0)));
        }

        @Override
        public void succeeded() {
            events.add("succeeded");
        }

        @Override
        public void resume(boolean alone) {
            events.add(alone ? "resumed alone" : "resumed");
        }

        @Override
        public void letGo() {
            events.add("let go");
        }
    }

    private String event() throws InterruptedException {
        return String.valueOf(events.poll(30, TimeUnit.SECONDS));
    }

    private Takeover takeover() {
        Takeover takeover = Objects.requireNonNull(Takeover.find(name, ADDRESSES, 1));
        for (Takeover.Share share : takeover.shares()) {
            LocalSocket.discard(share.descriptors()[0]);
        }
        return takeover;
    }

    @Test
    void aSuccessorThatConfirmsInTimeServes() throws InterruptedException {
        try (Succession succession = await(LONG)) {
            Takeover takeover = takeover();
            assertThat(takeover.confirm()).isTrue();
            assertThat(event()).isEqualTo("ceased");
            assertThat(event()).isEqualTo("succeeded");
            takeover.close();
            assertThat(event()).isEqualTo("resumed alone");
            assertThat(succession).isNotNull();
        }
    }

    @Test
    void aSuccessorThatConfirmsTooLateDoesNotServeBesideItsPredecessor()
            throws InterruptedException {
        try (Succession succession = await(SHORT);
                Takeover late = takeover()) {
            assertThat(event()).isEqualTo("ceased");
            assertThat(event()).isEqualTo("resumed");
            assertThat(late.confirm()).isFalse();
            assertThat(events).isEmpty();
            assertThat(succession).isNotNull();
        }
    }

    @Test
    void aSuccessorWhosePredecessorHasEndedServes() throws InterruptedException {
        Succession succession = await(SHORT);
        try (Takeover takeover = takeover()) {
            assertThat(event()).isEqualTo("ceased");
            succession.close();

            assertThat(takeover.confirm()).isTrue();
        }
    }

    @Test
    void aSuccessorOfVersion2IsServedAsItKnowsIt() throws IOException, InterruptedException {
        try (Succession succession = await(LONG);
                LocalSocket old = Objects.requireNonNull(LocalSocket.connect(name))) {
            old.timeout(LONG);
            HandoverMessages.sendInt(old, HandoverMessages.MAGIC);
            HandoverMessages.sendInt(old, 2);
            HandoverMessages.sendText(old, ADDRESSES);
            assertThat(HandoverMessages.receiveInt(old)).isOne();
            LocalSocket.discard(old.receiveDescriptors()[0]);
            assertThat(HandoverMessages.receiveFlows(old).remaining()).isZero();
            HandoverMessages.sendInt(old, HandoverMessages.CONFIRMED);
            HandoverMessages.sendInt(old, HandoverMessages.SUPERSEDED);

            assertThat(event()).isEqualTo("ceased");
            assertThat(event()).isEqualTo("succeeded");
            assertThat(event()).isEqualTo("let go");
            // It would take what it does not read for a sign of life.
            assertThatThrownBy(() -> HandoverMessages.receiveInt(old))
                    .isInstanceOf(EOFException.class);
            assertThat(succession).isNotNull();
        }
    }

    @Test
    void aPredecessorOfVersion2IsAskedAsItKnowsIt() throws Exception {
        BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
        try (LocalSocket listener = LocalSocket.listen(name)) {
            Thread old = Thread.ofPlatform().start(() -> serveVersion2(listener, heard));
            try (Takeover takeover = takeover()) {
                assertThat(takeover.confirm()).isTrue();
                takeover.supersede();
            }
            old.join();
            assertThat(heard)
                    .containsExactly(3, 2, HandoverMessages.CONFIRMED, HandoverMessages.SUPERSEDED);
        }
    }

    private void serveVersion2(LocalSocket listener, BlockingQueue<Integer> heard) {
        try {
            boolean known = false;
            while (!known) {
                try (LocalSocket successor = listener.accept()) {
                    assertThat(HandoverMessages.receiveInt(successor))
                            .isEqualTo(HandoverMessages.MAGIC);
                    heard.add(HandoverMessages.receiveInt(successor));
                    assertThat(HandoverMessages.receiveText(successor)).isEqualTo(ADDRESSES);
                    known = heard.contains(2);
                    if (known) {
                        giveAsVersion2(successor, heard);
                    } else {
                        HandoverMessages.sendInt(successor, 0);
                        HandoverMessages.sendText(successor, "it knows version 2 only");
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void giveAsVersion2(LocalSocket successor, BlockingQueue<Integer> heard)
            throws IOException {
        HandoverMessages.sendInt(successor, 1);
        successor.sendDescriptors(new int[] {port.descriptor()});
        HandoverMessages.sendFlows(successor, ByteBuffer.allocate(0));
        heard.add(HandoverMessages.receiveInt(successor));
        heard.add(HandoverMessages.receiveInt(successor));
    }
}
