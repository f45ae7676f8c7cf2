package io.tensorferry.it.benchmark.chart;

/// A value that a median should reach or stay below: a dashed line across the panel.
///
/// @param text names the goal in the legend
public record Goal(String text, double value) {}
