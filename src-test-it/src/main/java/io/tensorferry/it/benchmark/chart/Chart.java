package io.tensorferry.it.benchmark.chart;

import java.util.List;

/// @param title the description for readers that cannot see the picture
public record Chart(String title, List<Panel> panels) {}
