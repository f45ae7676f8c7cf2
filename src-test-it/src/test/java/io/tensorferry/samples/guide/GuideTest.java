package io.tensorferry.samples.guide;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.MemoryRegistration;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.process.FreePorts;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GuideTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));
    private static final Path PROGRAMS = MODULE.resolve("src/main/java/io/tensorferry/samples/guide");
    private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```\n");
    private static final Pattern CLASS_NAME = Pattern.compile("public final class (\\w+)");

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/getting-started.md"})
    void everyJavaBlockIsAProgramThatCompiles(String page) throws IOException {
        List<String> blocks = JAVA.matcher(Files.readString(MODULE.resolve("..").resolve(page)))
                .results()
                .map(block -> block.group(1))
                .toList();

        assertThat(blocks).isNotEmpty();
        for (String block : blocks) {
            Matcher name = CLASS_NAME.matcher(block);
            assertThat(name.find()).as("a program in %s", block).isTrue();
            assertThat(block).isEqualTo(programWithoutPackage(name.group(1)));
        }
    }

    private static String programWithoutPackage(String name) throws IOException {
        return Files.readString(PROGRAMS.resolve(name + ".java")).replaceFirst("package [^\n]*;\n\n", "");
    }

    @Test
    void firstTensor() throws Exception {
        ClusterSpec cluster = cluster(1);

        try (var others = new Others();
                TransportServer worker = server(cluster, "worker")) {
            others.start(() -> FirstTensor.run(cluster, "ps"));

            assertThat(FirstTensor.receive(worker)).containsExactly(1, 2, 3, 4, 5, 6);
            others.awaitSuccess();
        }
    }

    @Test
    void parameterServer() throws Exception {
        ClusterSpec cluster = cluster(2);

        try (var others = new Others();
                TransportServer ps = server(cluster, "ps")) {
            for (int task : cluster.tasks("worker")) {
                others.start(
                        () -> ParameterServer.run(new ServerConfig(cluster, "worker", task, ServerConfig.GRPC_VERBS)));
            }

            assertThat(ParameterServer.train(ps)).isBetween(0.499f, 0.501f);
            others.awaitSuccess();
        }
    }

    @Test
    void ownMemory() throws Exception {
        ClusterSpec cluster = cluster(1);

        try (var others = new Others();
                Arena arena = Arena.ofShared();
                TransportServer worker = server(cluster, "worker")) {
            MemorySegment memory = arena.allocate(1024L * 256 * Float.BYTES, 64);
            try (MemoryRegistration _ = worker.register(memory)) {
                others.start(() -> OwnMemory.run(cluster, "ps"));

                assertThat(OwnMemory.receive(worker, memory)).isEqualTo(1024 * 256 * (1 + 2 + 3));
                others.awaitSuccess();
            }
        }
    }

    @Test
    void overlappedSteps() throws Exception {
        ClusterSpec cluster = cluster(1);

        try (var others = new Others();
                TransportServer worker = server(cluster, "worker")) {
            others.start(() -> OverlappedSteps.run(cluster, "ps"));

            assertThat(OverlappedSteps.consume(worker)).isEqualTo(90);
            others.awaitSuccess();
        }
    }

    private static ClusterSpec cluster(int workers) {
        List<String> addresses = FreePorts.pick(workers + 1).stream()
                .map(port -> "localhost:" + port)
                .toList();
        return ClusterSpec.of(Map.of("ps", addresses.subList(0, 1), "worker", addresses.subList(1, workers + 1)));
    }

    private static TransportServer server(ClusterSpec cluster, String job) {
        return TransportServer.builder().cluster(cluster).job(job).task(0).start();
    }

    /// The programs beside the one that a test looks at. For one thread.
    private static final class Others implements AutoCloseable {
        private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        private final List<Future<?>> programs = new ArrayList<>();

        void start(Program program) {
            programs.add(threads.submit(() -> {
                program.run();
                return null;
            }));
        }

        void awaitSuccess() throws ExecutionException, InterruptedException {
            for (Future<?> program : programs) {
                program.get();
            }
        }

        @Override
        public void close() {
            threads.shutdownNow();
        }
    }

    private interface Program {
        void run() throws InterruptedException;
    }
}
