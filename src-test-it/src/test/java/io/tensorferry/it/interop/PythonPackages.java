package io.tensorferry.it.interop;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/// What the worker in Python needs of the system.
final class PythonPackages {
    /// Debian's Python, whose packages the worker uses; what `python3` is may be another one.
    static final String PYTHON = "/usr/bin/python3";

    private static final int SECONDS = 20;

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
}
