package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.cuda.CudaDevices;
import io.tensorferry.it.contract.accelerator.FakeCudaDriver;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Who has no GPU gets nothing of CUDA: no class of the module, none of its bindings, not the driver's library.
///
/// A process with the class path of transport-grpc exchanges tensors where the library path has a `libcuda.so.1` that
/// creates a file when it is loaded. A second process, which does look for GPUs, shows that the test would see
/// a load.
@DeviceTests(kind = "process", on = On.NAMED_OR_SOFTWARE)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NothingOfCudaIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String OF_CUDA = "io\\.tensorferry\\.([a-z]+\\.)*([Cc]uda).*";
    private static final TrafficPlan PLAN = new TrafficPlan(71, 400, List.of(0, 1), 1);

    @TempDir
    private Path folder;

    /// Looks for GPUs, and goes on as the other.
    static final class LooksForGpus {
        public static void main(String[] arguments) throws InterruptedException, ExecutionException {
            System.out.println("GPUS " + CudaDevices.find());
            PairProcess.main(arguments);
        }
    }

    /// What was seen of a process that exchanged tensors.
    ///
    /// @param mapped the files that were mapped into it when it had
    /// @param classes all classes that it ever loaded
    private record Seen(List<String> mapped, List<String> classes) {
        List<String> ofCuda() {
            return Stream.concat(
                            mapped.stream().filter(file -> file.contains("libcuda")),
                            classes.stream().filter(name -> name.matches(OF_CUDA)))
                    .toList();
        }
    }

    @Test
    void whatAServerNeedsHasNothingOfTheCudaModule() throws Exception {
        var urls = new ArrayList<URL>();
        for (String entry : classPathOfAServer().split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (var classPath = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            assertThat(classPath.getResource("io/tensorferry/grpc/TransportServer.class"))
                    .isNotNull();
            assertThat(classPath.getResource("io/tensorferry/cuda/CudaDevices.class"))
                    .isNull();
        }
    }

    @Test
    void anExchangeLoadsNothingOfCuda() throws Exception {
        Seen seen = exchange(ChildJvm.of(PairProcess.class).classPath(classPathOfTheExchange()));

        // Not in vain: they are the classes and the libraries of a process that has exchanged tensors.
        assertThat(seen.classes())
                .contains(
                        "io.tensorferry.grpc.TransportServer",
                        "io.tensorferry.verbs.rendezvous.transfer.TensorRequest");
        assertThat(seen.mapped()).anyMatch(file -> file.endsWith("/libjvm.so"));
        assertThat(seen.ofCuda()).isEmpty();
    }

    @Test
    void aDriverThatIsThereIsNotLoaded() throws Exception {
        Path driver = FakeCudaDriver.compile();
        Path loaded = folder.resolve("loaded");

        Seen seen = exchange(ChildJvm.of(PairProcess.class)
                .classPath(classPathOfTheExchange())
                .environment("LD_LIBRARY_PATH", before(driver.getParent()))
                .environment("FAKECUDA_LOADED", loaded.toString()));

        assertThat(loaded).doesNotExist();
        assertThat(seen.ofCuda()).isEmpty();
    }

    @Test
    void thatOfAProcessWhichLooksForGpusIsSeen() throws Exception {
        Path driver = FakeCudaDriver.compile();
        Path loaded = folder.resolve("loaded");

        Seen seen = exchange(ChildJvm.of(LooksForGpus.class)
                .classPath(classPathOfTheExchange() + File.pathSeparator + home(CudaDevices.class))
                .environment("LD_LIBRARY_PATH", before(driver.getParent()))
                .environment("FAKECUDA_LOADED", loaded.toString()));

        assertThat(loaded).exists();
        assertThat(seen.ofCuda())
                .contains(driver.toString(), "io.tensorferry.cuda.CudaDevices", "io.tensorferry.bindings.cuda.Cuda");
    }

    /// Runs the process until it has exchanged all tensors of the plan.
    private Seen exchange(ChildJvm.Builder description) throws Exception {
        Path log = folder.resolve("classes");
        Place place = Place.of(0);
        List<Integer> ports = FreePorts.pick(2);
        try (ChildJvm child = description
                .place(place)
                .jvmArguments("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")
                .jvmArguments("-Xlog:class+load:file=" + log + "::filecount=0")
                .arguments(place.host() + ":" + ports.get(0), place.host() + ":" + ports.get(1), PLAN.toString())
                .start()) {
            ExchangeReport.assertComplete(
                    PLAN, List.of(child.awaitLine("EXCHANGED", LIMIT), child.awaitLine("EXCHANGED", LIMIT)));
            List<String> mapped = mapped(child.pid());
            child.send("end");
            child.awaitSuccess(LIMIT);
            return new Seen(mapped, classes(log));
        }
    }

    private static List<String> mapped(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid), "maps")).stream()
                .filter(line -> line.contains("/"))
                .map(line -> line.substring(line.indexOf('/')))
                .distinct()
                .toList();
    }

    /// From lines such as `[0.018s][info][class,load] java.lang.Object source: shared objects file`.
    private static List<String> classes(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(line -> line.substring(line.lastIndexOf(']', line.indexOf(" source:")) + 1)
                        .strip()
                        .split(" ")[0])
                .toList();
    }

    /// What Maven gives to an application that depends on transport-grpc.
    private static String classPathOfAServer() throws IOException {
        Path base = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
        Path target = base.resolveSibling("transport-grpc").resolve("target");
        String dependencies =
                Files.readString(target.resolve("runtime-class-path")).strip();
        return target.resolve("classes") + File.pathSeparator + dependencies;
    }

    private static String classPathOfTheExchange() throws IOException, URISyntaxException {
        var classPath = new ArrayList<>(List.of(classPathOfAServer()));
        classPath.add(home(Launcher.class).toString());
        classPath.add(home(PairProcess.class).toString());
        return String.join(File.pathSeparator, classPath);
    }

    /// The jar or the folder that a class comes from.
    private static Path home(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    private static String before(Path first) {
        Map<String, String> environment = System.getenv();
        String others = environment.getOrDefault("LD_LIBRARY_PATH", "");
        return others.isEmpty() ? first.toString() : first + File.pathSeparator + others;
    }
}
