package io.tensorferry.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.CudaLibrary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The listed GPUs, or the reason for their absence. A process loads one driver only, so most tests start processes.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CudaDevicesOnFakeDriverTest {
    private static final long GIB = 1L << 30;

    @TempDir
    private Path folder;

    /// Prints the GPUs that it finds; or, given the name of a file, whether that exists before and after the search.
    public static final class Find {
        private Find() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments.length > 0) {
                Path loaded = Path.of(arguments[0]);
                // Initialised, as they are where an application has them among its classes and no GPU.
                Class.forName("io.tensorferry.cuda.CudaDevices");
                Class.forName("io.tensorferry.cuda.CudaAccelerator");
                System.out.print(Files.exists(loaded) + " ");
                CudaDevices.find();
                System.out.println(Files.exists(loaded));
                return;
            }
            System.out.println(
                    switch (CudaDevices.find()) {
                        case CudaDevices.Found found ->
                            "found " + found.devices().size();
                        case CudaDevices.Absent absent -> "absent " + absent.reason();
                    });
        }
    }

    @Test
    void theFakeDevicesAreListedAsTheDriverDescribesThem() {
        FakeDriver.load().reset();

        assertThat(CudaDevices.find())
                .isEqualTo(new CudaDevices.Found(List.of(
                        new CudaDescription(
                                0, "Fake GPU 0", "00010203-0405-0607-0809-0a0b0c0d0e0f", "0000:f0:00.0", GIB),
                        new CudaDescription(
                                1, "Fake GPU 1", "10111213-1415-1617-1819-1a1b1c1d1e1f", "0000:f1:00.0", GIB))));
    }

    @Test
    void aDeviceThatIsNotThereIsNotOpened() {
        FakeDriver.load().reset();

        assertThatThrownBy(() -> CudaDevices.open(2))
                .hasMessageContaining("there is no GPU:2; the CUDA driver lists 2")
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.NOT_FOUND, TransportException::code);
    }

    @Test
    void withoutTheLibraryTheReasonIsTheLibrarys() throws Exception {
        assertThat(find(Path.of("/no/such/libcuda.so.1"), Map.of()))
                .startsWith("absent")
                .contains("/no/such/libcuda.so.1", CudaLibrary.PATH_PROPERTY);
    }

    @Test
    void aLibraryOfAnotherNameIsRefused() throws Exception {
        Path library = FakeDriver.compile("libother.so.1");
        assumeTrue(find(null, Map.of()).contains("is not installed"), "there is a CUDA driver on this machine");

        assertThat(find(library, Map.of()))
                .startsWith("absent")
                .contains(library.toString(), "does not have the soname libcuda.so.1");
    }

    @Test
    void aDriverThatDoesNotStartIsAbsenceInItsWords() throws Exception {
        assertThat(find(FakeDriver.library(), Map.of("FAKECUDA_FAIL", "cuInit=100")))
                .isEqualTo("absent cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device is detected)");
    }

    @Test
    void aDriverWithoutDevicesIsAbsence() throws Exception {
        assertThat(find(FakeDriver.library(), Map.of("FAKECUDA_DEVICES", "0")))
                .isEqualTo("absent the CUDA driver lists no GPU");
    }

    @Test
    void asManyAreFoundAsTheDriverLists() throws Exception {
        assertThat(find(FakeDriver.library(), Map.of("FAKECUDA_DEVICES", "5"))).isEqualTo("found 5");
    }

    @Test
    void nothingIsLoadedBeforeSomebodyAsks() throws Exception {
        Path loaded = folder.resolve("loaded");

        assertThat(find(FakeDriver.library(), Map.of("FAKECUDA_LOADED", loaded.toString()), loaded.toString()))
                .isEqualTo("false true");
    }

    /// Returns the output of another process.
    ///
    /// @param library null for the system's
    private static String find(Path library, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        if (library != null) {
            command.add("-D" + CudaLibrary.PATH_PROPERTY + "=" + library);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Find.class.getName()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assertThat(process.waitFor()).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
