package dev.parley.e2e.drill;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of loopback that nobody had a moment ago, for both UDP and TCP. They lie below those that
 * systems give to sockets which ask for any (from 32,768 on), so that none is taken meanwhile by a
 * connection of another test.
 */
public final class FreePorts {
    private static final int FROM = 15_000;
    private static final int TO = 32_000;

    private FreePorts() {}

    public static int next() {
        return inARow(1);
    }

    /** The first of as many in a row. */
    static int inARow(int count) {
        while (true) {
            int first = ThreadLocalRandom.current().nextInt(FROM, TO);
            boolean free = true;
            for (int i = 0; free && i < count; i++) {
                free = isFree(new InetSocketAddress(InetAddress.getLoopbackAddress(), first + i));
            }
            if (free) {
                return first;
            }
        }
    }

    private static boolean isFree(InetSocketAddress address) {
        try (DatagramSocket udp = new DatagramSocket(null);
                ServerSocket tcp = new ServerSocket()) {
            udp.bind(address);
            tcp.bind(address);
            return true;
        } catch (BindException _) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
