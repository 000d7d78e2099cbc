package dev.parley.runtime.udp;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every errno by hand: none is fatal, each is counted, and no datagram is sent twice. */
@EnabledOnOs(OS.LINUX)
class LinuxUdpPortTest {
    /** Answers what the test says, in order; when it says nothing more, takes everything. */
    private static final class ScriptedCalls implements PacketCalls {
        private final Queue<Integer> answers = new ArrayDeque<>();
        private final List<Integer> asked = new ArrayList<>();

        private int answer(int count) {
            asked.add(count);
            Integer scripted = answers.poll();
            return scripted == null ? count : scripted;
        }

        @Override
        public int receive(int descriptor, long messages, int count) {
            return answer(count);
        }

        @Override
        public int send(int descriptor, long messages, int count) {
            return answer(count);
        }

        @Override
        public int await(int epoll, long events, int count, long timeoutNanos) {
            return answer(count);
        }

        @Override
        public void takeFirings(int timer) {}
    }

    private final ScriptedCalls calls = new ScriptedCalls();
    private final LinuxUdpPort port =
            new LinuxUdpPort(
                    calls, -1, new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1), 0, 0);
    private final DatagramBatch batch = new DatagramBatch(8, 38, 1500);

    @ParameterizedTest
    @CsvSource({
        // errno, reason, sizes of the calls that follow for 5 datagrams
        "105, SEND_BUFFER_FULL, 5;4",
        "90, SEND_TOO_LONG, 5;4",
        "1, SEND_ERROR, 5;4",
        "22, SEND_ERROR, 5;4",
        "113, SEND_ERROR, 5;4",
        "111, PEER_UNREACHABLE, 5;5"
    })
    void aRefusedDatagramIsCountedAndTheOthersAreSent(
            int errno, UdpCounters.Reason reason, String sizes) {
        calls.answers.add(-errno);
        assertThat(port.send(batch, 0, 5)).isEqualTo(5);
        assertThat(port.counters().count(reason)).isEqualTo(1);
        assertThat(calls.asked).isEqualTo(numbers(sizes));
    }

    @Test
    void aPeerThatRefusesTwiceLosesItsDatagramOnly() {
        calls.answers.addAll(List.of(-Errno.ECONNREFUSED, -Errno.ECONNREFUSED));
        assertThat(port.send(batch, 0, 5)).isEqualTo(5);
        assertThat(port.counters().count(UdpCounters.Reason.PEER_UNREACHABLE)).isEqualTo(2);
        assertThat(calls.asked).containsExactly(5, 5, 4);
    }

    @Test
    void aPartialSendGoesOnBehindWhatWasSent() {
        calls.answers.addAll(List.of(2, -Errno.EMSGSIZE, 1));
        assertThat(port.send(batch, 1, 7)).isEqualTo(6);
        assertThat(calls.asked).containsExactly(6, 4, 3, 2);
        assertThat(port.counters().count(UdpCounters.Reason.SEND_TOO_LONG)).isEqualTo(1);
    }

    @Test
    void aFullSocketBufferEndsTheSendAndTellsHowFarItCame() {
        calls.answers.addAll(List.of(3, -Errno.EAGAIN));
        assertThat(port.send(batch, 0, 8)).isEqualTo(3);
        assertThat(calls.asked).containsExactly(8, 5);
    }

    @Test
    void aSignalOnlyRepeatsTheSend() {
        calls.answers.addAll(List.of(-Errno.EINTR, -Errno.EINTR));
        assertThat(port.send(batch, 0, 8)).isEqualTo(8);
        assertThat(calls.asked).containsExactly(8, 8, 8);
        for (UdpCounters.Reason reason : UdpCounters.Reason.values()) {
            assertThat(port.counters().count(reason)).isZero();
        }
    }

    @Test
    void aSendThatSendsNothingDoesNotRepeatForEver() {
        calls.answers.addAll(List.of(0, 0, 0));
        assertThat(port.send(batch, 0, 3)).isEqualTo(3);
        assertThat(port.counters().count(UdpCounters.Reason.SEND_ERROR)).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"11,", "4,", "111, PEER_UNREACHABLE", "12, RECEIVE_ERROR"})
    void aReceiveThatFailsIsCountedAndLeftToTheNextTurn(int errno, UdpCounters.Reason reason) {
        calls.answers.add(-errno);
        port.ready();
        assertThat(port.receive(batch)).isZero();
        assertThat(port.isReady()).isFalse();
        for (UdpCounters.Reason each : UdpCounters.Reason.values()) {
            assertThat(port.counters().count(each)).isEqualTo(each == reason ? 1 : 0);
        }
    }

    @Test
    void asksTheKernelOnlyWhenThePollerHasSeenDatagrams() {
        assertThat(port.receive(batch)).isZero();
        assertThat(calls.asked).isEmpty();
        port.ready();
        assertThat(port.receive(batch)).isEqualTo(8);
        assertThat(port.isReady()).as("a whole batch: more may wait").isTrue();
        calls.answers.add(7);
        assertThat(port.receive(batch)).isEqualTo(7);
        assertThat(port.isReady()).isFalse();
        assertThat(port.receive(batch)).isZero();
        assertThat(calls.asked).containsExactly(8, 8);
    }

    @Test
    void asksForOneDatagramWhileTheyComeOneByOneAndForAllOnceInAWhile() {
        receiveOneByOne(16);
        assertThat(calls.asked).containsOnly(8);
        calls.asked.clear();
        receiveOneByOne(17);
        assertThat(calls.asked.getFirst()).as("the first look of sixteen").isEqualTo(8);
        assertThat(calls.asked.subList(1, 16)).containsOnly(1);
        assertThat(calls.asked.getLast()).as("the first look of the next sixteen").isEqualTo(8);
    }

    @Test
    void asksForAllAgainOnceMoreThanOneCame() {
        receiveOneByOne(16);
        calls.answers.add(2);
        port.ready();
        assertThat(port.receive(batch)).isEqualTo(2);
        calls.asked.clear();
        receiveOneByOne(16);
        assertThat(calls.asked).containsOnly(8);
    }

    @Test
    void asksForAllThatHaveGathered() {
        receiveOneByOne(17);
        calls.asked.clear();
        port.gathered();

        assertThat(port.receive(batch)).isEqualTo(8);
        assertThat(calls.asked).containsExactly(8);
    }

    @Test
    void leavesWhatWaitsBehindASingleDatagramToThePoller() {
        receiveOneByOne(17);
        calls.answers.add(1);
        port.ready();
        assertThat(port.receive(batch)).isEqualTo(1);
        assertThat(port.isReady()).isFalse();
    }

    private void receiveOneByOne(int times) {
        for (int i = 0; i < times; i++) {
            calls.answers.add(1);
            port.ready();
            assertThat(port.receive(batch)).isEqualTo(1);
        }
    }

    private static List<Integer> numbers(String text) {
        return List.of(text.split(";")).stream().map(Integer::valueOf).toList();
    }
}
