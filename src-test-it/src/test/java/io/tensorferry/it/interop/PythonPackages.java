package io.tensorferry.it.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// Debian's Python, and what the worker in Python needs of it.
final class PythonPackages {
    /// Debian's Python, whose packages the worker uses; what `python3` is may be another one.
    static final String PYTHON = "/usr/bin/python3";

    private static final int SECONDS = 20;
    private static final int UNIT_TEST_SECONDS = 120;

    private PythonPackages() {}

    /// @throws TestAbortedException if something is missing
    static void assumeThere() throws InterruptedException {
        assumeRuns(
                "python3-pyverbs, python3-grpcio or python3-protobuf",
                PYTHON,
                "-c",
                "import pyverbs.qp, grpc, google.protobuf.message_factory");
        assumeRuns("protobuf-compiler", "protoc", "--version");
    }

    private static void assumeRuns(String packages, String... command) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new TestAbortedException("not installed: " + packages + " (" + e.getMessage() + ")", e);
        }
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new TestAbortedException("not installed: " + packages);
            }
        } finally {
            process.destroyForcibly();
        }
    }

    /// Runs the unit tests in a directory and returns what they print.
    static String unitTests(String directory) throws IOException, InterruptedException {
        Path output = Files.createTempFile("unit-tests", ".txt");
        Process process = new ProcessBuilder(PYTHON, "-B", "-m", "unittest")
                .directory(Path.of(directory).toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            boolean ended = process.waitFor(UNIT_TEST_SECONDS, TimeUnit.SECONDS);
            return Files.readString(output) + (ended ? "" : "\nnot ended within " + UNIT_TEST_SECONDS + " s");
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
