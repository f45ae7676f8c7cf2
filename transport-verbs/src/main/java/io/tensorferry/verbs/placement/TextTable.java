package io.tensorferry.verbs.placement;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/// Rows of text in columns of the required width. Owned by the call that creates it.
final class TextTable {
    private static final String MARGIN = "  ";

    private final List<List<String>> rows = new ArrayList<>();
    private final List<Boolean> right;

    /// @param right for each column, whether it is right-aligned
    TextTable(List<Boolean> right) {
        this.right = right;
    }

    void row(String... cells) {
        rows.add(List.of(cells));
    }

    /// Returns one line per row.
    @Override
    public String toString() {
        int[] widths = IntStream.range(0, right.size()).map(this::width).toArray();
        var text = new StringBuilder();
        for (List<String> row : rows) {
            var line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                String cell = row.get(column);
                String fill = " ".repeat(widths[column] - cell.length());
                line.append(MARGIN).append(right.get(column) ? fill + cell : cell + fill);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int width(int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
}
