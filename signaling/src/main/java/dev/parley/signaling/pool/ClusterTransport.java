package dev.parley.signaling.pool;

import dev.parley.runtime.config.ConfigException;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.handler.ssl.SslContext;
import java.io.File;
import java.net.URI;
import javax.net.ssl.SSLException;

/**
 * How gateways of other clusters are spoken to: by TLS where the map says https. Immutable; any
 * thread may use it.
 */
public final class ClusterTransport {
    private final SslContext tls;

    /**
     * Reads the authorities once, so that what is wrong with them is said at the start.
     *
     * @param caFile PEM file of the authorities that certificates may come from; empty for the
     *     system's
     * @throws ConfigException when it cannot be used
     */
    public ClusterTransport(String caFile) {
        try {
            tls =
                    caFile.isEmpty()
                            ? GrpcSslContexts.forClient().build()
                            : GrpcSslContexts.forClient().trustManager(new File(caFile)).build();
        } catch (SSLException | IllegalArgumentException e) {
            throw new ConfigException(
                    "cluster_ca_file: \"" + caFile + "\" cannot be used: " + e.getMessage());
        }
    }

    NettyChannelBuilder apply(NettyChannelBuilder builder, URI gateway) {
        return "https".equals(gateway.getScheme())
                ? builder.sslContext(tls)
                : builder.usePlaintext();
    }
}
