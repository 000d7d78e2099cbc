package dev.parley.transceiver.media;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.parley.rtc.rtp.RtpReader;
import dev.parley.transceiver.audio.G711;
import dev.parley.transceiver.audio.InferenceFormat;
import dev.parley.transceiver.audio.InferenceFormat.Encoding;
import dev.parley.transceiver.audio.OpusDecoder;
import dev.parley.transceiver.audio.OpusLibrary;
import dev.parley.transceiver.audio.OpusSettings;
import dev.parley.transceiver.audio.Pcm;
import dev.parley.transceiver.audio.VoiceEncoder;
import dev.parley.transceiver.media.OutputItem.Clear;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** From PCM to packets on a virtual clock, with a Clear that fades in between. */
class FadeOutTest {
    private static final long MILLI = 1_000_000L;
    private static final int RATE_HZ = 24_000;
    private static final int FRAME = RATE_HZ / 50;
    private static final double STEP = 2 * Math.PI * 300 / RATE_HZ;
    private static final InferenceFormat FORMAT = new InferenceFormat(Encoding.LINEAR16, RATE_HZ);

    private final OutputInbox inbox = new OutputInbox(() -> {});
    private final List<String> events = new ArrayList<>();
    private final Playout playout = new Playout(0, new Recorder());
    private final List<byte[]> payloads = new ArrayList<>();
    private final List<Long> speech = new ArrayList<>();
    private final PlayedItem one = new PlayedItem("r1", "i1");
    private final PlayedItem two = new PlayedItem("r2", "i2");
    private OutputPath output =
            new OutputPath(1, OutputFormat.opus(111, 20, false), 0, 0, playout, 0);
    private VoiceOutput voice =
            new VoiceOutput(
                    FORMAT,
                    20,
                    () -> new VoiceEncoder(OpusLibrary.best(), FORMAT, OpusSettings.VOICE),
                    inbox,
                    (_, _) -> {});
    private long leftFrames;
    private long millis;
    private int said;

    private final class Recorder implements Playout.Listener {
        @Override
        public void started(PlayedItem item) {
            events.add(millis + " started " + item.responseId());
        }

        @Override
        public void progressed(PlayedItem item) {}

        @Override
        public void stopped(PlayedItem item) {
            events.add(millis + " stopped " + item.responseId() + " at " + item.sentMillis());
        }

        @Override
        public void cleared(@Nullable PlayedItem item, long clearedSamples) {
            events.add(
                    millis
                            + (item == null ? " cleared nothing" : " cleared " + item.responseId())
                            + (item == null ? "" : " at " + item.sentMillis())
                            + ", "
                            + clearedSamples / 48
                            + " dropped");
        }

        @Override
        public void paused(@Nullable PlayedItem item) {
            events.add(millis + " paused");
        }

        @Override
        public void marked(OutputItem.Mark mark) {
            events.add(millis + " mark " + mark.name() + (mark.cleared() ? " cleared" : ""));
        }

        @Override
        public void hungUp(String message) {}
    }

    /** A tone that goes on from one call to the next. */
    private void say(PlayedItem item, int samples) {
        short[] pcm = new short[samples];
        for (int i = 0; i < samples; i++) {
            pcm[i] = (short) (10_000 * Math.sin(STEP * said++));
        }
        byte[] bytes = new byte[2 * samples];
        Pcm.writeS16le(pcm, 0, samples, bytes, 0);
        voice.audio(item, ByteString.copyFrom(bytes), samples * 2);
    }

    /** As OutputIntake does it, at this very moment. */
    private void clear(String responseId, int fadeMillis, PlayedItem... cut) {
        for (PlayedItem item : cut) {
            item.cutAfter(2, now() + 40 * MILLI);
        }
        voice.item(new Clear(responseId, 0, fadeMillis, List.of()));
    }

    private long now() {
        return millis * MILLI;
    }

    private void encode() {
        while (voice.runOnce(now())) {}
    }

