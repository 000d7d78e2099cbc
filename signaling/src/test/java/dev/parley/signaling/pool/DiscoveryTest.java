package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DiscoveryTest {
    private static final List<HostPort> SERVICE = List.of(new HostPort("transceiver.parley", 7300));

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
