package dev.parley.e2e.drill;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The drills with the services as processes, by name. */
public final class RelayDrills {
    private static final int KILLS = 3;

    private RelayDrills() {}

    public static Map<String, Drill> all() {
        Map<String, Drill> drills = new LinkedHashMap<>();
        drills.put(
                "relay-kill",
                (folder, report) -> {
                    RelayKill.withRedisAndDownstream(KILLS).run(folder, report);
                    RelayKill.withRedis(KILLS).run(folder, report);
                });
        drills.put("relay-kill-no-redis", RelayKill.withDownstream(KILLS));
        drills.put("relay-kill-stun-only", RelayKill.withChecks(KILLS));
        drills.put("relay-failover", new RelayFailover());
        drills.put("relay-rolling", new RelayRolling(5_000, 3));
        drills.put("inference-kill", new InferenceKill());
        drills.put("inference-slow", new InferenceSlow(Duration.ofSeconds(30)));
        drills.put("redis-outage", new RedisOutage(Duration.ofMinutes(1), true));
        return drills;
    }
}
