package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// Medians over a logarithmic axis, a line for each path. The spread of a median is a bar with two ends.
///
/// @param x has a tick for each `x` that was measured
public record LinePanel(String title, Axis x, Axis y, List<Line> lines, List<Goal> goals) implements Panel {
    List<String> paths() {
        return lines.stream().map(Line::path).toList();
    }
}
