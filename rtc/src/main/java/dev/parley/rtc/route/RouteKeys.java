package dev.parley.rtc.route;

import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The fleet's route token keys by key id, an immutable snapshot that any thread may read. Two ids
 * are live while keys rotate: minting uses the new one, opening knows both.
 */
public final class RouteKeys {
    /** Bytes of a key (AES-128). */
    public static final int KEY_LENGTH = 16;

    /** Key ids are four bits of the token's first byte. */
    public static final int KEY_IDS = 16;

    private final byte[][] keys = new byte[KEY_IDS][];

    private RouteKeys() {}

    /**
     * Takes a snapshot of the keys.
     *
     * @param keys 16 bytes for each key id in 0..15, at least one
     * @throws IllegalArgumentException naming the key id at fault, never the key
     */
    public static RouteKeys of(Map<Integer, byte[]> keys) {
        if (keys.isEmpty()) {
            throw new IllegalArgumentException("no route key: at least one key id is needed");
        }
        RouteKeys made = new RouteKeys();
        new TreeMap<>(keys)
                .forEach(
                        (id, key) -> {
                            if (id < 0 || id >= KEY_IDS) {
                                throw new IllegalArgumentException(
                                        "route key id " + id + " is not in 0..15");
                            }
                            if (key.length != KEY_LENGTH) {
                                throw new IllegalArgumentException(
                                        "route key "
                                                + id
                                                + " has "
                                                + key.length
                                                + " bytes, 16 are needed");
                            }
                            made.keys[id] = key.clone();
                        });
        return made;
    }

    /**
     * Reads the keys as a config writes them.
     *
     * @param hexById 32 hex digits for each key id in 0..15, at least one
     * @throws IllegalArgumentException saying which entry is wrong and how to mend it, never the
     *     key
     */
    public static RouteKeys parse(Map<String, String> hexById) {
        if (hexById.isEmpty()) {
            throw new IllegalArgumentException(
                    "empty; give at least one key, such as 1: 32 hex digits");
        }
        Map<Integer, byte[]> keys = new TreeMap<>();
        hexById.forEach(
                (id, hex) -> {
                    if (keys.put(keyId(id), keyBytes(id, hex)) != null) {
                        throw new IllegalArgumentException(
                                "key id " + id.strip() + " is given twice; give it once");
                    }
                });
        return of(keys);
    }

    private static int keyId(String text) {
        try {
            int id = Integer.parseInt(text.strip());
            if (id >= 0 && id < KEY_IDS) {
                return id;
            }
        } catch (NumberFormatException _) {
            // Falls through to the one message for both.
        }
        throw new IllegalArgumentException("\"" + text + "\" is no key id; give 0 to 15");
    }

    private static byte[] keyBytes(String id, String hex) {
        try {
            byte[] bytes = HexFormat.of().parseHex(hex.strip());
            if (bytes.length == KEY_LENGTH) {
                return bytes;
            }
        } catch (IllegalArgumentException _) {
            // Falls through to the one message for both; the JDK's would show the key.
        }
        throw new IllegalArgumentException(
                "key " + id + " is not 32 hex digits; give 16 random bytes, quoted");
    }

    /** Whether a token of this key id can be minted and opened. */
    public boolean has(int keyId) {
        return keyId >= 0 && keyId < KEY_IDS && keys[keyId] != null;
    }

    byte[] key(int keyId) {
        return keys[keyId];
    }
}
