package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// Medians over a logarithmic axis, a line for each path. A bar with two ends shows the spread of a median.
///
/// @param x has a tick for each measured `x`
public record LinePanel(String title, Axis x, Axis y, List<Line> lines, List<Goal> goals) implements Panel {
    List<String> paths() {
        return lines.stream().map(Line::path).toList();
    }
}
