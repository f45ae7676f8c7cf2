package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.bindings.cuda.Cuda;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The generated classes of the CUDA driver agree with this machine's `cuda.h`. Neither a GPU nor the driver is
/// needed.
class CudaLayoutTest {
    private static final GeneratedPackage CUDA = new GeneratedPackage(Cuda.class, "cuda.h");

    @TempDir(factory = TargetDirectory.class)
    private Path directory;

    @Test
    void theBindingsAgreeWithTheHeader() {
        var probe = new CProbe("#include <cuda.h>", includeArguments(), directory);
        InstalledHeader.assume(probe, "gcc or clang, and the CUDA toolkit, whose directory -Dcuda.home names");
        List<Check> layouts = CUDA.layouts();
        // The number of the header's own version is not a constant of the interface.
        List<Check> constants = ConstantChecks.of(Cuda.class, name -> !name.equals("CUDA_VERSION"));

        HeaderCheck result = HeaderCheck.of(
                Stream.concat(layouts.stream(), constants.stream()).toList(), probe);

        InstalledHeader.report(CUDA, layouts, constants, result);
        assertThat(result.mismatches()).isEmpty();
        assertThat(result.agreeing()).isGreaterThan(200);
    }

    private static List<String> includeArguments() {
        return Stream.of(
                        System.getProperty("cuda.home"),
                        System.getenv("CUDA_HOME"),
                        System.getenv("CUDA_PATH"),
                        "/usr/local/cuda")
                .filter(Objects::nonNull)
                .map(home -> Path.of(home, "include"))
                .filter(include -> Files.exists(include.resolve("cuda.h")))
                .map(include -> "-I" + include)
                .limit(1)
                .toList();
    }
}
