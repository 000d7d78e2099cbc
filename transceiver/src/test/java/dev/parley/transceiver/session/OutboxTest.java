package dev.parley.transceiver.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.rtc.ice.IcePath;
import dev.parley.transceiver.peer.FakeUdpPort;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class OutboxTest {
    @Test
    void beginsAnewAfterAFaultOfThePort() {
        AtomicBoolean broken = new AtomicBoolean(true);
        List<byte[]> sent = new ArrayList<>();
        FakeUdpPort port =
                new FakeUdpPort(
                        (_, datagram) -> {
                            if (broken.get()) {
                                throw new IllegalStateException("broken");
                            }
                            sent.add(datagram);
                        });
        Outbox outbox = new Outbox(port, new LoopCounters());
        IcePath path = new IcePath().client(0, 0xFFFF_0A00_0001L, 50_000);
        outbox.commit(path, 1);
        assertThatThrownBy(outbox::flush).hasMessage("broken");

        broken.set(false);
        outbox.commit(path, 2);
        outbox.flush();
        assertThat(sent).singleElement().satisfies(only -> assertThat(only).hasSize(2));
    }
}
