package io.tensorferry.it.benchmark;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes the results for programs.
public final class BenchmarkJson {
    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

    private BenchmarkJson() {}

    private record Document(
            String jvm,
            String system,
            String processor,
            int processors,
            int rounds,
            double seconds,
            Map<String, String> setting,
            List<Series> series,
            List<Ratios> ratios,
            List<Result> targets) {}

    private record Result(
            String what, String at, Spread figure, boolean atLeast, double limit, boolean met, double missedBy) {}

    private record Series(
            String path, String device, long bytes, int window, double pacedPerSecond, List<Round> rounds) {}

    private record Round(
            double bytesPerSecond,
            double perSecond,
            double p50Micros,
            double p99Micros,
            @Nullable Double pacedP50Micros,
            @Nullable Double pacedP99Micros,
            @Nullable Double pacedP999Micros) {}

    private record Ratios(
            String path, String base, long bytes, Spread throughput, Spread p50Latency, Spread p99Latency) {}

    /// @param setting further properties of the measurement
    public static void write(
            Path file,
            int rounds,
            double seconds,
            Map<String, String> setting,
            List<Turn> turns,
            List<Target.Verdict> verdicts)
            throws IOException {
        List<Series> series = turns.stream()
                .flatMap(turn -> turn.series().stream())
                .map(BenchmarkJson::series)
                .toList();
        var document = new Document(
                Runtime.version().toString(),
                Machine.system(),
                Machine.model(),
                Machine.processors(),
                rounds,
                seconds,
                setting,
                series,
                Turn.comparisons(turns).stream().map(BenchmarkJson::ratios).toList(),
                verdicts.stream().map(BenchmarkJson::result).toList());
        Files.writeString(file, GSON.toJson(document) + "\n");
    }

    private static Result result(Target.Verdict verdict) {
        Target target = verdict.target();
        return new Result(
                target.what(),
                verdict.at(),
                verdict.figure(),
                target.atLeast(),
                target.limit(),
                verdict.isMet(),
                verdict.missedBy());
    }

    private static Series series(PathSeries series) {
        var rounds = new ArrayList<Round>();
        for (int i = 0; i < series.throughput().size(); i++) {
            Transfer throughput = series.throughput().get(i);
            Transfer latency = series.latency().get(i);
            Transfer paced = series.paced().isEmpty() ? null : series.paced().get(i);
            rounds.add(new Round(
                    throughput.bytesPerSecond(),
                    throughput.perSecond(),
                    latency.latencyMicros(50),
                    latency.latencyMicros(99),
                    paced == null ? null : paced.latencyMicros(50),
                    paced == null ? null : paced.latencyMicros(99),
                    paced == null ? null : paced.latencyMicros(99.9)));
        }
        return new Series(
                series.path().name(),
                series.path().device(),
                series.size().bytes(),
                series.window(),
                series.pacedPerSecond(),
                rounds);
    }

    private static Ratios ratios(Comparison comparison) {
        return new Ratios(
                comparison.path().path().name(),
                comparison.base().path().name(),
                comparison.path().size().bytes(),
                comparison.throughput(),
                comparison.latency(50),
                comparison.latency(99));
    }
}
