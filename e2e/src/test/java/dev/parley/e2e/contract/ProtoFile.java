package dev.parley.e2e.contract;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A contract as it is written: what it declares, in order, with its comments. Reads the style that
 * our contracts keep to, one declaration a line, and refuses any other.
 *
 * @param name its package
 * @param header the comment that it begins with
 */
record ProtoFile(String name, String header, List<Declaration> declarations) {
    /** What can be declared. */
    enum Kind {
        MESSAGE,
        ENUM,
        ONEOF,
        SERVICE,
        RPC,
        FIELD,
        VALUE
    }

    /**
     * One declaration.
     *
     * @param owner the message, enum or service that it is in, empty at the top
     * @param group the oneof that a field is in, or empty
     * @param type of a field, or what an rpc takes and answers; else empty
     * @param number of a field or value, else -1
     */
    record Declaration(
            Kind kind,
            String owner,
            String group,
            String name,
            String type,
            int number,
            String comment) {
        /** What must never change of it, on one line. */
        String signature() {
            return switch (kind) {
                case FIELD ->
                        "%s %d = %s %s%s"
                                .formatted(
                                        owner,
                                        number,
                                        type,
                                        name,
                                        group.isEmpty() ? "" : " in " + group);
                case VALUE -> "%s %d = %s".formatted(owner, number, name);
                case RPC -> "%s.%s%s".formatted(owner, name, type);
                case MESSAGE, ENUM, SERVICE, ONEOF ->
                        "%s %s%s"
                                .formatted(
                                        kind.name().toLowerCase(Locale.ROOT),
                                        owner.isEmpty() ? "" : owner + ".",
                                        name);
            };
        }
    }

    private static final Pattern BLOCK =
            Pattern.compile("(message|enum|service|oneof) (\\w+) \\{(})?");
    private static final Pattern RPC = Pattern.compile("rpc (\\w+)(\\(.*\\) returns \\(.*\\));");
    private static final Pattern FIELD =
            Pattern.compile("((?:optional |repeated )?(?:map<.*>|[\\w.]+)) (\\w+) = (\\d+);");
    private static final Pattern VALUE = Pattern.compile("(\\w+) = (\\d+);");
    private static final Pattern PREAMBLE = Pattern.compile("(syntax|import|option) .*;");

    static ProtoFile read(Path path) {
        try {
            return new Reader().read(path, Files.readAllLines(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Reader {
        private final List<Declaration> found = new ArrayList<>();
        private final List<String> comment = new ArrayList<>();
        private final Deque<Declaration> open = new ArrayDeque<>();
        private String name = "";
        private String header = "";

        ProtoFile read(Path path, List<String> lines) {
            for (int i = 0; i < lines.size(); i++) {
                if (!take(lines.get(i).strip())) {
                    throw new AssertionError(path + ":" + (i + 1) + ": " + lines.get(i));
                }
            }
            return new ProtoFile(name, header, List.copyOf(found));
        }

        private boolean take(String line) {
            if (line.startsWith("//")) {
                comment.add(line.substring(2).strip());
                return true;
            }
            boolean taken = line.isEmpty() || declare(line);
            comment.clear();
            return taken;
        }

        private boolean declare(String line) {
            if (PREAMBLE.matcher(line).matches()) {
                header = header.isEmpty() ? text() : header;
                return true;
            }
            if (line.startsWith("package ")) {
                name = line.substring("package ".length(), line.length() - 1);
                return true;
            }
            if (line.equals("}")) {
                return open.poll() != null;
            }
            return block(line) || member(line);
        }

        private boolean block(String line) {
            Matcher block = BLOCK.matcher(line);
            if (!block.matches()) {
                return false;
            }
            Kind kind = Kind.valueOf(block.group(1).toUpperCase(Locale.ROOT));
            Declaration made = add(kind, block.group(2), "", -1);
            if (block.group(3) == null) {
                open.push(made);
            }
            return true;
        }

        private boolean member(String line) {
            Matcher rpc = RPC.matcher(line);
            if (rpc.matches()) {
                add(Kind.RPC, rpc.group(1), rpc.group(2), -1);
                return true;
            }
            Matcher field = FIELD.matcher(line);
            if (field.matches()) {
                add(Kind.FIELD, field.group(2), field.group(1), Integer.parseInt(field.group(3)));
                return true;
            }
            Matcher value = VALUE.matcher(line);
            if (value.matches()) {
                add(Kind.VALUE, value.group(1), "", Integer.parseInt(value.group(2)));
                return true;
            }
            return false;
        }

        private Declaration add(Kind kind, String declared, String type, int number) {
            Declaration within = open.peek();
            boolean grouped = within != null && within.kind() == Kind.ONEOF;
            String owner = within == null ? "" : grouped ? within.owner() : within.name();
            String group = grouped ? within.name() : "";
            Declaration made = new Declaration(kind, owner, group, declared, type, number, text());
            found.add(made);
            return made;
        }

        private String text() {
            return String.join("\n", comment);
        }
    }
}
