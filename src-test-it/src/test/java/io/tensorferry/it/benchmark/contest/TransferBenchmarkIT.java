package io.tensorferry.it.benchmark.contest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tensorferry.it.process.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// That every path that can run here moves the right bytes, is measured and reported; the numbers are for people. The
/// benchmark itself compares each path's content, before and after it measures, and fails where a byte differs.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TransferBenchmarkIT {
    private static final Duration LIMIT = Duration.ofSeconds(100);
    // Those of rows, and those of accelerators, have tests of their own.
    private static final List<Contender> CONTENDERS = Arrays.stream(Contender.values())
            .filter(each -> !each.gathers() && !each.hasAccelerators())
            .toList();
    private static final List<String> PATHS =
            CONTENDERS.stream().map(Contender::path).toList();

    @Test
    void everyPathIsMeasuredSideBySide(@TempDir Path folder) throws Exception {
        Path json = folder.resolve("benchmark.json");
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                // Twenty short-lived processes have better things to do than to optimise; their children read this too.
                .environment("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .arguments(
                        "--paths=" + String.join(",", PATHS),
                        // Of several chunks, and not of whole words.
                        "--sizes=4KiB,1250001",
                        "--rounds=1",
                        "--seconds=0.02",
                        "--paced-rate=200",
                        "--json=" + json,
                        "--markdown=" + folder.resolve("benchmark.md"),
                        "--chart=" + folder.resolve("benchmark.svg"))
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            assertThat(benchmark.awaitLine("4 KiB     grpc+verbs : grpc ", LIMIT))
                    .contains("..");
        }
        List<String> measured = CONTENDERS.stream()
                .filter(each -> each.missing() == null)
                .map(Contender::path)
                .toList();
        JsonObject document = JsonParser.parseString(Files.readString(json)).getAsJsonObject();
        JsonArray series = document.getAsJsonArray("series");
        assertThat(series)
                .extracting(each -> each.getAsJsonObject().get("path").getAsString())
                .containsExactlyElementsOf(
                        Stream.of(measured, measured).flatMap(List::stream).toList());
        assertThat(series).allSatisfy(each -> {
            JsonObject round =
                    each.getAsJsonObject().getAsJsonArray("rounds").get(0).getAsJsonObject();
            assertThat(round.get("bytesPerSecond").getAsDouble()).isPositive();
            assertThat(round.get("p50Micros").getAsDouble()).isPositive();
            assertThat(round.get("pacedP99Micros").getAsDouble()).isPositive();
        });
        assertThat(Files.readString(folder.resolve("benchmark.md"))).contains("| Throughput, MB/s | grpc+verbs |");
        assertThat(Files.readString(folder.resolve("benchmark.svg")))
                .contains(">4 KiB</text>", ">1250001 B</text>", ">bytes of a tensor</text>", ">Latency</text>")
                .contains(measured.stream()
                        .map(path -> "<title>" + path + ", 4 KiB: ")
                        .toList());
    }

    @Test
    void aPathWhoseNameTurnsKnobsIsMeasuredBesideTheDefaults() throws Exception {
        String tuned = "grpc+verbs@lanes=2:stripe=256KiB:chunk=64KiB:underway=256KiB:inline=0";
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                .environment("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .arguments(
                        "--paths=grpc+verbs," + tuned,
                        "--sizes=1250001",
                        "--rounds=1",
                        "--seconds=0.02",
                        "--paced-rate=0")
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            assertThat(benchmark.awaitLine("1250001 B " + tuned + " soft0 ", LIMIT))
                    .isNotBlank();
            assertThat(benchmark.awaitLine("1250001 B grpc+verbs : " + tuned, LIMIT))
                    .contains("..");
        }
    }

    /// On the simulated accelerator, where there is no GPU.
    @Test
    void acceleratorsAreMeasuredBesideTheirCopies() throws Exception {
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                .environment("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .arguments(
                        "--paths=grpc+verbs@gpu,gpu-copies",
                        "--sizes=100001",
                        "--rounds=1",
                        "--seconds=0.02",
                        "--paced-rate=0")
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            String what = benchmark.awaitLine("accelerator: ", LIMIT);
            String copies = benchmark.awaitLine("100001 B  gpu-copies", LIMIT);
            // No table of a simulated one names a GPU.
            assertThat(copies.contains("simulated accelerator"))
                    .isEqualTo(what.contains("simulated accelerator, no GPU"));
            assertThat(benchmark.awaitLine("100001 B  grpc+verbs@gpu : gpu-copies", LIMIT))
                    .contains("..");
        }
    }

    @Test
    void rowsAreMeasuredToo() throws Exception {
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                .environment("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
                .arguments(
                        "--paths=grpc+verbs@gather",
                        "--sizes=2KiB,70001",
                        "--rounds=1",
                        "--seconds=0.02",
                        "--paced-rate=200")
                .start()) {
            benchmark.awaitSuccess(LIMIT);
            assertThat(benchmark.awaitLine("70001 B   grpc+verbs@gather", LIMIT))
                    .isNotBlank();
        }
    }

    @Test
    void aChartThatIsNoSvgFileIsRefusedBeforeAnythingIsMeasured() throws Exception {
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                .arguments("--chart=benchmark.png")
                .start()) {
            assertThat(benchmark.awaitLine("Invalid value for option '--chart'", LIMIT))
                    .contains("'benchmark.png' does not end in .svg");
        }
    }

    @Test
    void aPathThatDoesNotExistIsNamedWithWhatWouldBeRight() throws Exception {
        try (ChildJvm benchmark = ChildJvm.of(TransferBenchmark.class)
                .arguments("--paths=grpc+verbs,grpc+verbs@chunk=4KB")
                .start()) {
            assertThat(benchmark.awaitLine("Invalid value for option '--paths'", LIMIT))
                    .contains("path 'grpc+verbs@chunk=4KB'", "'chunk=4KB'", "4KiB");
        }
    }
}
