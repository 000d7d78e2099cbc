package dev.parley.signaling.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterAuthTest {
    private static final byte[] KEY = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);
    private static final String CLOSE = "parley.control.v1.Transceiver/CloseSession";
    private static final String CONTROL = "10.1.2.3:7300";

    private Instant now = Instant.ofEpochSecond(1_000_000);
    private final ClusterAuth east = auth(1, KEY);
    private final ClusterAuth west = auth(2, KEY);

    private ClusterAuth auth(int cluster, byte[] key) {
        return new ClusterAuth(List.of(key), cluster, () -> now);
    }

    private static Metadata headers(String credential, String control) {
        Metadata headers = new Metadata();
        headers.put(ClusterAuth.CREDENTIAL, credential);
        if (!control.isEmpty()) {
            headers.put(ClusterAuth.CONTROL, control);
        }
        return headers;
    }

    @Test
    void aCredentialIsGoodForOneClusterOneMethodAndOneTransceiver() {
        String shown = east.credential(2, CLOSE, CONTROL);
        assertThat(west.isOurs(headers(shown, CONTROL), CLOSE)).isTrue();
        assertThat(west.isOurs(headers(shown, "10.1.2.4:7300"), CLOSE)).isFalse();
        assertThat(west.isOurs(headers(shown, ""), CLOSE)).isFalse();
        assertThat(west.isOurs(headers(shown, CONTROL), CLOSE + "d")).isFalse();
        assertThat(auth(3, KEY).isOurs(headers(shown, CONTROL), CLOSE)).isFalse();
        assertThat(east.isOurs(headers(east.credential(1, CLOSE, ""), ""), CLOSE))
                .as("from itself")
                .isFalse();
    }

    @Test
    void aCredentialIsGoodForAMinute() {
        String shown = east.credential(2, CLOSE, "");
        now = now.plusSeconds(60);
        assertThat(west.isOurs(headers(shown, ""), CLOSE)).isTrue();
        now = now.plusSeconds(1);
        assertThat(west.isOurs(headers(shown, ""), CLOSE)).isFalse();
    }

    @Test
    void whoHasOtherKeysOrNoneIsNobody() {
        ClusterAuth stranger = auth(1, "another key here".getBytes(StandardCharsets.US_ASCII));
        assertThat(west.isOurs(headers(stranger.credential(2, CLOSE, ""), ""), CLOSE)).isFalse();
        assertThat(west.isOurs(new Metadata(), CLOSE)).isFalse();
        assertThat(west.isOurs(headers("pcl_AAAA", ""), CLOSE)).isFalse();
    }
}
