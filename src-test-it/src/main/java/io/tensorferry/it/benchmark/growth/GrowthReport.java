package io.tensorferry.it.benchmark.growth;

import com.google.gson.GsonBuilder;
import io.tensorferry.it.benchmark.Axes;
import io.tensorferry.it.benchmark.BenchmarkMarkdown;
import io.tensorferry.it.benchmark.Machine;
import io.tensorferry.it.benchmark.Spread;
import io.tensorferry.it.benchmark.SvgFile;
import io.tensorferry.it.benchmark.Target;
import io.tensorferry.it.benchmark.chart.Chart;
import io.tensorferry.it.benchmark.chart.Goal;
import io.tensorferry.it.benchmark.chart.Line;
import io.tensorferry.it.benchmark.chart.LinePanel;
import io.tensorferry.it.benchmark.chart.Panel;
import io.tensorferry.it.benchmark.chart.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Writes the results to standard output and to the configured files.
final class GrowthReport {
    private static final Target OUTSTANDING =
            Target.atMost(1.5, "cost of a receive with 100,000 outstanding / with 100");
    private static final long FEW = 100;
    private static final long MANY = 100_000;

    @Option(names = "--json", paramLabel = "FILE", description = "also writes every round's numbers there")
    private @Nullable Path json;

    @Option(names = "--markdown", paramLabel = "FILE", description = "also writes the results as a table there")
    private @Nullable Path markdown;

    @Option(
            names = "--chart",
            paramLabel = "FILE",
            converter = SvgFile.Converter.class,
            description = "also draws the results there, as SVG")
    private @Nullable SvgFile chart;

    private record Document(
            String jvm,
            String system,
            String processor,
            int processors,
            List<GrowthResult> series,
            List<Target.Verdict> targets) {}

    void write(List<GrowthResult> results) throws IOException {
        List<Target.Verdict> verdicts = verdicts(results);
        System.out.println(
                "machine: " + Machine.processors() + " processors " + Machine.model() + ", " + Machine.system());
        System.out.println("median (min..max) of the rounds");
        for (GrowthResult result : results) {
            System.out.println();
            System.out.println(result.name() + ": " + result.cost() + ", by " + result.what());
            for (GrowthResult.Cost cost : result.costs()) {
                System.out.printf(Locale.ROOT, "  %,13d %s%n", cost.at(), text(cost.spread()));
            }
        }
        System.out.println();
        verdicts.forEach(System.out::println);
        if (markdown != null) {
            Files.writeString(markdown, markdown(results, verdicts));
            System.out.println("as Markdown: " + markdown);
        }
        if (json != null) {
            var document = new Document(
                    Runtime.version().toString(),
                    Machine.system(),
                    Machine.model(),
                    Machine.processors(),
                    results,
                    verdicts);
            Files.writeString(
                    json, new GsonBuilder().setPrettyPrinting().create().toJson(document) + "\n");
            System.out.println("every round's numbers: " + json);
        }
        if (chart != null) {
            System.out.println(chart.write(chart(results)));
        }
    }

    static List<Target.Verdict> verdicts(List<GrowthResult> results) {
        var verdicts = new ArrayList<Target.Verdict>();
        for (GrowthResult result : results) {
            List<Double> few = rounds(result, FEW);
            List<Double> many = rounds(result, MANY);
            if (isOfReceives(result) && !few.isEmpty() && !many.isEmpty()) {
                Spread ratio = Spread.of(IntStream.range(0, few.size())
                        .mapToObj(round -> many.get(round) / few.get(round))
                        .toList());
                verdicts.add(OUTSTANDING.verdict(result.name(), ratio));
            }
        }
        return verdicts;
    }

    private static boolean isOfReceives(GrowthResult result) {
        return result.name().equals(Outstanding.NAME) || result.name().equals(Waiting.NAME);
    }

    private static List<Double> rounds(GrowthResult result, long at) {
        return result.costs().stream()
                .filter(cost -> cost.at() == at)
                .findFirst()
                .map(GrowthResult.Cost::rounds)
                .orElse(List.of());
    }

    private static String markdown(List<GrowthResult> results, List<Target.Verdict> verdicts) {
        var lines = new ArrayList<String>();
        lines.add("| cost | of | median (least..most) |");
        lines.add("|---|---|---|");
        for (GrowthResult result : results) {
            for (GrowthResult.Cost cost : result.costs()) {
                lines.add(String.format(
                        Locale.ROOT,
                        "| %s | %,d %s | %s |",
                        result.cost(),
                        cost.at(),
                        result.what(),
                        text(cost.spread())));
            }
        }
        if (!verdicts.isEmpty()) {
            lines.add("");
            lines.add(BenchmarkMarkdown.targets(verdicts));
        }
        return String.join("\n", lines) + "\n";
    }

    /// Draws the results. A series with a single point has no line.
    static Chart chart(List<GrowthResult> results) {
        List<Panel> panels = results.stream()
                .filter(result -> result.costs().size() > 1)
                .map(GrowthReport::panel)
                .toList();
        return new Chart("How cost grows", panels);
    }

    private static Panel panel(GrowthResult result) {
        List<Point> points = result.costs().stream()
                .map(cost -> new Point(
                        cost.at(),
                        cost.spread().median(),
                        cost.spread().minimum(),
                        cost.spread().maximum()))
                .toList();
        List<Double> few = rounds(result, FEW);
        List<Goal> goals = isOfReceives(result) && !few.isEmpty()
                ? List.of(new Goal(
                        String.format(Locale.ROOT, "at most %.1f times the cost with %,d", OUTSTANDING.limit(), FEW),
                        OUTSTANDING.limit() * Spread.of(few).median()))
                : List.of();
        return new LinePanel(
                result.name(),
                Axes.of(result.what()),
                Axes.of(result.cost()),
                List.of(new Line("grpc+verbs", points)),
                goals);
    }

    private static String text(Spread spread) {
        return String.format(Locale.ROOT, "%,.2f (%,.2f..%,.2f)", spread.median(), spread.minimum(), spread.maximum());
    }
}
