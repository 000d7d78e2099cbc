package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OutputInboxTest {
    private final AtomicInteger told = new AtomicInteger();
    private final OutputInbox inbox = new OutputInbox(told::incrementAndGet);

    @Test
    void tellsOfTheNextItemOnceWhenItIsAwaited() {
        inbox.item(new OutputItem.Pause());
        assertThat(told).hasValue(0);
        assertThat(inbox.poll()).isNotNull();

        assertThat(inbox.await()).isTrue();
        assertThat(inbox.await()).isTrue();
        inbox.item(new OutputItem.Pause());
        inbox.item(new OutputItem.Resume());
        assertThat(told).hasValue(1);
    }

    @Test
    void awaitsNothingThatIsThere() {
        inbox.item(new OutputItem.Pause());
        assertThat(inbox.await()).isFalse();
        inbox.item(new OutputItem.Resume());
        assertThat(told).hasValue(0);
    }
}
