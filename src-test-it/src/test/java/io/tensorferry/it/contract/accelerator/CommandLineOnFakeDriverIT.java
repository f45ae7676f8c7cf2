package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.bindings.CudaLibrary;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The command line, as it was packed, with the fake CUDA driver: it says nothing about a GPU.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CommandLineOnFakeDriverIT {
    private static final long LIMIT_S = 60;
    private static final long LOOK_MS = 20;
    private static final Path JAR =
            Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolveSibling("cli/target/tensorferry.jar");

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void nothingRunsOn() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly();
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        }
    }

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

    @Test
    void aCheckMovesTensorsBetweenTheGpusOfTwoProcesses() throws Exception {
        Path driver = FakeCudaDriver.compile();
        String address = freeAddress();
        Tool server = start(driver, Map.of(), "serve", address, "--once", "--gpu");
        server.awaitOutput("serving checks on " + address + " with soft0, tensors on GPU:0 (Fake GPU 0, ");

        Tool check =
                start(driver, Map.of(), "check", address, "--gpu=1", "--sizes=8,1MiB", "--rounds=3", "--timeout=30");

        assertThat(check.status()).as(check.text()).isZero();
        assertThat(server.status()).as(server.text()).isZero();
        assertThat(server.text()).contains(": 2 sizes, all correct");
        assertThat(check.lines().stream().map(line -> line.replaceAll(" +", " ")))
                .contains(" tensors on GPU:1 (Fake GPU 1, 0000:f1:00.0) <-> GPU:0 (Fake GPU 0, 0000:f0:00.0)")
                .containsSubsequence(
                        "tensors on GPU:1 of this end went:",
                        " sent by pinned proxies",
                        " received by pinned proxies",
                        "tensors on GPU:0 of the other end went:",
                        " sent by pinned proxies",
                        " received by pinned proxies");
    }

    @Test
    void aCheckWithoutTheGpuThatItShallUseSaysWhyAtOnce() throws Exception {
        Tool none = start(folder.resolve("libcuda.so.1"), Map.of(), "check", freeAddress(), "--gpu");
        assertThat(none.status()).isOne();
        assertThat(none.lines())
                .singleElement()
                .asString()
                .startsWith("tensorferry check: FAILED_PRECONDITION: --gpu=0 cannot be used: ")
                .contains(folder.toString());

        Tool fewer = start(FakeCudaDriver.compile(), Map.of(), "serve", freeAddress(), "--gpu=2");
        assertThat(fewer.status()).isOne();
        assertThat(fewer.lines())
                .containsExactly("tensorferry serve: NOT_FOUND: --gpu=2 cannot be used: there is no GPU:2;"
                        + " the CUDA driver lists 2, numbered from 0");
    }

    private static String freeAddress() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    /// What `tensorferry devices` prints; it ends with status 0.
    private List<String> devices(Path driver, Map<String, String> environment)
            throws IOException, InterruptedException {
        Tool devices = start(driver, environment, "devices");
        assertThat(devices.status()).as(devices.text()).isZero();
        return devices.lines();
    }

    private Tool start(Path driver, Map<String, String> environment, String... arguments) throws IOException {
        Path output = Files.createTempFile(folder, arguments[0], ".txt");
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--sun-misc-unsafe-memory-access=allow",
                "-D" + CudaLibrary.PATH_PROPERTY + "=" + driver,
                "-jar",
                JAR.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("RDMA_DEVICE", "soft0");
        builder.environment().putAll(environment);
        Process process = builder.start();
        started.add(process);
        return new Tool(process, output);
    }

    /// One process, and where it writes.
    private record Tool(Process process, Path output) {
        int status() throws IOException, InterruptedException {
            assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).as(text()).isTrue();
            return process.exitValue();
        }

        String text() throws IOException {
            return Files.readString(output, StandardCharsets.UTF_8);
        }

        List<String> lines() throws IOException {
            return Files.readAllLines(output);
        }

        void awaitOutput(String wanted) throws IOException, InterruptedException {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
            while (!text().contains(wanted)) {
                assertThat(process.isAlive() && System.nanoTime() < end)
                        .as("no '%s' in: %s", wanted, text())
                        .isTrue();
                Thread.sleep(LOOK_MS);
            }
        }
    }
}
