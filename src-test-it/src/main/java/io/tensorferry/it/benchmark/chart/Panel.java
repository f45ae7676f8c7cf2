package io.tensorferry.it.benchmark.chart;

/// One diagram of a chart.
public sealed interface Panel permits LinePanel, RatioPanel {
    String title();
}
