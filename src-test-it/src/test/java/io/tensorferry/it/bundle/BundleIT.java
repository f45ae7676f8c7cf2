package io.tensorferry.it.bundle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The bundle, unpacked where it was not made, with nothing in `PATH` but what its scripts themselves call.
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class BundleIT {
    private static final long LIMIT_S = 120;
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("");
    private static final String VERSION = "1.2.3-bundle";

    @TempDir
    private static Path folder;

    private static Path archive;
    private static Path bundle;
    private static Path tools;

    /// What a command printed, and how it ended.
    private record Ended(int status, String out, String err) {}

    @BeforeAll
    @Timeout(value = 240, unit = TimeUnit.SECONDS)
    static void unpack() throws Exception {
        assumeTrue(Files.exists(ROOT.resolve("cli/target/runtime-class-path")), "the module cli is not built");
        archive = Bundle.make(folder.resolve("made"), new JavaTools(VERSION, "2026-01-01T00:00:00Z"));
        Path elsewhere = Files.createDirectory(folder.resolve("else where"));
        Ended tar = run(
                List.of("tar", "--extract", "--file=" + archive, "--directory=" + elsewhere),
                System.getenv("PATH"),
                Map.of());
        assertThat(tar.status()).as(tar.err()).isZero();
        bundle = elsewhere.resolve("tensorferry-gpu");
        tools = Files.createDirectory(folder.resolve("tools"));
        for (String tool : List.of("dirname", "mkdir", "readlink")) {
            Files.copy(find(tool), tools.resolve(tool), StandardCopyOption.COPY_ATTRIBUTES);
        }
    }

    private static Path find(String tool) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(place -> Path.of(place, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void theCommandLineRuns() throws Exception {
        Ended version = inBundle("bin/tensorferry", "--version");
        assertThat(version.status()).as(version.err()).isZero();
        assertThat(version.out()).startsWith("tensorferry " + VERSION + " (Java " + Runtime.version());

        Ended devices = inBundle("bin/tensorferry", "devices", "--json");
        assertThat(devices.status()).as(devices.err()).isZero();
        assertThat(devices.err()).isEmpty();
        JsonObject all = JsonParser.parseString(devices.out()).getAsJsonObject();
        assertThat(all.keySet()).contains("devices", "gpus");
        assertThat(all.getAsJsonArray("devices").toString()).contains("\"soft0\"");
    }

    /// The short ones of those that run where nothing is selected: the rest of them this build runs anyway.
    @Test
    void theTestsOfAcceleratorsRun() throws Exception {
        String tested = "--select-class=io.tensorferry.it.contract.accelerator.";
        Ended tests = inBundle("bin/gpu-tests", tested + "SimulatedAcceleratorTest", tested + "VirtualAcceleratorTest");

        assertThat(tests.status()).as(tests.out() + tests.err()).isZero();
        assertThat(tests.out())
                .contains("SimulatedAcceleratorTest ✔", "VirtualAcceleratorTest ✔", " 0 tests failed ")
                .doesNotContain("OnFakeDriver");
        assertThat(bundle.resolve("reports/TEST-junit-jupiter.xml")).exists();
    }

    /// Of the copies alone, for a moment: the other paths this build measures anyway.
    @Test
    void theBenchmarkOfAcceleratorsRuns() throws Exception {
        Ended benchmark = inBundle(
                "bin/gpu-benchmark",
                "--paths=gpu-copies",
                "--sizes=64KiB",
                "--rounds=1",
                "--seconds=0.01",
                "--paced-rate=0");

        assertThat(benchmark.status()).as(benchmark.out() + benchmark.err()).isZero();
        assertThat(benchmark.out()).contains("accelerator: ", "64 KiB    gpu-copies");
        assertThat(bundle.resolve("reports/gpu-benchmark.json")).exists();
        assertThat(bundle.resolve("reports/gpu-benchmark.md")).exists();
        assertThat(bundle.resolve("reports/gpu-benchmark.svg")).exists();
    }

    @Test
    void aSelectionWithoutTestsIsAFailure() throws Exception {
        Ended none = inBundle("bin/gpu-tests", "--select-class=io.tensorferry.no.Such");
        assertThat(none.status()).as(none.out() + none.err()).isNotZero();
    }

    @Test
    void itSaysNothingOfTheMachineThatMadeIt() throws Exception {
        Ended list = run(List.of("tar", "--list", "--verbose", "--file=" + archive), System.getenv("PATH"), Map.of());
        assertThat(list.out().lines())
                .hasSizeGreaterThan(100)
                .allMatch(line -> line.matches("\\S+ 0/0 +\\d+ 2026-01-01 00:00 tensorferry-gpu/.*"), "of nobody");

        var found = new ArrayList<Path>();
        try (Stream<Path> files = Files.walk(bundle)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String content = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (content.contains(ROOT.toString())) {
                    found.add(file);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /// What is selected, without running it: the build runs all of that anyway.
    @Test
    void whereNothingIsSelectedAllTestsOfAcceleratorsAre() throws Exception {
        Ended all = run(
                List.of(bundle.resolve("bin/gpu-tests").toString()),
                tools.toString(),
                Map.of("GPU_TESTS_JAVA_OPTIONS", "-Djunit.platform.execution.dryRun.enabled=true"));

        assertThat(all.status()).as(all.out() + all.err()).isZero();
        assertThat(all.out())
                .contains(
                        "SimulatedAcceleratorTest",
                        "VirtualAcceleratorTest",
                        "VerbsBetweenAcceleratorsRendezvousTest",
                        "CudaRendezvousIT",
                        "CudaTransfersIT")
                .contains(" 0 tests started ")
                .doesNotContain("OnFakeDriver");
    }

    private static Ended inBundle(String script, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(bundle.resolve(script).toString()));
        command.addAll(List.of(arguments));
        return run(command, tools.toString(), Map.of());
    }

    /// Runs a command whose environment is `PATH` and little else.
    private static Ended run(List<String> command, String path, Map<String, String> more)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", path);
        builder.environment().put("LANG", "C.UTF-8");
        builder.environment().put("TZ", "UTC");
        builder.environment().putAll(more);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
            return new Ended(process.exitValue(), Files.readString(out), Files.readString(err));
        } finally {
            process.destroyForcibly();
        }
    }
}
