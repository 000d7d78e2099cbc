package dev.parley.fuzz;

import dev.parley.runtime.config.Cidr;
import dev.parley.signaling.net.TrustedProxies;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.ServerRequestHeaders;
import io.helidon.http.WritableHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a proxy of ours passes on in {@code Forwarded} or {@code X-Forwarded-For}, of which a client
 * writes the beginning. The input is the header's value.
 */
public final class ForwardedFuzz {
    private static final TrustedProxies PROXIES =
            new TrustedProxies(List.of(Cidr.parse("127.0.0.0/8"), Cidr.parse("::1/128")));
    private static final InetSocketAddress PROXY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);

    private ForwardedFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String value = new String(input, StandardCharsets.ISO_8859_1);
        for (String name : new String[] {"Forwarded", "X-Forwarded-For"}) {
            var own = client(name, value);
            // Whatever a client writes before it, the address that our proxy wrote is what counts.
            String written = name.equals("Forwarded") ? "for=192.0.2.7" : "192.0.2.7";
            Input.demand(
                    client(name, value, written).getHostAddress().equals("192.0.2.7"),
                    "a client chose its address: " + value);
            // Quotes and backslashes within a value are no part of it.
            String plain = value.replace("\"", "").replace("\\", "");
            boolean unspecified = plain.contains("0") || plain.contains("::");
            Input.demand(!own.isAnyLocalAddress() || unspecified, "no address");
        }
    }

    private static InetAddress client(String name, String... values) {
        WritableHeaders<?> headers = WritableHeaders.create();
        headers.add(HeaderValues.create(HeaderNames.create(name), values));
        return PROXIES.client(ServerRequestHeaders.create(headers), PROXY);
    }
}
