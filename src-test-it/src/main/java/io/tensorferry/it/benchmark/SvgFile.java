package io.tensorferry.it.benchmark;

import io.tensorferry.it.benchmark.chart.Chart;
import io.tensorferry.it.benchmark.chart.SvgChart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Where a chart goes.
public record SvgFile(Path path) {
    private static final String ENDING = ".svg";

    /// @throws IllegalArgumentException if the name is not one of an SVG file
    public SvgFile {
        if (!path.toString().endsWith(ENDING)) {
            throw new IllegalArgumentException("chart file '" + path + "' does not end in " + ENDING);
        }
    }

    /// @return what to tell: where the chart is, or why there is none
    public String write(Chart chart) throws IOException {
        if (chart.panels().isEmpty()) {
            return "no chart: there is nothing to draw";
        }
        Files.writeString(path, SvgChart.draw(chart));
        return "as a chart: " + path;
    }

    /// Reads an option.
    public static final class Converter implements ITypeConverter<SvgFile> {
        @Override
        public SvgFile convert(String value) {
            try {
                return new SvgFile(Path.of(value));
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
