package io.tensorferry.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.process.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// `ibv_rc_pingpong`, running. It is gone when this is closed.
final class CPingPong implements AutoCloseable {
    private static final String PROGRAM = "ibv_rc_pingpong";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final Path output;

    private CPingPong(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    static boolean isInstalled() {
        return Arrays.stream(
                        Objects.requireNonNullElse(System.getenv("PATH"), "").split(":"))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, PROGRAM)));
    }

    /// @param output where it writes
    static CPingPong start(Place place, Path output, List<String> arguments) throws IOException {
        var command = new ArrayList<>(place.prefix());
        command.add(PROGRAM);
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new CPingPong(process, output);
    }

    /// Waits for its end and checks it: status 0, `iterations` messages counted, no error found in them.
    void assertWent(int iterations) throws IOException, InterruptedException {
        boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
        String said = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended).as("it ends; it said: %s", said).isTrue();
        assertThat(process.exitValue()).as("its status; it said: %s", said).isZero();
        assertThat(said).contains(iterations + " iters").doesNotContain("invalid data");
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
