/// Draws charts as SVG files, readable on light and on dark pages.
///
/// A [io.tensorferry.it.benchmark.chart.Chart] is a list of panels. A [io.tensorferry.it.benchmark.chart.LinePanel] has
/// a line for each path over a logarithmic axis, a [io.tensorferry.it.benchmark.chart.RatioPanel] has a row for each
/// ratio beside its goal. The package depends on no other package of this project.
package io.tensorferry.it.benchmark.chart;
