package dev.parley.signaling.pool;

import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Finds transceivers as the ready endpoints of Kubernetes services, by following their
 * EndpointSlices: sooner than DNS does, and without its caches. Needs {@code list} and {@code
 * watch} on {@code endpointslices} of {@code discovery.k8s.io}. Over the API's HTTP: a client
 * library would be larger than all of signaling.
 */
public final class KubernetesDiscovery implements Discovery {
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final Pattern SERVICE =
            Pattern.compile("([a-z0-9]([-a-z0-9]*[a-z0-9])?)\\.([a-z0-9]([-a-z0-9]*[a-z0-9])?)");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final Duration INTERVAL = Duration.ofSeconds(2);

    private final List<EndpointWatch> watches;

    /**
     * Follows services' endpoints through one API server.
     *
     * @param interval see {@link EndpointWatch}
     */
    KubernetesDiscovery(KubernetesApi api, List<HostPort> services, Duration interval) {
        this.watches =
                services.stream()
                        .map(
                                service ->
                                        new EndpointWatch(
                                                api, path(service), service.port(), interval))
                        .toList();
        watches.forEach(EndpointWatch::start);
    }

    /**
     * Asks the API of the cluster that this process runs in, as its service account.
     *
     * @param services as {@code service.namespace:port}; the port is that of the containers
     * @throws ConfigException when this is no pod, or a service is named otherwise
     */
    public static KubernetesDiscovery ofPod(
            List<HostPort> services, Map<String, String> environment) {
        for (HostPort service : services) {
            if (!SERVICE.matcher(service.host()).matches()) {
                throw new ConfigException(
                        "transceivers: \""
                                + service
                                + "\" is no service on Kubernetes; write service.namespace:port");
            }
        }
        String host = environment.get("KUBERNETES_SERVICE_HOST");
        String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
        if (host == null) {
            throw new ConfigException(
                    "transceiver_discovery: is kubernetes but this process runs in no pod; say"
                            + " static or dns");
        }
        String authority = host.indexOf(':') >= 0 ? "[" + host + "]:" + port : host + ":" + port;
        HttpClient http =
                HttpClient.newBuilder()
                        .sslContext(trusting(ACCOUNT.resolve("ca.crt")))
                        .connectTimeout(TIMEOUT)
                        .build();
        return new KubernetesDiscovery(
                new KubernetesApi(
                        URI.create("https://" + authority),
                        ACCOUNT.resolve("token"),
                        http,
                        TIMEOUT),
                services,
                INTERVAL);
    }

    private static SSLContext trusting(Path authority) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            int number = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(
                                    new ByteArrayInputStream(Files.readAllBytes(authority)))) {
                trusted.setCertificateEntry("authority " + number++, certificate);
            }
            TrustManagerFactory trust =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (IOException | GeneralSecurityException e) {
            throw new ConfigException(
                    "transceiver_discovery: the cluster's certificate authority "
                            + authority
                            + " cannot be read; mount the pod's service account");
        }
    }

    private static String path(HostPort service) {
        Matcher name = SERVICE.matcher(service.host());
        if (!name.matches()) {
            throw new IllegalArgumentException(service.host() + " is no service.namespace");
        }
        return "/apis/discovery.k8s.io/v1/namespaces/"
                + name.group(3)
                + "/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3D"
                + name.group(1);
    }

    @Override
    public Set<HostPort> find() throws IOException {
        Set<HostPort> found = new LinkedHashSet<>();
        for (EndpointWatch watch : watches) {
            found.addAll(watch.current(TIMEOUT));
        }
        return found;
    }

    @Override
    public void close() {
        watches.forEach(EndpointWatch::close);
    }
}
