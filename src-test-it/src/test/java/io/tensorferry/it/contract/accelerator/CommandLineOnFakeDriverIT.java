package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.bindings.CudaLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The command line, as it was packed, with the fake CUDA driver: it says nothing about a GPU.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CommandLineOnFakeDriverIT {
    private static final long LIMIT_S = 60;
    private static final Path JAR =
            Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolveSibling("cli/target/tensorferry.jar");

    @TempDir
    private Path folder;

    @BeforeEach
    void theJarIsThere() {
        assumeTrue(Files.exists(JAR), "the module cli is not built: " + JAR + " is not there");
    }

    @Test
    void theGpusOfTheDriverAreListed() throws Exception {
        assertThat(devices(FakeCudaDriver.compile(), Map.of("FAKECUDA_DEVICES", "2")))
                .containsSubsequence(
                        "GPUs:",
                        "    GPU:0:                  Fake GPU 0",
                        "        uuid:                   00010203-0405-0607-0809-0a0b0c0d0e0f",
                        "        pci_address:            0000:f0:00.0",
                        "        memory:                 1073741824 (1.0 GiB)",
                        "    GPU:1:                  Fake GPU 1");
    }

    @Test
    void whyThereIsNoneIsOneLine() throws Exception {
        Path driver = FakeCudaDriver.compile();

        assertThat(devices(driver, Map.of("FAKECUDA_DEVICES", "0")))
                .contains("GPUs: none; the CUDA driver lists no GPU");
        assertThat(devices(driver, Map.of("FAKECUDA_FAIL", "cuInit=100")))
                .contains("GPUs: none; cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
        assertThat(devices(folder.resolve("libcuda.so.1"), Map.of()))
                .anyMatch(line -> line.startsWith("GPUs: none; ") && line.contains(folder.toString()));
    }

    @Test
    void aDriverThatFailsDoesNotHideTheOtherDevices() throws Exception {
        assertThat(devices(FakeCudaDriver.compile(), Map.of("FAKECUDA_FAIL", "cuDeviceGetName=999")))
                .contains("hca_id: soft0 (software)")
                .anyMatch(line -> line.startsWith("GPUs: none; INTERNAL: cuDeviceGetName: "));
    }

    /// What `tensorferry devices` prints; it ends with status 0.
    private List<String> devices(Path driver, Map<String, String> environment)
            throws IOException, InterruptedException {
        Path output = Files.createTempFile(folder, "devices", ".txt");
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--sun-misc-unsafe-memory-access=allow",
                        "-D" + CudaLibrary.PATH_PROPERTY + "=" + driver,
                        "-jar",
                        JAR.toString(),
                        "devices")
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("RDMA_DEVICE", "soft0");
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue())
                    .as(Files.readString(output, StandardCharsets.UTF_8))
                    .isZero();
            return Files.readAllLines(output);
        } finally {
            process.destroyForcibly();
        }
    }
}
