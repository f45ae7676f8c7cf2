package io.tensorferry.it.benchmark.growth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tensorferry.it.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// That every series is measured and reported; its numbers are for people.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class GrowthBenchmarkIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);

    @Test
    void everySeriesHasACost(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("benchmark.json");
        try (ChildJvm benchmark = ChildJvm.of(GrowthBenchmark.class)
                // Short-lived processes have better things to do than to optimise; their children read this too.
                .environment("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .arguments(
                        "--rounds=1",
                        "--seconds=0.2",
                        "--most-receives=100",
                        "--most-tensors=10",
                        "--most-peers=2",
                        "--most-edges=10",
                        "--most-bytes=1MiB",
                        "--json=" + json,
                        "--markdown=" + folder.resolve("benchmark.md"),
                        "--chart=" + folder.resolve("benchmark.svg"))
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            assertThat(benchmark.awaitLine("outstanding: ", LIMIT)).contains("by receives outstanding");
        }
        JsonObject document = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(document.getAsJsonArray("series"))
                .extracting(series -> series.getAsJsonObject().get("name").getAsString())
                .containsExactly(
                        "rest",
                        "wake-up-p50",
                        "wake-up-p99",
                        "outstanding",
                        "waiting",
                        "step",
                        "receive-heap-consumer",
                        "receive-heap-producer",
                        "edges-rest",
                        "edges-one-carries",
                        "edges-heap",
                        "peers",
                        "channel-heap",
                        "channel-registered",
                        "simulated-peers",
                        "simulated-channel-heap",
                        "sizes");
        assertThat(document.getAsJsonArray("series"))
                .allSatisfy(series -> assertThat(series.getAsJsonObject().getAsJsonArray("costs"))
                        .isNotEmpty()
                        .allSatisfy(cost -> assertThat(cost.getAsJsonObject().getAsJsonArray("rounds"))
                                .hasSize(1)));
        assertThat(Files.readString(folder.resolve("benchmark.md")))
                .contains("| us for a receive, median, one under way | 1,048,576 bytes of a tensor |");
        assertThat(Files.readString(folder.resolve("benchmark.svg")))
                .contains(
                        ">0 B</text>", ">1 MiB</text>", ">receives outstanding</text>", "1.5 times the cost with 100");
    }

    @Test
    void aSeriesThatDoesNotExistIsNamedWithThoseThatDo() throws Exception {
        try (ChildJvm benchmark =
                ChildJvm.of(GrowthBenchmark.class).arguments("--series=nothing").start()) {
            assertThat(benchmark.awaitLine("the series are ", LIMIT)).contains("outstanding");
        }
    }
}
