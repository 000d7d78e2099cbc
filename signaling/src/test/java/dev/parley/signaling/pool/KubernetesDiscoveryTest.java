package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Following endpoints through an API server that behaves as real ones do on bad days. */
@Timeout(120)
class KubernetesDiscoveryTest {
    private static final List<HostPort> SERVICE = List.of(new HostPort("transceiver.parley", 7300));

    @TempDir private Path folder;
    private final HttpClient http = HttpClient.newHttpClient();
    private FakeKubernetesApi api;
    private Path token;

    @BeforeEach
    void start() throws IOException {
        api = new FakeKubernetesApi();
        token = Files.writeString(folder.resolve("token"), FakeKubernetesApi.TOKEN + "\n");
    }

    @AfterEach
    void stop() {
        api.close();
        http.close();
    }

    private Discovery follow() {
        return follow(Duration.ofSeconds(30));
    }

    private Discovery follow(Duration patience) {
        return new KubernetesDiscovery(
                new KubernetesApi(api.uri(), token, http, patience),
                SERVICE,
                Duration.ofMillis(10));
    }

    private static Set<HostPort> on(String... addresses) {
        Set<HostPort> all = new LinkedHashSet<>();
        for (String address : addresses) {
            all.add(new HostPort(address, 7300));
        }
        return all;
    }

    private static void await(Discovery discovery, Set<HostPort> wanted) {
        while (true) {
            try {
                if (discovery.find().equals(wanted)) {
                    return;
                }
            } catch (IOException _) {
                // It says why it cannot tell, and can a moment later.
            }
            Thread.onSpinWait();
        }
    }

    private static String awaitProblem(Discovery discovery) {
        while (true) {
            try {
                var _ = discovery.find();
            } catch (IOException e) {
                return String.valueOf(e.getMessage());
            }
        }
    }

    @Test
    void listsTheReadyEndpointsOfAService() throws IOException {
        api.put("a", "10.0.0.1", "!10.0.0.2");
        api.put("b", "2001:db8::4", "10.0.0.1");
        api.put("c");
        api.pageSize(1);
        try (Discovery discovery = follow()) {
            assertThat(discovery.find()).isEqualTo(on("10.0.0.1", "2001:db8::4"));
            assertThat(api.asked("list")).isEqualTo(3);
        }
    }

    @Test
    void followsWhatChangesWithoutListingAgain() throws IOException {
        api.put("a", "10.0.0.1");
        try (Discovery discovery = follow()) {
            assertThat(discovery.find()).isEqualTo(on("10.0.0.1"));
            api.put("a", "10.0.0.1", "10.0.0.2");
            await(discovery, on("10.0.0.1", "10.0.0.2"));
            api.put("b", "10.0.0.3");
            api.put("a", "!10.0.0.1", "10.0.0.2");
            await(discovery, on("10.0.0.2", "10.0.0.3"));
            api.delete("a");
            await(discovery, on("10.0.0.3"));
            assertThat(api.asked("list")).isEqualTo(1);
            assertThat(api.asked("watch")).isEqualTo(1);
        }
    }

    @Test
    void goesOnFromWhereAWatchBrokeOff() {
        api.put("a", "10.0.0.1");
        try (Discovery discovery = follow()) {
            await(discovery, on("10.0.0.1"));
            while (api.asked("watch") < 1) {
                Thread.onSpinWait();
            }
            for (int i = 2; i < 12; i++) {
                api.disconnect();
                api.put("a", "10.0.0." + i);
                await(discovery, on("10.0.0." + i));
            }
            assertThat(api.asked("list")).isEqualTo(1);
            assertThat(api.asked("watch")).isGreaterThan(1);
        }
    }

    @Test
    void listsAnewWhenItsVersionIsGone() {
        api.put("a", "10.0.0.1");
        try (Discovery discovery = follow()) {
            await(discovery, on("10.0.0.1"));
            api.disconnect();
            api.put("a", "10.0.0.2");
            api.delete("a");
            api.put("b", "10.0.0.3");
            api.compact();
            api.disconnect();
            await(discovery, on("10.0.0.3"));
            api.put("b", "10.0.0.4");
            await(discovery, on("10.0.0.4"));
            assertThat(api.asked("list")).isGreaterThan(1);
        }
    }

    @Test
    void aBookmarkSparesTheList() {
        api.put("a", "10.0.0.1");
        try (Discovery discovery = follow()) {
            await(discovery, on("10.0.0.1"));
            api.bookmark();
            api.put("a", "10.0.0.2");
            await(discovery, on("10.0.0.2"));
            api.bookmark();
            api.put("a", "10.0.0.3");
            await(discovery, on("10.0.0.3"));
            // What it has seen is gone, what it has not is there.
            api.compact();
            api.disconnect();
            api.put("a", "10.0.0.4");
            await(discovery, on("10.0.0.4"));
            assertThat(api.asked("list")).isEqualTo(1);
        }
    }

    @Test
    void saysWhatTheServiceAccountMustBeGranted() {
        api.put("a", "10.0.0.1");
        api.deny("list", "watch");
        try (Discovery discovery = follow()) {
            assertThat(awaitProblem(discovery))
                    .startsWith("the Kubernetes API answers 403: grant list and watch");
            api.deny();
            await(discovery, on("10.0.0.1"));
        }
    }

    @Test
    void listsAgainAndAgainWhereItMayNotWatch() {
        api.put("a", "10.0.0.1");
        api.deny("watch");
        try (Discovery discovery = follow()) {
            await(discovery, on("10.0.0.1"));
            api.put("a", "10.0.0.2");
            await(discovery, on("10.0.0.2"));
            assertThat(api.asked("list")).isGreaterThan(1);
            api.deny();
            api.put("a", "10.0.0.3");
            await(discovery, on("10.0.0.3"));
        }
    }

    @Test
    void doesNotWaitForAListThatStopsInTheMiddle() {
        api.put("a", "10.0.0.1");
        api.stallLists(true);
        try (Discovery discovery = follow(Duration.ofMillis(300))) {
            while (!awaitProblem(discovery).endsWith("has not answered within 300 ms")) {
                Thread.onSpinWait();
            }
            api.stallLists(false);
            await(discovery, on("10.0.0.1"));
        }
    }

    @Test
    void readsTheTokenAgainWhenItWasRenewed() throws IOException {
        Files.writeString(token, "old");
        api.put("a", "10.0.0.1");
        try (Discovery discovery = follow()) {
            assertThat(awaitProblem(discovery)).isEqualTo("the Kubernetes API answers 401");
            Files.writeString(token, FakeKubernetesApi.TOKEN);
            await(discovery, on("10.0.0.1"));
        }
    }

    @Test
    void saysThatNobodyAnswers() {
        api.close();
        try (Discovery discovery = follow()) {
            assertThatThrownBy(discovery::find).isInstanceOf(IOException.class);
        }
    }
}
