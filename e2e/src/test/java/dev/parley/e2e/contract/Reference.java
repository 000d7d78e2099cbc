package dev.parley.e2e.contract;

import dev.parley.e2e.contract.ProtoFile.Declaration;
import dev.parley.e2e.contract.ProtoFile.Kind;
import java.util.Locale;

/** Writes a contract as a page to look things up in. */
final class Reference {
    private final StringBuilder page = new StringBuilder();
    private boolean table;

    private Reference() {}

    static String of(ProtoFile contract) {
        Reference made = new Reference();
        made.page
                .append("# ")
                .append(contract.name())
                .append(
                        "\n\nWritten from the contract's source, with `-Dparley.contract=write` given to `ContractTest`; not to be edited.\n\n")
                .append(contract.header())
                .append('\n');
        contract.declarations().forEach(made::add);
        return made.page.toString();
    }

    private void add(Declaration each) {
        switch (each.kind()) {
            case MESSAGE, ENUM, SERVICE -> {
                page.append("\n## ").append(each.name()).append("\n\n").append(each.comment());
                page.append('\n');
                table = false;
            }
            case ONEOF -> {}
            case RPC ->
                    page.append("\n### ")
                            .append(each.name())
                            .append("\n\n`")
                            .append(each.type())
                            .append("`\n\n")
                            .append(each.comment())
                            .append('\n');
            case FIELD -> row("field | type", "`%s` | %s".formatted(each.name(), type(each)), each);
            case VALUE -> row("value", "`%s`".formatted(each.name()), each);
        }
    }

    private static String type(Declaration field) {
        String type = field.type().replace("<", "&lt;").replace(">", "&gt;");
        boolean ours = Character.isUpperCase(type.charAt(type.lastIndexOf(' ') + 1));
        String simple = type.substring(type.lastIndexOf(' ') + 1);
        String shown =
                ours
                        ? type.replace(
                                simple,
                                "[" + simple + "](#" + simple.toLowerCase(Locale.ROOT) + ")")
                        : type;
        boolean choice = field.kind() == Kind.FIELD && !field.group().isEmpty();
        return choice ? shown + ", one of `" + field.group() + "`" : shown;
    }

    private void row(String columns, String cells, Declaration each) {
        if (!table) {
            long count = columns.chars().filter(c -> c == '|').count() + 3;
            page.append("\n| number | ").append(columns).append(" | |\n|");
            page.append(" --- |".repeat((int) count)).append('\n');
            table = true;
        }
        page.append("| ")
                .append(each.number())
                .append(" | ")
                .append(cells)
                .append(" | ")
                .append(each.comment().replace("\n", " ").replace("|", "\\|"))
                .append(" |\n");
    }
}
