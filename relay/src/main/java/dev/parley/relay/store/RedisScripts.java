package dev.parley.relay.store;

/** What has to happen in Redis in one step. Each touches one key, so a Cluster takes them too. */
final class RedisScripts {
    /**
     * Prolongs an entry with the same route whoever wrote it, or makes one where none is; answers 0
     * when another route is there. KEYS: entry. ARGV: value, the value's route, time to live in ms.
     */
    static final String REFRESH =
            "local found = redis.call('GETRANGE', KEYS[1], 0, 255) "
                    + "if found == '' or string.sub(found, 1, #ARGV[2]) == ARGV[2] then "
                    + "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3]) return 1 end return 0";

    /** Removes an entry that is exactly ours. KEYS: entry. ARGV: value. */
    static final String REMOVE =
            "if redis.call('GETRANGE', KEYS[1], 0, 255) == ARGV[1] then "
                    + "return redis.call('DEL', KEYS[1]) end return 0";

    private RedisScripts() {}
}
