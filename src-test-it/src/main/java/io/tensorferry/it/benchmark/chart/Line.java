package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// @param path determines the colour, the marker and the dashes, see [PathStyles]
/// @param points in ascending order of `x`
public record Line(String path, List<Point> points) {}
