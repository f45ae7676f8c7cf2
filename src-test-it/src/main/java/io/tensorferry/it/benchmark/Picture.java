package io.tensorferry.it.benchmark;

import java.awt.AWTError;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/// Lines over logarithmic axes, as a PNG file.
public final class Picture {
    private static final int WIDTH = 760;
    private static final int HEIGHT = 480;
    private static final int COLUMNS = 2;
    // What stands for 0, which has no logarithm.
    private static final double LEAST_X = 0.5;
    private static final double LEAST_Y = 0.001;

    private Picture() {}

    /// @param x and
    /// @param y as long as each other
    public record Line(String name, List<Double> x, List<Double> y) {}

    /// @param x what the x axis shows
    /// @param y what the y axis shows
    public record Panel(String title, String x, String y, List<Line> lines) {}

    /// @return what to tell: where the picture is, or why there is none
    public static String write(Path file, List<Panel> panels) throws IOException {
        if (panels.isEmpty()) {
            return "no picture: there is nothing to draw";
        }
        System.setProperty("java.awt.headless", "true");
        try {
            List<XYChart> charts = panels.stream().map(Picture::chart).toList();
            // XChart fills every place of its grid.
            int columns = charts.size() % COLUMNS == 0 ? COLUMNS : 1;
            BitmapEncoder.saveBitmap(
                    charts, charts.size() / columns, columns, file.toString(), BitmapEncoder.BitmapFormat.PNG);
            return "as a picture: " + file;
        } catch (AWTError | ExceptionInInitializerError | NoClassDefFoundError | UnsatisfiedLinkError e) {
            // Without the system's fonts the JDK cannot write a letter.
            return "no picture, this machine cannot draw: " + e;
        }
    }

    private static XYChart chart(Panel panel) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(panel.title)
                .xAxisTitle(panel.x)
                .yAxisTitle(panel.y)
                .build();
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setYAxisLogarithmic(true);
        chart.getStyler().setChartBackgroundColor(Color.WHITE);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideE);
        chart.getStyler().setLegendVisible(panel.lines.size() > 1);
        for (Line line : panel.lines) {
            chart.addSeries(
                    line.name,
                    line.x.stream().mapToDouble(x -> Math.max(LEAST_X, x)).toArray(),
                    line.y.stream().mapToDouble(y -> Math.max(LEAST_Y, y)).toArray());
        }
        return chart;
    }
}
