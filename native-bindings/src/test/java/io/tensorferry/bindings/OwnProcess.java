package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs a main class of the tests in its own process: a process keeps the result of its first search.
final class OwnProcess {
    private OwnProcess() {}

    /// @param flags of Java
    /// @return the output of the process
    static String output(Class<?> main, String... flags) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            assertThat(process.waitFor()).isZero();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
