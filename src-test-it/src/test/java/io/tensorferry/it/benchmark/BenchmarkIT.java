package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.tensorferry.it.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// That the benchmark runs and reports; its numbers are for people.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class BenchmarkIT {
    private static final Duration LIMIT = Duration.ofSeconds(90);

    @Test
    void bothPathsAreMeasuredSideBySide(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("benchmark.json");
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                .arguments("--sizes=4KiB,100KiB", "--rounds=2", "--seconds=0.05", "--json=" + json)
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            assertThat(benchmark.awaitLine("4 KiB     grpc+verbs", LIMIT)).isNotBlank();
            assertThat(benchmark.awaitLine("4 KiB     grpc ", LIMIT)).contains("none (grpc)");
            assertThat(benchmark.awaitLine("100 KiB   grpc+verbs", LIMIT)).isNotBlank();
            assertThat(benchmark.awaitLine("4 KiB     grpc+verbs : grpc ", LIMIT))
                    .contains("..");
        }
        var document = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(document.getAsJsonArray("series")).hasSize(4).allSatisfy(series -> {
            var rounds = series.getAsJsonObject().getAsJsonArray("rounds");
            assertThat(rounds)
                    .hasSize(2)
                    .allSatisfy(round -> assertThat(round.getAsJsonObject()
                                    .get("bytesPerSecond")
                                    .getAsDouble())
                            .isPositive());
        });
    }
}
