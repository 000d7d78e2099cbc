package dev.parley.runtime.cluster;

import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * One map of a YAML file, whose every complaint names the line. Keys that nobody knows are refused.
 */
final class YamlMap {
    /** Something in the file cannot be used. */
    static final class Unusable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Unusable(int line, String what) {
            super("line " + line + ": " + what);
        }
    }

    /** A text and where it stands. */
    record Text(String value, int line) {
        Unusable unusable(String what) {
            return new Unusable(line, "\"" + value + "\" " + what);
        }
    }

    /**
     * The root of a file.
     *
     * @param key that belongs into it, for errors
     * @throws Unusable when it is empty or no YAML
     */
    static Node compose(byte[] yaml, String key) {
        try {
            Node root =
                    new Yaml().compose(new StringReader(new String(yaml, StandardCharsets.UTF_8)));
            if (root == null) {
                throw new Unusable(1, "the file is empty; give " + key);
            }
            return root;
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
            throw new Unusable(line, "is not usable YAML: " + e.getProblem());
        } catch (YAMLException _) {
            throw new Unusable(1, "is not usable YAML");
        }
    }

    private final int line;
    private final Map<String, Node> values = new LinkedHashMap<>();

    /**
     * Looks at a node.
     *
     * @throws Unusable when it is no map, or has a key twice or one that nobody knows
     */
    YamlMap(Node node, Set<String> known) {
        this.line = line(node);
        if (!(node instanceof MappingNode map)) {
            throw new Unusable(line, "is no map of keys; write lines such as key: value");
        }
        for (NodeTuple entry : map.getValue()) {
            int at = line(entry.getKeyNode());
            String key = text(entry.getKeyNode()).value();
            if (!known.contains(key)) {
                throw new Unusable(at, key + ": unknown key; give one of " + sorted(known));
            }
            if (values.put(key, entry.getValueNode()) != null) {
                throw new Unusable(at, key + ": given twice; keep one");
            }
        }
    }

    private static String sorted(Set<String> known) {
        return String.join(", ", known.stream().sorted().toList());
    }

    /** Line of the map's beginning. */
    int line() {
        return line;
    }

    private Node required(String key) {
        Node node = values.get(key);
        if (node == null) {
            throw new Unusable(line, key + ": missing; give it");
        }
        return node;
    }

    Text text(String key) {
        return text(required(key));
    }

    Optional<Text> find(String key) {
        return Optional.ofNullable(values.get(key)).map(YamlMap::text);
    }

    /** The items of a list; of a single text that one. */
    List<Text> texts(String key) {
        Node node = required(key);
        if (node instanceof SequenceNode items) {
            List<Text> texts = new ArrayList<>();
            items.getValue().forEach(item -> texts.add(text(item)));
            return texts;
        }
        return List.of(text(node));
    }

    /** The items of a list. */
    List<Node> items(String key) {
        Node node = required(key);
        if (node instanceof SequenceNode items) {
            return items.getValue();
        }
        throw new Unusable(line(node), key + ": is no list; begin its items with -");
    }

    /** The items of a list that may be left out. */
    List<Node> itemsIfAny(String key) {
        return values.containsKey(key) ? items(key) : List.of();
    }

    /** A whole number, or the given one when the key is left out. */
    int number(String key, int orElse, int min, int max) {
        return find(key).map(text -> number(key, text, min, max)).orElse(orElse);
    }

    /** A whole number that must be there. */
    int number(String key, int min, int max) {
        return number(key, text(key), min, max);
    }

    private static int number(String key, Text text, int min, int max) {
        try {
            int number = Integer.parseInt(text.value());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException _) {
            // The one message below fits.
        }
        throw new Unusable(
                text.line(),
                key + ": \"" + text.value() + "\" is no whole number from " + min + " to " + max);
    }

    /** Whole numbers by names. */
    Map<String, Integer> numbers(String key, int min, int max) {
        Node node = required(key);
        if (!(node instanceof MappingNode map)) {
            throw new Unusable(line(node), key + ": is no map; write lines such as name: number");
        }
        Map<String, Integer> numbers = new LinkedHashMap<>();
        for (NodeTuple entry : map.getValue()) {
            String name = text(entry.getKeyNode()).value();
            numbers.put(name, number(name, text(entry.getValueNode()), min, max));
        }
        return numbers;
    }

    /** A number that must be there. */
    double decimal(String key, double min, double max) {
        Text text = text(key);
        try {
            double number = Double.parseDouble(text.value());
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException _) {
            // The one message below fits.
        }
        throw new Unusable(
                text.line(),
                key
                        + ": \""
                        + text.value()
                        + "\" is no number from "
                        + (long) min
                        + " to "
                        + (long) max);
    }

    private static Text text(Node node) {
        if (node instanceof ScalarNode scalar) {
            return new Text(scalar.getValue(), line(node));
        }
        throw new Unusable(line(node), "is no plain value");
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }
}
