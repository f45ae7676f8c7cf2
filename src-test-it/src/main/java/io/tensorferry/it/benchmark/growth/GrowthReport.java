package io.tensorferry.it.benchmark.growth;

import com.google.gson.GsonBuilder;
import io.tensorferry.it.benchmark.BenchmarkMarkdown;
import io.tensorferry.it.benchmark.Machine;
import io.tensorferry.it.benchmark.Picture;
import io.tensorferry.it.benchmark.Spread;
import io.tensorferry.it.benchmark.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// Where the results go: to standard output, and to the files that the command was given.
final class GrowthReport {
    private static final Target OUTSTANDING =
            Target.atMost(1.5, "cost of a receive with 100,000 outstanding / with 100");
    private static final long FEW = 100;
    private static final long MANY = 100_000;

    @Option(names = "--json", paramLabel = "FILE", description = "also writes every round's numbers there")
    private @Nullable Path json;

    @Option(names = "--markdown", paramLabel = "FILE", description = "also writes the results as a table there")
    private @Nullable Path markdown;

    @Option(names = "--chart", paramLabel = "FILE", description = "also draws the results there, as PNG")
    private @Nullable Path chart;

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
            System.out.println(Picture.write(chart, pictures(results)));
        }
    }

    static List<Target.Verdict> verdicts(List<GrowthResult> results) {
        var verdicts = new ArrayList<Target.Verdict>();
        for (GrowthResult result : results) {
            List<Double> few = rounds(result, FEW);
            List<Double> many = rounds(result, MANY);
            boolean ofReceives =
                    result.name().equals(Outstanding.NAME) || result.name().equals(Waiting.NAME);
            if (ofReceives && !few.isEmpty() && !many.isEmpty()) {
                Spread ratio = Spread.of(IntStream.range(0, few.size())
                        .mapToObj(round -> many.get(round) / few.get(round))
                        .toList());
                verdicts.add(OUTSTANDING.verdict(result.name(), ratio));
            }
        }
        return verdicts;
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

    /// A single number makes no line.
    private static List<Picture.Panel> pictures(List<GrowthResult> results) {
        return results.stream()
                .filter(result -> result.costs().size() > 1)
                .map(result -> new Picture.Panel(
                        result.name(),
                        result.what(),
                        result.cost(),
                        List.of(new Picture.Line(
                                result.name(),
                                result.costs().stream()
                                        .map(cost -> (double) cost.at())
                                        .toList(),
                                result.costs().stream()
                                        .map(cost -> cost.spread().median())
                                        .toList()))))
                .toList();
    }

    private static String text(Spread spread) {
        return String.format(Locale.ROOT, "%,.2f (%,.2f..%,.2f)", spread.median(), spread.minimum(), spread.maximum());
    }
}
