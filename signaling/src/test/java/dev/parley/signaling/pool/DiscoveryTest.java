package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiscoveryTest {
    private static final List<HostPort> SERVICE = List.of(new HostPort("transceiver.parley", 7300));

    @TempDir private Path folder;

    @Test
    void takesEachAddressOfANameForATransceiver() throws IOException {
        InetAddress[] addresses = {
            InetAddress.ofLiteral("10.0.0.1"), InetAddress.ofLiteral("2001:db8::2")
        };
        Discovery dns = new DnsDiscovery(SERVICE, _ -> addresses);
        assertThat(dns.find())
                .containsExactly(
                        new HostPort("10.0.0.1", 7300), new HostPort("2001:db8:0:0:0:0:0:2", 7300));

        addresses[1] = InetAddress.ofLiteral("10.0.0.3");
        assertThat(dns.find())
                .containsExactly(new HostPort("10.0.0.1", 7300), new HostPort("10.0.0.3", 7300));
    }

    @Test
    void saysThatANameIsUnknown() {
        Discovery dns =
                new DnsDiscovery(
                        SERVICE,
                        name -> {
                            throw new UnknownHostException(name);
                        });
        assertThatThrownBy(dns::find).isInstanceOf(UnknownHostException.class);
    }

    @Test
    void listsTheReadyEndpointsOfAService() throws IOException {
        String first =
                """
                {"metadata":{"continue":"next"},"items":[{"endpoints":[
                  {"addresses":["10.0.0.1"],"conditions":{"ready":true}},
                  {"addresses":["10.0.0.2"],"conditions":{"ready":false,"serving":true}},
                  {"addresses":["10.0.0.3"],"conditions":{}}]}]}
                """;
        String second =
                """
                {"metadata":{},"items":[{"endpoints":[{"addresses":["2001:db8::4"]}]},
                  {"endpoints":null},{}]}
                """;
        List<String> asked = new ArrayList<>();
        HttpServer api =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        api.createContext(
                "/",
                exchange -> {
                    asked.add(exchange.getRequestURI().toString());
                    asked.add(exchange.getRequestHeaders().getFirst("Authorization"));
                    byte[] body =
                            (asked.size() == 2 ? first : second).getBytes(StandardCharsets.UTF_8);
                    exchange.sendResponseHeaders(asked.size() > 4 ? 403 : 200, body.length);
                    exchange.getResponseBody().write(body);
                    exchange.close();
                });
        api.start();
        try (HttpClient http = HttpClient.newHttpClient()) {
            Path token = Files.writeString(folder.resolve("token"), "secret\n");
            Discovery kubernetes =
                    new KubernetesDiscovery(
                            URI.create("http://127.0.0.1:" + api.getAddress().getPort()),
                            token,
                            http,
                            SERVICE);

            assertThat(kubernetes.find())
                    .containsExactly(
                            new HostPort("10.0.0.1", 7300),
                            new HostPort("10.0.0.3", 7300),
                            new HostPort("2001:db8::4", 7300));
            String path =
                    "/apis/discovery.k8s.io/v1/namespaces/parley/endpointslices?labelSelector="
                            + "kubernetes.io%2Fservice-name%3Dtransceiver&limit=500";
            assertThat(asked)
                    .containsExactly(
                            path, "Bearer secret", path + "&continue=next", "Bearer secret");
            assertThatThrownBy(kubernetes::find)
                    .isInstanceOf(IOException.class)
                    .hasMessage("the Kubernetes API answers 403");
        } finally {
            api.stop(0);
        }
    }

    @Test
    void saysWhatKubernetesNeeds() {
        assertThatThrownBy(
                        () ->
                                KubernetesDiscovery.ofPod(
                                        List.of(new HostPort("transceiver", 7300)), Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("write service.namespace:port");
        assertThatThrownBy(() -> KubernetesDiscovery.ofPod(SERVICE, Map.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("transceiver_discovery: is kubernetes but this process");
        assertThatThrownBy(
                        () ->
                                KubernetesDiscovery.ofPod(
                                        SERVICE, Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1")))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith("transceiver_discovery: the cluster's certificate");
    }
}
