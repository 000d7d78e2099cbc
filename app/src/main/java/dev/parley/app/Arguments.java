package dev.parley.app;

import dev.parley.runtime.config.ConfigException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A command line: one command, then {@code --name value} or {@code --name=value} pairs.
 *
 * @param command the first word
 * @param rest what follows it
 */
record Arguments(String command, List<String> rest) {
    static Arguments parse(String[] args) {
        if (args.length == 0) {
            throw new ConfigException(
                    "no command given: use up, relay, transceiver, signaling or inference-stub");
        }
        return new Arguments(args[0], List.of(args).subList(1, args.length));
    }

    /** Reads the options, of which only the given names are known; each takes a value. */
    Map<String, String> options(String... known) {
        Map<String, String> options = new HashMap<>();
        List<String> names = List.of(known);
        for (int i = 0; i < rest.size(); i++) {
            String word = rest.get(i);
            if (!word.startsWith("--")) {
                throw new ConfigException(command + " does not take '" + word + "'" + usage(names));
            }
            int equals = word.indexOf('=');
            String name = word.substring(2, equals < 0 ? word.length() : equals);
            if (!names.contains(name)) {
                throw new ConfigException(command + " has no option --" + name + usage(names));
            }
            if (equals < 0 && i + 1 == rest.size()) {
                throw new ConfigException("--" + name + " needs a value");
            }
            options.put(name, equals < 0 ? rest.get(++i) : word.substring(equals + 1));
        }
        return options;
    }

    private static String usage(List<String> names) {
        return ": its options are --" + String.join(", --", names);
    }
}
