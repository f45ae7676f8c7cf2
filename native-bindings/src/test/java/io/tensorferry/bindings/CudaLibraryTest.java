package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The search for the library, each in its own process: a process searches only once.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CudaLibraryTest {
    private static final String ALLOWED = "--enable-native-access=ALL-UNNAMED";

    /// Prints the result of the search.
    public static final class Find {
        private Find() {}

        public static void main(String[] arguments) {
            System.out.println(
                    switch (CudaLibrary.find()) {
                        case CudaLibrary.Present present ->
                            "present " + present.has("cuInit") + " " + present.has("cuNoSuchFunction");
                        case CudaLibrary.Absent absent -> "absent " + absent.reason() + " | " + absent.cause();
                    });
        }
    }

    @Test
    void theInstalledLibraryIsFoundWithItsFunctions() throws Exception {
        String found = find(ALLOWED);
        assumeTrue(!found.contains("is not installed"), "the CUDA driver is not installed here");
        assertThat(found).isEqualTo("present true false");
    }

    @Test
    void aPathThatLeadsNowhereIsNamedWithItsProperty() throws Exception {
        assertThat(find(ALLOWED, "-D" + CudaLibrary.PATH_PROPERTY + "=/no/such/libcuda.so.1"))
                .startsWith("absent")
                .contains("/no/such/libcuda.so.1", CudaLibrary.PATH_PROPERTY, "IllegalArgumentException");
    }

    @Test
    void anotherLibraryIsNotTakenForIt() throws Exception {
        Path other = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
        assertThat(find(ALLOWED, "-D" + CudaLibrary.PATH_PROPERTY + "=" + other))
                .startsWith("absent")
                .contains(other.toString(), "cuFlushGPUDirectRDMAWrites");
    }

    @Test
    void whereNativeAccessIsDeniedTheFlagIsNamed() throws Exception {
        assertThat(find("--illegal-native-access=deny"))
                .startsWith("absent")
                .contains("--enable-native-access=ALL-UNNAMED", "IllegalCallerException");
    }

    private static String find(String... flags) throws IOException, InterruptedException {
        return OwnProcess.output(Find.class, flags);
    }
}
