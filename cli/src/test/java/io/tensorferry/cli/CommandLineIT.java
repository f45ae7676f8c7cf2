package io.tensorferry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The executable jar, as a user starts it, on the software device and loopback.
@Timeout(180)
class CommandLineIT {
    private static final int LIMIT_SECONDS = 60;

    @TempDir
    private Path folder;

    private final List<Process> started = new ArrayList<>();

    /// One process, whose output and errors are in two files.
    private record Tool(Process process, Path out, Path err) {
        int status() throws Exception {
            if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("still running; so far: " + text(out) + text(err));
            }
            return process.exitValue();
        }

        void awaitOutput(String wanted) throws Exception {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
            while (!text(out).contains(wanted)) {
                if (!process.isAlive() || System.nanoTime() > end) {
                    throw new AssertionError("no '" + wanted + "' in: " + text(out) + text(err));
                }
                Thread.sleep(20);
            }
        }
    }

    private static String text(Path file) throws IOException {
        return Files.readString(file);
    }

    @AfterEach
    void killWhatRuns() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly();
            assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Tool start(String device, List<String> command) throws IOException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        var builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("RDMA_"));
        builder.environment().put("RDMA_DEVICE", device);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        started.add(process);
        return new Tool(process, out, err);
    }

    private Tool jar(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-jar",
                System.getProperty("tensorferry.jar")));
        command.addAll(List.of(arguments));
        return start("soft0", command);
    }

    private Tool launcher(String... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("tensorferry.jar"))
                .resolve("../../tensorferry")
                .normalize()
                .toString());
        command.addAll(List.of(arguments));
        return start("soft0", command);
    }

    private static String freeAddress() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    @Test
    void theJarListsTheSoftwareDeviceAndWritesNothingElse() throws Exception {
        Tool devices = jar("devices", "--json");
        assertThat(devices.status()).as(text(devices.err())).isZero();
        JsonObject all = JsonParser.parseString(text(devices.out())).getAsJsonObject();
        assertThat(all.getAsJsonObject("taken").get("hca_id").getAsString()).isEqualTo("soft0");
        assertThat(text(devices.err())).isEmpty();
    }

    @Test
    void withoutItsDeviceThereIsNone() throws Exception {
        Tool devices = jar("devices", "--no-software");
        assertThat(devices.status()).isOne();
        assertThat(text(devices.out())).contains("taken: nothing; device (RDMA_DEVICE) is soft0; accepted: a device");
        assertThat(text(devices.err())).isEmpty();
    }

    @Test
    void theLauncherFindsJavaAndTheJar() throws Exception {
        Tool version = launcher("--version");
        assertThat(version.status()).as(text(version.err())).isZero();
        assertThat(text(version.out())).matches("tensorferry \\d+\\.\\d+\\.\\d+\\S* \\(Java .*\\)\\s*");
        assertThat(text(version.err())).isEmpty();
    }

    @Test
    void twoProcessesCheckTheWayBetweenThem() throws Exception {
        String address = freeAddress();
        Tool server = launcher("serve", address, "--once");
        server.awaitOutput("serving checks on " + address);

        Tool check = launcher("check", address);

        assertThat(check.status()).as(text(check.out()) + text(check.err())).isZero();
        assertThat(server.status()).as(text(server.out()) + text(server.err())).isZero();
        assertThat(text(check.out()))
                .contains("tensors to the other end", "16 MiB", "  way             shared memory <-> shared memory\n");
        assertThat(text(check.err())).as("no errors").isEmpty();
        assertThat(text(server.err())).isEmpty();
    }

    @Test
    void aSignalEndsAServerAndItsPortIsFreeAgain() throws Exception {
        String address = freeAddress();
        for (int life = 0; life < 2; life++) {
            Tool server = launcher("serve", address);
            server.awaitOutput("serving checks on " + address);
            server.process().destroy();
            assertThat(server.status()).as("128 + SIGTERM").isEqualTo(143);
            assertThat(text(server.err())).isEmpty();
        }
    }
}
