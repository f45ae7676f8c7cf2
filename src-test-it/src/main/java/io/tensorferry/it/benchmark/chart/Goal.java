package io.tensorferry.it.benchmark.chart;

/// The minimum or maximum for a median, drawn as a dashed line across the panel.
///
/// @param text the name of the goal in the legend
public record Goal(String text, double value) {}
