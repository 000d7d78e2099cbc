package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Probe;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Asks pods how they are, as the kubelet of their node does. */
final class Probes {
    // An answer of 2xx or 3xx is a good one.
    private static final String HTTP =
            "exec 3<>/dev/tcp/$0/$1 && printf 'GET %s HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n' \"$2\" \"$0\" >&3"
                    + " && read -r -t 5 _ code _ <&3 && case $code in 2*|3*) ;; *) exit 1 ;; esac";

    private Probes() {}

    static boolean answer(Probe probe, RunningPod pod, NodeNetwork network) {
        try {
            if (probe.getGrpc() != null) {
                String service = probe.getGrpc().getService();
                return serves(pod.ip(), probe.getGrpc().getPort(), service == null ? "" : service);
            }
            if (probe.getHttpGet() != null) {
                String host = probe.getHttpGet().getHost();
                return answersHttp(
                        host == null ? pod.ip() : host,
                        port(pod, probe.getHttpGet().getPort().getValue()),
                        probe.getHttpGet().getPath(),
                        network);
            }
            var _ =
                    network.inNode(
                            "bash",
                            "-c",
                            "exec 3<>/dev/tcp/$0/$1",
                            pod.ip(),
                            Integer.toString(port(pod, probe.getTcpSocket().getPort().getValue())));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Whether the node gets a good answer from there. */
    static boolean answersHttp(String host, int port, String path, NodeNetwork network) {
        try {
            var _ = network.inNode("bash", "-c", HTTP, host, Integer.toString(port), path);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    private static int port(RunningPod pod, Object port) {
        return port instanceof Integer number
                ? number
                : pod.workload().container().getPorts().stream()
                        .filter(p -> p.getName().equals(port))
                        .findFirst()
                        .orElseThrow()
                        .getContainerPort();
    }

    private static boolean serves(String ip, int port, String service) {
        ManagedChannel channel = NettyChannelBuilder.forAddress(ip, port).usePlaintext().build();
        try {
            return HealthGrpc.newBlockingStub(channel)
                            .withDeadlineAfter(5, TimeUnit.SECONDS)
                            .check(HealthCheckRequest.newBuilder().setService(service).build())
                            .getStatus()
                    == ServingStatus.SERVING;
        } catch (StatusRuntimeException _) {
            return false;
        } finally {
            channel.shutdownNow();
        }
    }
}
