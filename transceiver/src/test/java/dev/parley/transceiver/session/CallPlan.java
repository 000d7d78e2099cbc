package dev.parley.transceiver.session;

import dev.parley.transceiver.session.CallNetwork.Weather;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * What befalls the callers of one simulation: all of it follows from the seed.
 *
 * @param callers one to three, at the same time
 * @param setup weather while they connect
 */
record CallPlan(long seed, List<Caller> callers, Weather setup, List<Episode> episodes, End end) {
    /**
     * How somebody calls.
     *
     * @param setup of the offer
     * @param headed whether through a relay
     * @param helloFirst whether its DTLS begins with its first check
     */
    record Caller(String setup, boolean headed, boolean helloFirst) {}

    enum Kind {
        /** Nothing but weather. */
        CALM,
        /** The caller's NAT gives it another port. */
        REBIND_PORT,
        /** The caller is in another network. */
        REBIND_ADDRESS,
        /** The caller moves and its last address becomes another caller's. */
        TAKE_OVER,
        /** Nothing comes through for a while. */
        PARTITION,
        /** The caller restarts ICE. */
        RESTART,
        /** The caller restarts ICE because it is in another network. */
        RESTART_ELSEWHERE,
        /** The relays are dead, others deliver. */
        RELAY_CHANGE,
        /** Somebody plays back what a caller has sent. */
        STRANGER
    }

    /**
     * @param millis how long it lasts
     */
    record Episode(Kind kind, int caller, long millis, Weather weather) {}

    /** How the calls end. */
    enum End {
        PARTITION,
        SIGNALING,
        CLIENT,
        AGENT
    }

    static CallPlan of(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Caller> callers = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            String setup = random.nextInt(4) == 0 ? "active" : "actpass";
            callers.add(new Caller(setup, random.nextInt(4) != 0, random.nextBoolean()));
        }
        Weather setup = weather(random, 0);
        List<Episode> episodes = new ArrayList<>();
        int length = 3 + random.nextInt(4);
        for (int i = 0; i < length; i++) {
            episodes.add(episode(random, count));
        }
        return new CallPlan(
                seed,
                List.copyOf(callers),
                setup,
                List.copyOf(episodes),
                End.values()[random.nextInt(End.values().length)]);
    }

    private static Episode episode(SplittableRandom random, int callers) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        long millis =
                kind == Kind.PARTITION
                        ? 200 + random.nextInt(12_000)
                        : 8_000 + random.nextInt(5_000);
        return new Episode(kind, random.nextInt(callers), millis, weather(random, 0.02));
    }

    /** A bit that flips in a handshake may end it, so then nothing is damaged. */
    private static Weather weather(SplittableRandom random, double corruption) {
        return switch (random.nextInt(4)) {
            case 0 -> Weather.CLEAR;
            case 1 -> new Weather(0, 0, 0.1, 0, random.nextInt(150), random.nextInt(100));
            case 2 ->
                    new Weather(
                            0.01, 0.01, 0.02, corruption, random.nextInt(100), random.nextInt(60));
            default ->
                    new Weather(
                            random.nextDouble(0.1),
                            random.nextDouble(0.01),
                            0.1,
                            corruption,
                            random.nextInt(200),
                            random.nextInt(150));
        };
    }
}
