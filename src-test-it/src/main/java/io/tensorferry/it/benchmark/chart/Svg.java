package io.tensorferry.it.benchmark.chart;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Writes the elements of an SVG file, one per line. The same calls give the same text on every machine.
final class Svg {
    // The width of a letter, with an allowance for wider fonts: at 13 pixels, and at a heading's 16 pixels in bold.
    private static final double LETTER = 7;
    private static final double BOLD_LETTER = 9;

    private static final double LINE = 16;
    private static final double BOLD_LINE = 20;

    // Keeps a number and its unit on one line.
    private static final Pattern WORD_END = Pattern.compile(" (?!([KMG]i)?B\\b)");

    private final StringBuilder text = new StringBuilder();

    static double width(String words) {
        return LETTER * words.length();
    }

    /// Wraps words into lines of at most `width` pixels. A longer word occupies a separate line.
    static List<String> wrap(String words, double width) {
        return wrap(words, LETTER, width);
    }

    private static List<String> wrap(String words, double letter, double width) {
        var lines = new ArrayList<String>();
        String line = "";
        for (String word : WORD_END.split(words)) {
            String longer = line.isEmpty() ? word : line + " " + word;
            if (!line.isEmpty() && letter * longer.length() > width) {
                lines.add(line);
                line = word;
            } else {
                line = longer;
            }
        }
        lines.add(line);
        return lines;
    }

    /// @param classes of the style sheet: `h` for a heading, `n` for a note; `c` centres the text at `x`, `e` ends it
    ///     there
    void text(String classes, double x, double y, String words) {
        line("<text class=\"" + classes + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\">" + escape(words)
                + "</text>");
    }

    /// @return the base line of a note below the heading
    double heading(double x, double top, double width, String words) {
        double at = top + LINE;
        for (String each : wrap(words, BOLD_LETTER, width)) {
            text("h", x, at, each);
            at += BOLD_LINE;
        }
        return at;
    }

    /// Writes lines of text, 16 pixels each.
    ///
    /// @param y the base line of the first line
    /// @return the base line below the last line
    double paragraph(String classes, double x, double y, List<String> lines) {
        double at = y;
        for (String each : lines) {
            text(classes, x, at, each);
            at += LINE;
        }
        return at;
    }

    void rule(String classes, double x1, double y1, double x2, double y2) {
        line("<line class=\"" + classes + "\" x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2)
                + "\" y2=\"" + number(y2) + "\"/>");
    }

    void rectangle(String classes, double x, double y, double width, double height) {
        line("<rect class=\"" + classes + "\" x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width)
                + "\" height=\"" + number(height) + "\"/>");
    }

    /// @param points pairs of x and y
    void polyline(String classes, List<double[]> points) {
        var places = new ArrayList<String>();
        points.forEach(point -> places.add(number(point[0]) + "," + number(point[1])));
        line("<polyline class=\"" + classes + "\" points=\"" + String.join(" ", places) + "\"/>");
    }

    /// @param tip the tooltip if the file is opened directly
    void marker(PathStyle style, double x, double y, String tip) {
        line("<path class=\"" + style.colour() + (style.hollow() ? " mark hollow" : " mark")
                + "\" transform=\"translate("
                + number(x) + " " + number(y) + ")\" d=\"" + style.marker().outline() + "\"><title>" + escape(tip)
                + "</title></path>");
    }

    /// Draws a bar from one value to another, with a cap at each end.
    void whisker(String classes, double x1, double y1, double x2, double y2) {
        double across = x1 == x2 ? 3 : 0;
        double along = x1 == x2 ? 0 : 4;
        line("<path class=\"" + classes + "\" d=\"M" + number(x1) + "," + number(y1) + " L" + number(x2) + ","
                + number(y2) + " M" + number(x1 - across) + "," + number(y1 - along) + " L" + number(x1 + across) + ","
                + number(y1 + along) + " M" + number(x2 - across) + "," + number(y2 - along) + " L"
                + number(x2 + across) + "," + number(y2 + along) + "\"/>");
    }

    private void line(String element) {
        text.append("  ").append(element).append('\n');
    }

    /// Formats with one decimal place.
    private static String number(double value) {
        return BigDecimal.valueOf(value)
                .setScale(1, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    static String escape(String words) {
        return words.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
