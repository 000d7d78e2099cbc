package dev.parley.runtime.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads a process's config file: a flat YAML map whose values are texts, lists of texts or maps of
 * texts, where a list stands for its texts with spaces between. Text stays as it is written,
 * whatever YAML would take it for ({@code 012}, {@code on}).
 */
final class ConfigFile {
    private ConfigFile() {}

    /**
     * What stands behind each key.
     *
     * @throws ConfigException when the file cannot be read, is no such map or names a key twice
     */
    static Map<String, RawValue> read(Path yaml) {
        if (!Files.isRegularFile(yaml)) {
            throw unreadable(yaml);
        }
        Node root;
        try (Reader reader = Files.newBufferedReader(yaml)) {
            root = new Yaml().compose(reader);
        } catch (IOException e) {
            throw unreadable(yaml);
        } catch (YAMLException e) {
            throw new ConfigException(
                    "config file " + yaml + " is not usable YAML: " + oneLine(e) + "; correct it");
        }
        if (root == null) {
            return new LinkedHashMap<>();
        }
        if (!(root instanceof MappingNode map)) {
            throw new ConfigException(
                    "config file "
                            + yaml
                            + " is not a map of keys; write lines such as key: value");
        }
        Map<String, RawValue> values = new LinkedHashMap<>();
        new Keys().each(map, (key, value) -> values.put(key, raw(key, value)));
        return values;
    }

    private static ConfigException unreadable(Path yaml) {
        return new ConfigException(
                "config file " + yaml + " cannot be read; give the path of a readable file");
    }

    private static String oneLine(YAMLException e) {
        return String.valueOf(e.getMessage()).strip().replaceAll("\\s*\\R\\s*", ", ");
    }

    private static RawValue raw(String key, Node value) {
        return switch (value) {
            case SequenceNode items -> {
                List<String> texts = new ArrayList<>();
                items.getValue().forEach(item -> texts.add(text(key, item)));
                yield new RawValue.Items(texts);
            }
            case MappingNode map -> {
                Map<String, String> texts = new LinkedHashMap<>();
                new Keys(key).each(map, (name, entry) -> texts.put(name, words(key, entry)));
                yield new RawValue.Entries(texts);
            }
            default -> new RawValue.Scalar(text(key, value));
        };
    }

    /** A list in a map of texts is one text, with spaces between. */
    private static String words(String key, Node node) {
        return node instanceof SequenceNode items
                ? items.getValue().stream()
                        .map(item -> text(key, item))
                        .collect(Collectors.joining(" "))
                : text(key, node);
    }

    private static String text(String key, Node node) {
        if (node instanceof ScalarNode scalar) {
            return Tag.NULL.equals(scalar.getTag()) ? "" : scalar.getValue();
        }
        throw new ConfigException(
                key + ": nested too deep in line " + line(node) + "; write plain values there");
    }

    private static int line(Node node) {
        return node.getStartMark().getLine() + 1;
    }

    /** Goes through the keys of one map, each of which may be there once. */
    private record Keys(String prefix) {
        private interface Visitor {
            void visit(String key, Node value);
        }

        Keys() {
            this("");
        }

        void each(MappingNode map, Visitor visitor) {
            Map<String, Integer> lines = new LinkedHashMap<>();
            for (NodeTuple entry : map.getValue()) {
                String key = text(prefix, entry.getKeyNode());
                Integer before = lines.put(key, line(entry.getKeyNode()));
                if (before != null) {
                    throw new ConfigException(
                            (prefix.isEmpty() ? key : prefix + "." + key)
                                    + ": given twice, in lines "
                                    + before
                                    + " and "
                                    + line(entry.getKeyNode())
                                    + "; keep one");
                }
                visitor.visit(key, entry.getValueNode());
            }
        }
    }
}
