package dev.parley.inferencestub;

import dev.parley.inferencestub.script.Script;
import dev.parley.inferencestub.script.ScriptException;
import dev.parley.inferencestub.script.ScriptParser;
import dev.parley.runtime.config.ConfigException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Where scripts come from. */
final class Scripts {
    private static final String BUILT_IN = "greeting.yaml";

    private Scripts() {}

    /**
     * Reads a file, or the built-in script when the name is empty.
     *
     * @throws ConfigException when it cannot be read or is no script
     */
    static Script load(String file) {
        try {
            return ScriptParser.parse(file.isEmpty() ? builtIn() : Files.readString(Path.of(file)));
        } catch (IOException e) {
            throw new ConfigException("script: cannot read " + file + " (" + e + ")");
        } catch (ScriptException e) {
            throw new ConfigException("script: " + file + " cannot be used; " + e.reason());
        }
    }

    private static String builtIn() throws IOException {
        try (InputStream in = Scripts.class.getResourceAsStream(BUILT_IN)) {
            if (in == null) {
                throw new IOException(BUILT_IN + " is not among the resources");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
