package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.bindings.CudaLibrary;
import io.tensorferry.cuda.CudaDevices;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The fake CUDA driver of transport-cuda, whose devices are host memory, compiled by this machine's `cc`.
public final class FakeCudaDriver {
    private static final long COMPILER_LIMIT_S = 60;
    private static final Path BASE = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();

    private static @Nullable Path loaded;

    private FakeCudaDriver() {}

    /// Makes it this process's driver, for good. Skips the test where there is no compiler.
    public static void load() throws IOException, InterruptedException {
        String before = System.getProperty(CudaLibrary.PATH_PROPERTY);
        System.setProperty(CudaLibrary.PATH_PROPERTY, library().toString());
        try {
            assertThat(CudaDevices.find())
                    .isInstanceOfSatisfying(
                            CudaDevices.Found.class,
                            found -> assertThat(found.devices().getFirst().name())
                                    .isEqualTo("Fake GPU 0"));
        } finally {
            if (before == null) {
                System.clearProperty(CudaLibrary.PATH_PROPERTY);
            } else {
                System.setProperty(CudaLibrary.PATH_PROPERTY, before);
            }
        }
    }

    private static synchronized Path library() throws IOException, InterruptedException {
        Path library = loaded;
        if (library == null) {
            library = compile();
            loaded = library;
        }
        return library;
    }

    /// Compiles it into a folder of its own below `target`, as `libcuda.so.1`. Without a compiler the test that asks is
    /// skipped.
    public static Path compile() throws IOException, InterruptedException {
        Path source = BASE.resolveSibling("transport-cuda").resolve("src/test/c/fakecuda.c");
        Path folder = Files.createTempDirectory(Files.createDirectories(BASE.resolve("target")), "fakecuda-");
        Path library = folder.resolve("libcuda.so.1");
        Path output = folder.resolve("output");
        var command = List.of(
                "cc",
                "-std=gnu11",
                "-O1",
                "-shared",
                "-fPIC",
                "-pthread",
                "-Wl,-soname,libcuda.so.1",
                "-o",
                library.toString(),
                source.toString());
        Process compiler;
        try {
            compiler = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(output.toFile())
                    .start();
        } catch (IOException e) {
            assumeTrue(false, "the fake CUDA driver needs a C compiler `cc`, which is not installed here");
            throw e;
        }
        try {
            assertThat(compiler.waitFor(COMPILER_LIMIT_S, TimeUnit.SECONDS)).isTrue();
            assertThat(compiler.exitValue())
                    .as(Files.readString(output, StandardCharsets.UTF_8))
                    .isZero();
        } finally {
            compiler.descendants().forEach(ProcessHandle::destroyForcibly);
            compiler.destroyForcibly();
        }
        return library;
    }
}
