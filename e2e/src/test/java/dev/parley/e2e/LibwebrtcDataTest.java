package dev.parley.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.e2e.client.LibwebrtcChannels;
import dev.parley.e2e.client.LibwebrtcChannels.Channel;
import dev.parley.e2e.client.LibwebrtcChannels.Message;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Data channels of libwebrtc through the whole product, against the agent that echoes. */
class LibwebrtcDataTest {
    private static final int MANY = 50;
    private static final int LONGEST = 262_144;

    private static WatchedProduct system;

    @BeforeAll
    static void start() {
        system = WatchedProduct.start();
    }

    @AfterAll
    static void stop() {
        system.close();
    }

    private static void assertEchoed(Channel channel, boolean binary, byte[] bytes)
            throws Exception {
        channel.send(binary, bytes);
        Message back = channel.next();
        assertThat(back.binary()).isEqualTo(binary);
        assertThat(back.bytes()).isEqualTo(bytes);
    }

    @Test
    void everyKindOfMessageComesBack() throws Exception {
        try (LibwebrtcChannels peer = new LibwebrtcChannels()) {
            Channel channel = peer.open("oai-events");
            peer.call(URI.create(system.url()), "echo");
            channel.awaitOpen();
            byte[] longest = new byte[LONGEST];
            new Random(1).nextBytes(longest);
            assertEchoed(channel, false, "gr\u00fc\u00df dich".getBytes(UTF_8));
            assertEchoed(channel, true, new byte[] {0, -1, 7});
            assertEchoed(channel, true, longest);
            assertEchoed(channel, false, "x".repeat(LONGEST).getBytes(UTF_8));
        }
    }

    @Test
    void manyChannelsKeepTheirMessagesApartAndInOrder() throws Exception {
        try (LibwebrtcChannels peer = new LibwebrtcChannels()) {
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                channels.add(peer.open("c" + i));
            }
            peer.call(URI.create(system.url()), "echo");
            channels.forEach(Channel::awaitOpen);
            for (int round = 0; round < 10; round++) {
                for (int i = 0; i < MANY; i++) {
                    channels.get(i).send(false, (i + "/" + round).getBytes(UTF_8));
                }
            }
            for (int i = 0; i < MANY; i++) {
                for (int round = 0; round < 10; round++) {
                    assertThat(new String(channels.get(i).next().bytes(), UTF_8))
                            .isEqualTo(i + "/" + round);
                }
            }
        }
    }

    @Test
    void channelsThatComeAndGoAtOnceAreAllClosedAndTheirStreamsUsedAgain() throws Exception {
        try (LibwebrtcChannels peer = new LibwebrtcChannels()) {
            Channel events = peer.open("oai-events");
            peer.call(URI.create(system.url()), "echo");
            events.awaitOpen();
            Set<Integer> ids = new HashSet<>();
            for (int round = 0; round < 10; round++) {
                List<Channel> burst = new ArrayList<>();
                for (int i = 0; i < 10; i++) {
                    Channel channel = peer.open("r" + round + "." + i);
                    burst.add(channel);
                    if (i % 3 == 0) {
                        // Closed before it is open.
                        channel.close();
                    }
                }
                for (int i = 0; i < 10; i++) {
                    Channel channel = burst.get(i);
                    if (i % 3 != 0) {
                        channel.awaitOpen();
                        ids.add(channel.id());
                        // The agent closes it while we do.
                        channel.send(false, "please close".getBytes(UTF_8));
                        if (i % 3 == 1) {
                            channel.close();
                        }
                    }
                    channel.awaitClosed();
                }
            }
            assertThat(ids).as("streams").hasSizeLessThan(40);
            assertEchoed(events, false, "still here".getBytes(UTF_8));
        }
    }
}
