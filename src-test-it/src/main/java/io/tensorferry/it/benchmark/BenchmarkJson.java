package io.tensorferry.it.benchmark;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The results as programs read them.
final class BenchmarkJson {
    private static final Gson GSON = new GsonBuilder().setPrettyPrinting().create();

    private BenchmarkJson() {}

    private record Document(
            String jvm, String system, int processors, int rounds, double seconds, List<Series> series) {}

    private record Series(String path, String device, long tensorBytes, int window, List<Round> rounds) {}

    private record Round(double bytesPerSecond, double tensorsPerSecond, double p50Micros, double p99Micros) {}

    static void write(Path file, int rounds, double seconds, List<List<PathSeries>> results) throws IOException {
        List<Series> series = results.stream()
                .flatMap(List::stream)
                .map(BenchmarkJson::series)
                .toList();
        var document = new Document(
                Runtime.version().toString(),
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"),
                Runtime.getRuntime().availableProcessors(),
                rounds,
                seconds,
                series);
        Files.writeString(file, GSON.toJson(document) + "\n");
    }

    private static Series series(PathSeries series) {
        var rounds = new ArrayList<Round>();
        for (int i = 0; i < series.throughput().size(); i++) {
            Transfer throughput = series.throughput().get(i);
            Transfer latency = series.latency().get(i);
            rounds.add(new Round(
                    throughput.bytesPerSecond(),
                    throughput.tensorsPerSecond(),
                    latency.latencyMicros(50),
                    latency.latencyMicros(99)));
        }
        return new Series(
                series.path().name(), series.path().device(), series.size().bytes(), series.window(), rounds);
    }
}
