package io.tensorferry.it.benchmark.verbs;

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

/// That the benchmark runs and reports; its numbers are for people. On the software device, which C programs do not
/// know.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class VerbsBenchmarkIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);

    @Test
    void rawVerbsAndTensorsAreMeasuredSideBySide(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("benchmark.json");
        try (ChildJvm benchmark = ChildJvm.of(VerbsBenchmark.class)
                .jvmArguments("-Drdma.device=soft0", "-Drdma.gid=", "-Dit.pin=")
                .arguments(
                        "--paths=raw-write,raw-immediate@q2l4,raw-flag,recvAsync,raw-read,raw-write@q2l4,recvAsync@q2:chunk=16KiB",
                        "--sizes=64KiB",
                        "--rounds=2",
                        "--seconds=0.02",
                        "--compile-seconds=0.02",
                        "--json=" + json,
                        "--markdown=" + folder.resolve("benchmark.md"))
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            assertThat(benchmark.awaitLine("64 KiB    raw-write ", LIMIT)).contains(" soft0 ");
            assertThat(benchmark.awaitLine("64 KiB    recvAsync ", LIMIT)).contains(" soft0 ");
            assertThat(benchmark.awaitLine("64 KiB    raw-read ", LIMIT)).contains(" soft0 ");
            assertThat(benchmark.awaitLine("64 KiB    recvAsync@q2:chunk=16KiB soft0 ", LIMIT))
                    .isNotBlank();
        }
        assertThat(Files.readAllLines(folder.resolve("benchmark.md")))
                .contains("| Throughput, MB/s | raw-write | raw-immediate@q2l4 | raw-flag | recvAsync | raw-read |"
                        + " raw-write@q2l4 | recvAsync@q2:chunk=16KiB |")
                .anyMatch(line -> line.matches("\\| 64 KiB( \\| [0-9.,]+){7} \\|"));
        var document = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        assertThat(document.getAsJsonArray("series"))
                .hasSize(7)
                .allSatisfy(series -> assertThat(series.getAsJsonObject().getAsJsonArray("rounds"))
                        .hasSize(2)
                        .allSatisfy(round -> {
                            assertThat(round.getAsJsonObject()
                                            .get("bytesPerSecond")
                                            .getAsDouble())
                                    .isPositive();
                            assertThat(round.getAsJsonObject().get("p50Micros").getAsDouble())
                                    .isPositive();
                        }));
    }

    @Test
    void withoutADeviceAndAGuestItSaysWhatToName() throws Exception {
        try (ChildJvm benchmark =
                ChildJvm.of(VerbsBenchmark.class).jvmArguments("-Drdma.device=").start()) {
            assertThat(benchmark.awaitLine("name a device with -Drdma.device", LIMIT))
                    .contains("--guest");
        }
    }
}
