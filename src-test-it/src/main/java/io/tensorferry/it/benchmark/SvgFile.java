package io.tensorferry.it.benchmark;

import io.tensorferry.it.benchmark.chart.Chart;
import io.tensorferry.it.benchmark.chart.SvgChart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// The output file of a chart.
public record SvgFile(Path path) {
    private static final String ENDING = ".svg";

    /// @throws IllegalArgumentException if the name does not end in `.svg`
    public SvgFile {
        if (!path.toString().endsWith(ENDING)) {
            throw new IllegalArgumentException("chart file '" + path + "' does not end in " + ENDING);
        }
    }

    /// @return a message for the user: the location of the chart, or the reason why there is none
    public String write(Chart chart) throws IOException {
        if (chart.panels().isEmpty()) {
            return "no chart: there is nothing to draw";
        }
        Files.writeString(path, SvgChart.draw(chart));
        return "as a chart: " + path;
    }

    /// Parses the option.
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
