package io.tensorferry.it.benchmark;

import io.tensorferry.it.benchmark.chart.Axis;
import io.tensorferry.it.benchmark.chart.Chart;
import io.tensorferry.it.benchmark.chart.Goal;
import io.tensorferry.it.benchmark.chart.Line;
import io.tensorferry.it.benchmark.chart.LinePanel;
import io.tensorferry.it.benchmark.chart.Panel;
import io.tensorferry.it.benchmark.chart.Point;
import io.tensorferry.it.benchmark.chart.RatioPanel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Parses a chart from a text with tables, whose cells have the format of the tables in the documentation.
///
/// ```
/// # Writes beside C
/// // A comment.
/// ## Throughput / ib_write_bw
/// x: bytes of a message
/// y: ratio of a round's throughputs
/// goal: 0.97 raw-write: at least 0.97
/// | size | raw-write | recvAsync |
/// |---|---|---|
/// | 64 KiB | 1.01 (0.76..1.20) | 1.05 |
/// | 1 MiB | 1.02 (0.91..1.17) | |
/// ```
///
/// The column headings are paths. A cell contains a median, a median with its spread, or nothing. A panel without `x`
/// and `y` has a row for each ratio: `| throughput / memcpy | 0.85 (0.64..1.11) | at least 0.80 |`.
final class ChartText {
    private static final String NUMBER = "(\\d[\\d,]*(?:\\.\\d+)?)";
    private static final Pattern FIGURE = Pattern.compile(NUMBER + "(?: \\(" + NUMBER + "\\.\\." + NUMBER + "\\))?");
    private static final Pattern LIMIT = Pattern.compile("(at least|at most) " + NUMBER);
    private static final Pattern GOAL = Pattern.compile(NUMBER + " (.+)");
    private static final Pattern RULE = Pattern.compile("\\|(-+\\|)+");

    private final List<PanelText> panels = new ArrayList<>();
    private @Nullable String title;

    private ChartText() {}

    /// @throws IllegalArgumentException if a line has no known form; the message includes its number
    static Chart parse(String text) {
        var reader = new ChartText();
        List<String> lines = text.lines().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
            try {
                reader.take(lines.get(i));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + (i + 1) + ": " + e.getMessage(), e);
            }
        }
        if (reader.title == null || reader.panels.isEmpty()) {
            throw new IllegalArgumentException("a chart needs a title, as '# Title', and a panel, as '## Panel'");
        }
        return new Chart(
                reader.title, reader.panels.stream().map(PanelText::panel).toList());
    }

    private void take(String line) {
        if (line.isEmpty() || line.startsWith("//") || RULE.matcher(line).matches()) {
            return;
        }
        if (line.startsWith("# ")) {
            title = line.substring(2);
        } else if (line.startsWith("## ")) {
            panels.add(new PanelText(line.substring(3)));
        } else if (panels.isEmpty()) {
            throw new IllegalArgumentException("'" + line + "' stands before the first panel, as '## Panel'");
        } else {
            panels.getLast().take(line);
        }
    }

    private static double number(String text) {
        return Double.parseDouble(text.replace(",", ""));
    }

    private static Matcher match(Pattern form, String text, String example) {
        Matcher matcher = form.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not of the form '" + example + "'");
        }
        return matcher;
    }

    private static Point point(double x, String figure) {
        Matcher parts = match(FIGURE, figure, "1.02 (0.91..1.17)");
        double median = number(parts.group(1));
        return parts.group(2) == null
                ? Point.of(x, median)
                : new Point(x, median, number(parts.group(2)), number(parts.group(3)));
    }

    /// A partially parsed panel.
    private static final class PanelText {
        private final String title;
        private final List<Goal> goals = new ArrayList<>();
        private final List<Line> lines = new ArrayList<>();
        private final List<RatioPanel.Ratio> ratios = new ArrayList<>();
        private List<String> headings = List.of();
        private @Nullable Axis x;
        private @Nullable Axis y;

        PanelText(String title) {
            this.title = title;
        }

        void take(String line) {
            if (line.startsWith("x: ")) {
                x = Axes.of(line.substring(3));
            } else if (line.startsWith("y: ")) {
                y = Axes.of(line.substring(3));
            } else if (line.startsWith("goal: ")) {
                Matcher goal = match(GOAL, line.substring("goal: ".length()), "0.97 raw-write: at least 0.97");
                goals.add(new Goal(goal.group(2), number(goal.group(1))));
            } else if (line.startsWith("|")) {
                row(Arrays.stream(line.substring(1).split("\\|"))
                        .map(String::strip)
                        .toList());
            } else {
                throw new IllegalArgumentException(
                        "'" + line + "' begins with none of '# ', '## ', 'x: ', 'y: ', 'goal: ', '|' and '//'");
            }
        }

        private void row(List<String> cells) {
            if (headings.isEmpty()) {
                headings = cells;
                cells.stream().skip(1).forEach(path -> lines.add(new Line(path, new ArrayList<>())));
                return;
            }
            if (cells.size() != headings.size()) {
                throw new IllegalArgumentException(
                        "a row of " + cells.size() + " cells below " + headings.size() + " headings");
            }
            if (x == null) {
                ratios.add(ratio(cells));
                return;
            }
            double place = place(x, cells.getFirst());
            for (int column = 1; column < cells.size(); column++) {
                if (!cells.get(column).isEmpty()) {
                    lines.get(column - 1).points().add(point(place, cells.get(column)));
                }
            }
        }

        private static double place(Axis axis, String cell) {
            return axis.isBinary()
                    ? ByteSize.parse(cell.replaceFirst(" B$", "").replace(" ", ""))
                            .bytes()
                    : number(match(Pattern.compile(NUMBER), cell, "1,000").group());
        }

        private static RatioPanel.Ratio ratio(List<String> cells) {
            if (cells.size() != 3) {
                throw new IllegalArgumentException("a ratio has 3 cells, as"
                        + " '| throughput / memcpy | 0.85 (0.64..1.11) | at least 0.80 |', not " + cells.size());
            }
            Point figure = point(0, cells.get(1));
            Matcher limit = match(LIMIT, cells.get(2), "at least 0.80");
            return new RatioPanel.Ratio(
                    cells.getFirst(),
                    figure.median(),
                    figure.minimum(),
                    figure.maximum(),
                    limit.group(1).equals("at least"),
                    number(limit.group(2)));
        }

        Panel panel() {
            if (x == null && y == null) {
                return new RatioPanel(title, ratios);
            }
            if (x == null || y == null) {
                throw new IllegalArgumentException("panel '" + title + "' has one of 'x: ' and 'y: ', and needs both");
            }
            return new LinePanel(title, x, y, lines, goals);
        }
    }
}
