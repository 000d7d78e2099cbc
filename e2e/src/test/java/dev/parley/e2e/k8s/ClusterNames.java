package dev.parley.e2e.k8s;

import io.fabric8.kubernetes.api.model.Service;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The cluster's DNS: each service by its name, a headless one by its pods' addresses, another by an
 * address of its own. What it has answered it answers for half a minute, as CoreDNS with the cache
 * that kubeadm gives it. Its own thread answers; the cluster tells it what there is.
 */
final class ClusterNames implements AutoCloseable {
    /** What pods ask; the node leads it here. */
    static final String ADDRESS = "10.96.0.10";

    static final String SERVICES = "10.96.0.0/16";
    static final String RESOLV_CONF =
            """
            nameserver 10.96.0.10
            search parley.svc.cluster.local svc.cluster.local cluster.local
            options ndots:5
            """;

    private static final String SUFFIX = ".parley.svc.cluster.local";
    private static final String HEADLESS = "None";
    private static final String SERVICE_PREFIX = "10.96.231.";
    private static final Duration TTL = Duration.ofSeconds(30);

    // RFC 1035 4.1: the header, then a question and answers that point back to its name.
    private static final int HEADER_LENGTH = 12;
    private static final int LARGEST = 512;
    private static final int RESPONSE_AUTHORITATIVE = 0x8400;
    private static final int NO_SUCH_NAME = 3;
    private static final short NAME_OF_QUESTION = (short) 0xC00C;
    private static final short TYPE_A = 1;
    private static final short CLASS_IN = 1;

    /** What was said of a name, and until when. */
    private record Said(List<String> addresses, long untilNanos) {}

    private final DatagramChannel channel;
    private final Map<String, List<String>> there = new ConcurrentHashMap<>();
    private final Map<String, String> own = new ConcurrentHashMap<>();
    private final Map<String, Said> said = new ConcurrentHashMap<>();

    ClusterNames(String address) throws IOException {
        channel = DatagramChannel.open().bind(new InetSocketAddress(address, 0));
        Thread.ofVirtual().name("cluster-names").start(this::serve);
    }

    int port() {
        return channel.socket().getLocalPort();
    }

    /** The address of a service that has one. */
    String own(Service service) {
        return own.computeIfAbsent(
                service.getMetadata().getName(), _ -> SERVICE_PREFIX + (own.size() + 1));
    }

    static boolean hasOwn(Service service) {
        return !HEADLESS.equals(service.getSpec().getClusterIP());
    }

    /** What a service leads to now; one that never led anywhere is not known at all. */
    void update(Service service, List<String> pods) {
        String name = service.getMetadata().getName() + SUFFIX;
        if (!hasOwn(service)) {
            there.put(name, pods);
        } else if (!pods.isEmpty()) {
            there.put(name, List.of(own(service)));
        }
    }

    private void serve() {
        ByteBuffer query = ByteBuffer.allocate(LARGEST);
        try {
            while (channel.isOpen()) {
                var from = channel.receive(query.clear());
                ByteBuffer answer = answer(query.flip());
                if (answer.hasRemaining()) {
                    channel.send(answer, from);
                }
            }
        } catch (IOException _) {
            // It is closed.
        }
    }

    private ByteBuffer answer(ByteBuffer query) {
        if (query.limit() < HEADER_LENGTH) {
            return ByteBuffer.allocate(0);
        }
        StringBuilder name = new StringBuilder();
        int at = HEADER_LENGTH;
        for (int length = query.get(at++); length > 0; length = query.get(at++)) {
            byte[] label = new byte[length];
            query.get(at, label);
            name.append(name.isEmpty() ? "" : ".");
            name.append(new String(label, StandardCharsets.US_ASCII));
            at += length;
        }
        short type = query.getShort(at);
        int questionEnd = at + 2 * Short.BYTES;
        List<String> addresses = addresses(name.toString());
        boolean told = type == TYPE_A;
        ByteBuffer answer = ByteBuffer.allocate(LARGEST);
        answer.putShort(query.getShort(0));
        answer.putShort(
                (short) (RESPONSE_AUTHORITATIVE | (addresses.isEmpty() ? NO_SUCH_NAME : 0)));
        answer.putShort((short) 1).putShort((short) (told ? addresses.size() : 0)).putInt(0);
        answer.put(query.slice(HEADER_LENGTH, questionEnd - HEADER_LENGTH));
        for (String address : told ? addresses : List.<String>of()) {
            answer.putShort(NAME_OF_QUESTION).putShort(TYPE_A).putShort(CLASS_IN);
            answer.putInt((int) TTL.toSeconds());
            byte[] bytes = InetAddress.ofLiteral(address).getAddress();
            answer.putShort((short) bytes.length).put(bytes);
        }
        return answer.flip();
    }

    private List<String> addresses(String name) {
        long now = System.nanoTime();
        return said.compute(
                        name,
                        (_, former) ->
                                former != null && former.untilNanos - now > 0
                                        ? former
                                        : new Said(
                                                there.getOrDefault(name, List.of()),
                                                now + TTL.toNanos()))
                .addresses();
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException _) {
            // It is closed all the same.
        }
    }
}