    private void send() {
        ByteBuffer buffer = ByteBuffer.allocate(1_500);
        RtpReader rtp = new RtpReader();
        while (output.dueNanos() - now() <= 0) {
            for (OutputItem item = inbox.poll(); item != null; item = inbox.poll()) {
                playout.offer(item);
            }
            assertThat(rtp.wrap(buffer, 0, output.write(now(), buffer, 0))).isTrue();
            byte[] payload = new byte[rtp.payloadLength()];
            buffer.get(rtp.payloadOffset(), payload);
            payloads.add(payload);
            if (payload.length > 3 && payload[0] != payload[payload.length - 1]) {
                speech.add(millis);
            }
            inbox.left((int) (playout.leftFrames() - leftFrames));
            leftFrames = playout.leftFrames();
        }
    }

    private void runUntil(long end) {
        for (; millis <= end; millis++) {
            encode();
            send();
        }
        millis = end;
    }

    /** What the caller hears from the start, at 48 kHz. */
    private short[] heard() {
        short[] pcm = new short[payloads.size() * 960];
        try (OpusDecoder decoder = OpusLibrary.best().newDecoder(48_000)) {
            for (int i = 0; i < payloads.size(); i++) {
                byte[] payload = payloads.get(i);
                assertThat(
                                decoder.decode(
                                        ByteBuffer.wrap(payload), 0, payload.length, pcm, i * 960))
                        .isEqualTo(960);
            }
        }
        return pcm;
    }

    private static int loudest(short[] pcm, int fromMillis, int toMillis) {
        int peak = 0;
        for (int i = fromMillis * 48; i < toMillis * 48; i++) {
            peak = Math.max(peak, Math.abs(pcm[i]));
        }
        return peak;
    }

    @Test
    void fadesTheContinuationWithin40Millis() {
        output.start(0);
        say(one, 50 * FRAME);
        runUntil(105);
        clear("r1", 40, one);
        runUntil(300);
        assertThat(speech).containsExactly(0L, 20L, 40L, 60L, 80L, 100L, 120L, 140L);
        assertThat(events).containsExactly("0 started r1", "140 cleared r1 at 153, 846 dropped");
        short[] pcm = heard();
        // The codec is 6.5 ms behind: the fade is heard from 126.5 to 160.
        assertThat(loudest(pcm, 100, 128)).isBetween(8_500, 11_500);
        assertThat(loudest(pcm, 138, 148)).isBetween(3_000, 8_000);
        assertThat(loudest(pcm, 157, 161)).isLessThan(900);
        assertThat(loudest(pcm, 166, 300)).isLessThan(100);
        // The tone goes on in phase: never a larger step than a sine of 300 Hz takes, and noise.
        int step = 0;
        for (int i = 60 * 48; i < pcm.length; i++) {
            step = Math.max(step, Math.abs(pcm[i] - pcm[i - 1]));
        }
        assertThat(step).isLessThan(700);
    }

    @Test
    void fadesNoLongerThanItWasAskedFor() {
        output.start(0);
        say(one, 50 * FRAME);
        runUntil(105);
        clear("", 10, one);
        runUntil(300);
        assertThat(speech).hasSize(7);
        assertThat(events).contains("120 cleared r1 at 130, 870 dropped");
    }

    @Test
    void fadesWhatThereIsOfASourceInRealTime() {
        output.start(0);
        say(one, FRAME);
        runUntil(15);
        say(one, FRAME + FRAME / 4);
        runUntil(35);
        clear("r1", 20, one);
        runUntil(100);
        assertThat(events).containsExactly("0 started r1", "40 cleared r1 at 45, 0 dropped");
    }

    @Test
    void stopsWhereNothingIsLeftToFade() {
        output.start(0);
        say(one, FRAME);
        runUntil(5);
        clear("r1", 20, one);
        runUntil(100);
        assertThat(events).containsExactly("0 started r1", "20 cleared r1 at 20, 0 dropped");
    }

