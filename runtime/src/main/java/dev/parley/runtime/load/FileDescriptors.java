package dev.parley.runtime.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * The files and sockets that this process may have open at once. All its parts take of the same
 * number, and whoever finds none left fails in its own way.
 */
public final class FileDescriptors {
    private FileDescriptors() {}

    /** How many it may have, {@link Long#MAX_VALUE} where the system does not tell. */
    public static long limit() {
        return ManagementFactory.getOperatingSystemMXBean()
                        instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }

    /** How many more it may open. Linux has to list those that are open, so not for each packet. */
    public static long spare() {
        if (!(ManagementFactory.getOperatingSystemMXBean()
                instanceof UnixOperatingSystemMXBean unix)) {
            return Long.MAX_VALUE;
        }
        try {
            return unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount();
        } catch (InternalError _) {
            // It takes one to list them.
            return 0;
        }
    }
}
