package dev.parley.signaling.pool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.parley.runtime.config.ConfigException;
import dev.parley.runtime.config.HostPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
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
 * Finds transceivers as the ready endpoints of Kubernetes services, by listing their
 * EndpointSlices: sooner than DNS does, and without its caches. Needs {@code list} on {@code
 * endpointslices} of {@code discovery.k8s.io}. One request each time, over the API's HTTP: a client
 * library would be larger than all of signaling.
 */
public final class KubernetesDiscovery implements Discovery {
    private static final Path ACCOUNT = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");
    private static final Pattern SERVICE =
            Pattern.compile("([a-z0-9]([-a-z0-9]*[a-z0-9])?)\\.([a-z0-9]([-a-z0-9]*[a-z0-9])?)");
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final int MAX_BYTES = 16 << 20;
    private static final int MAX_PAGES = 100;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final URI api;
    private final Path token;
    private final HttpClient http;
    private final List<HostPort> services;

    /**
     * Lists services' endpoints through one API server.
     *
     * @param token file with the service account's token, which Kubernetes renews
     */
    KubernetesDiscovery(URI api, Path token, HttpClient http, List<HostPort> services) {
        this.api = api;
        this.token = token;
        this.http = http;
        this.services = List.copyOf(services);
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
                URI.create("https://" + authority), ACCOUNT.resolve("token"), http, services);
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

    @Override
    public Set<HostPort> find() throws IOException {
        Set<HostPort> found = new LinkedHashSet<>();
        for (HostPort service : services) {
            list(service, found);
        }
        return found;
    }

    private void list(HostPort service, Set<HostPort> into) throws IOException {
        Matcher name = SERVICE.matcher(service.host());
        if (!name.matches()) {
            throw new IOException("\"" + service.host() + "\" is no service.namespace");
        }
        String query =
                "/apis/discovery.k8s.io/v1/namespaces/"
                        + name.group(3)
                        + "/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3D"
                        + name.group(1)
                        + "&limit=500";
        String next = "";
        for (int page = 0; page < MAX_PAGES; page++) {
            JsonNode slices = get(query + (next.isEmpty() ? "" : "&continue=" + next));
            slices.path("items").forEach(slice -> addReady(slice, service.port(), into));
            next = slices.path("metadata").path("continue").asText("");
            if (next.isEmpty()) {
                return;
            }
        }
        throw new IOException("the list of endpoints has no end");
    }

    private static void addReady(JsonNode slice, int port, Set<HostPort> into) {
        for (JsonNode endpoint : slice.path("endpoints")) {
            // Unknown is to be taken for ready.
            if (endpoint.path("conditions").path("ready").asBoolean(true)) {
                endpoint.path("addresses")
                        .forEach(address -> into.add(new HostPort(address.asText(), port)));
            }
        }
    }

    private JsonNode get(String pathAndQuery) throws IOException {
        HttpRequest request =
                HttpRequest.newBuilder(api.resolve(pathAndQuery))
                        .timeout(TIMEOUT)
                        .header("Authorization", "Bearer " + Files.readString(token).strip())
                        .header("Accept", "application/json")
                        .build();
        try {
            HttpResponse<InputStream> response =
                    http.send(request, HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                if (response.statusCode() != 200) {
                    throw new IOException("the Kubernetes API answers " + response.statusCode());
                }
                return JSON.readTree(body.readNBytes(MAX_BYTES));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