    @Test
    void fadesAudioThatCameWithTheClear() {
        output.start(0);
        say(one, FRAME);
        runUntil(15);
        say(one, 3 * FRAME);
        clear("r1", 20, one);
        runUntil(100);
        assertThat(events).containsExactly("0 started r1", "40 cleared r1 at 40, 40 dropped");
    }

    @Test
    void leavesTheNextResponseAloneAndReportsMarksBehindTheFade() {
        output.start(0);
        say(one, 5 * FRAME);
        voice.item(new OutputItem.Mark("of one", false));
        say(two, 2 * FRAME);
        runUntil(25);
        clear("r1", 10, one);
        runUntil(200);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "40 cleared r1 at 50, 50 dropped",
                        "40 mark of one cleared",
                        "60 started r2",
                        "100 stopped r2 at 40");
    }

    @Test
    void fadesNothingThatWasNotToBeHeardNext() {
        output.start(0);
        say(one, 3 * FRAME);
        say(two, 5 * FRAME);
        runUntil(25);
        clear("r2", 40, two);
        runUntil(200);
        assertThat(events)
                .containsExactly(
                        "0 started r1", "40 cleared nothing, 100 dropped", "60 stopped r1 at 60");
    }

    @Test
    void isSilentAtOnceWhenItWasPaused() {
        output.start(0);
        say(one, 10 * FRAME);
        runUntil(25);
        voice.item(new OutputItem.Pause());
        runUntil(100);
        clear("r1", 40, one);
        runUntil(200);
        assertThat(speech).hasSize(2);
        assertThat(events).contains("120 cleared r1 at 40, 160 dropped");
    }

    @Test
    void aSecondClearEndsTheFade() {
        output.start(0);
        say(one, 10 * FRAME);
        runUntil(25);
        clear("r1", 40, one);
        runUntil(45);
        clear("", 0);
        runUntil(200);
        assertThat(speech).hasSize(3);
        assertThat(events)
                .containsExactly(
                        "0 started r1",
                        "60 cleared r1 at 60, 140 dropped",
                        "60 cleared nothing, 0 dropped");
    }

    @Test
    void stopsInTimeThoughTheCodecThreadDoesNotRun() {
        output.start(0);
        say(one, 10 * FRAME);
        runUntil(25);
        clear("r1", 40, one);
        for (; millis < 200; millis++) {
            send();
        }
        assertThat(speech).containsExactly(0L, 20L, 40L, 60L);
        runUntil(240);
        assertThat(speech).hasSize(4);
        assertThat(events).containsExactly("0 started r1", "200 cleared r1 at 80, 120 dropped");
    }

    @Test
    void sendsNothingOldAfterAStallOfTheLoop() {
        output.start(0);
        say(one, 20 * FRAME);
        runUntil(25);
        clear("r1", 40, one);
        encode();
        millis = 90;
        runUntil(200);
        assertThat(speech).hasSize(2);
        assertThat(events).containsExactly("0 started r1", "90 cleared r1 at 40, 360 dropped");
    }

    @Test
    void fadesG711AsWell() {
        output = new OutputPath(1, OutputFormat.g711(8, 20, G711.ALAW), 0, 0, playout, 0);
        voice =
                new VoiceOutput(
                        FORMAT,
                        20,
                        () -> VoiceEncoder.ofG711(G711.ALAW, FORMAT, 20),
                        inbox,
                        (_, _) -> {});
        output.start(0);
        say(one, 10 * FRAME);
        runUntil(25);
        clear("r1", 20, one);
        runUntil(200);
        byte[] last = payloads.get(3);
        assertThat(Math.abs(G711.ALAW.decode(last[40]))).isLessThan((short) 1_000);
        assertThat(Math.abs(G711.ALAW.decode(last[159]))).isLessThan((short) 20);
        assertThat(events).contains("60 cleared r1 at 60, 140 dropped");
    }
}
