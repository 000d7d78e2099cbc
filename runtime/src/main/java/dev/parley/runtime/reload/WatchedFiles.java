package dev.parley.runtime.reload;

import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/**
 * Something made of files that are replaced while the process runs, as secrets on Kubernetes are.
 * What was made last stays in use until newer files can be used. Any thread may read; {@link
 * #check} is called by one thread at a time.
 *
 * <p>Contents are compared, not times of change: a mounted secret is a chain of symbolic links
 * whose times say little, and the files are small.
 */
public final class WatchedFiles<T> {
    private static final System.Logger LOGGER = System.getLogger(WatchedFiles.class.getName());
    private static final int MAX_BYTES = 4 << 20;

    /** Makes the thing of the files' contents. */
    @FunctionalInterface
    public interface Loader<T> {
        /**
         * Reads what the files say.
         *
         * @param contents of the files, in their order
         * @throws ConfigException when they cannot be used; the message says why
         */
        T load(List<byte[]> contents);
    }

    private final String key;
    private final List<Path> paths;
    private final Loader<T> loader;
    private final LongAdder failures = new LongAdder();
    private List<byte[]> seen;
    private volatile T current;

    /**
     * Reads the files for the first time.
     *
     * @param key the option that names the files, for errors
     * @throws ConfigException when they cannot be read or used
     */
    public WatchedFiles(String key, List<Path> paths, Loader<T> loader) {
        this.key = key;
        this.paths = List.copyOf(paths);
        this.loader = loader;
        this.seen = read();
        this.current = loader.load(seen);
    }

    /** Made of the newest files that could be used. */
    public T current() {
        return current;
    }

    /** Times that changed files could not be used. */
    public long failures() {
        return failures.sum();
    }

    /** Looks whether the files changed; answers whether there is a new {@link #current}. */
    public boolean check() {
        try {
            List<byte[]> contents = read();
            if (isSeen(contents)) {
                return false;
            }
            // Remembered first, so that unusable files are complained of once.
            seen = contents;
            current = loader.load(contents);
            LOGGER.log(Level.INFO, "{0}: changed files are in use now", key);
            return true;
        } catch (ConfigException e) {
            failures.increment();
            LOGGER.log(
                    Level.WARNING,
                    "{0}; what was read before stays in use",
                    String.valueOf(e.getMessage()));
            return false;
        }
    }

    private boolean isSeen(List<byte[]> contents) {
        for (int i = 0; i < contents.size(); i++) {
            if (!Arrays.equals(contents.get(i), seen.get(i))) {
                return false;
            }
        }
        return true;
    }

    private List<byte[]> read() {
        List<byte[]> contents = new ArrayList<>();
        for (Path path : paths) {
            try (var in = Files.newInputStream(path)) {
                byte[] content = in.readNBytes(MAX_BYTES + 1);
                if (content.length > MAX_BYTES) {
                    throw new ConfigException(
                            key + ": the file " + path + " is larger than " + MAX_BYTES + " bytes");
                }
                contents.add(content);
            } catch (IOException e) {
                throw new ConfigException(
                        key + ": the file " + path + " cannot be read; give a readable file");
            }
        }
        return contents;
    }
}
