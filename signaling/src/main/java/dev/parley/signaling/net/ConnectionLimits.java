package dev.parley.signaling.net;

import dev.parley.runtime.config.Cidr;
import java.time.Duration;
import java.util.List;

/**
 * How long clients' connections may take for what, and how many there may be.
 *
 * @param receive from the first byte of a request, or a connection's start, to its headers' end
 * @param serve from there to the beginning of the response
 * @param answer from there to its end, so that who asks and does not read is gone soon
 * @param idle between requests
 * @param perAddress connections of one address; 0 is no limit
 * @param total connections of all; when nine tenths are in use idle ones are closed
 * @param exempt proxies, which stand for many clients
 */
public record ConnectionLimits(
        Duration receive,
        Duration serve,
        Duration answer,
        Duration idle,
        int perAddress,
        int total,
        List<Cidr> exempt) {

    /**
     * The same with no more connections than the process can open files for, and no more than half
     * of these for one address.
     *
     * @param spareDescriptors that the process may still open
     */
    ConnectionLimits within(long spareDescriptors) {
        long most = Math.max(1, spareDescriptors - DescriptorReserve.of(spareDescriptors));
        if (most >= total) {
            return this;
        }
        int all = (int) most;
        return new ConnectionLimits(
                receive,
                serve,
                answer,
                idle,
                perAddress == 0 ? 0 : Math.min(perAddress, Math.max(1, all / 2)),
                all,
                exempt);
    }
}
