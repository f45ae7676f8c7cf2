package io.tensorferry.it.benchmark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Writes the results of a command to standard output and to the configured files.
public final class BenchmarkReport {
    @Option(names = "--json", paramLabel = "FILE", description = "also writes every round's numbers there")
    private @Nullable Path json;

    @Option(names = "--markdown", paramLabel = "FILE", description = "also writes the results as tables there")
    private @Nullable Path markdown;

    @Option(
            names = "--chart",
            paramLabel = "FILE",
            converter = SvgFile.Converter.class,
            description = "also draws the results there, as SVG")
    private @Nullable SvgFile chart;

    /// @param setting further properties of the measurement
    public void write(
            int rounds, double seconds, Map<String, String> setting, List<Turn> turns, List<Target.Verdict> verdicts)
            throws IOException {
        var all = new LinkedHashMap<String, String>();
        all.put("machine", Machine.processors() + " processors " + Machine.model() + ", " + Machine.system());
        all.put("Java", Runtime.version().toString());
        all.put("measured", String.format(Locale.ROOT, "%d rounds of %.2f s", rounds, seconds));
        all.putAll(setting);
        var lines = new ArrayList<String>();
        all.forEach((name, value) -> lines.add(name + ": " + value));
        String heading = String.join(System.lineSeparator(), lines);
        System.out.println(BenchmarkTable.of(heading, turns));
        if (!verdicts.isEmpty()) {
            System.out.println();
            verdicts.forEach(System.out::println);
        }
        if (markdown != null) {
            BenchmarkMarkdown.write(markdown, heading, turns, verdicts);
            System.out.println("as Markdown: " + markdown);
        }
        if (json != null) {
            BenchmarkJson.write(json, rounds, seconds, all, turns, verdicts);
            System.out.println("every round's numbers: " + json);
        }
        if (chart != null) {
            System.out.println(chart.write(BenchmarkChart.of(turns, verdicts)));
        }
    }
}
