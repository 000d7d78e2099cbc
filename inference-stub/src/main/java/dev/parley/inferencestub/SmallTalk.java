package dev.parley.inferencestub;

import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** What the speaking agent says: what it heard in numbers, the time, and a joke, in turns. */
final class SmallTalk {
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("h:mm a", Locale.ENGLISH);
    private static final List<String> JOKES =
            List.of(
                    "I would tell you a joke about U D P, but you might not get it.",
                    "Why did the packet cross the road? It had no acknowledgement from this side.",
                    "I know a joke about echo. I know a joke about echo.");

    private int turn;

    /** The next thing to say about an utterance. */
    String reply(short[] heard, int rateHz, LocalTime now) {
        int number = turn++;
        String measured =
                String.format(
                        Locale.ROOT,
                        "I heard %.1f seconds at %.0f decibels below full scale.",
                        heard.length / (double) rateHz,
                        -Levels.rmsDbfs(heard));
        return switch (number % 3) {
            case 0 -> measured + " Say something else.";
            case 1 -> measured + " It is " + CLOCK.format(now) + ".";
            default -> JOKES.get(number / 3 % JOKES.size());
        };
    }
}
