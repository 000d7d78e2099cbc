package dev.parley.rtc.route;

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

    /** Whether a token of this key id can be minted and opened. */
    public boolean has(int keyId) {
        return keyId >= 0 && keyId < KEY_IDS && keys[keyId] != null;
    }

    byte[] key(int keyId) {
        return keys[keyId];
    }
}
