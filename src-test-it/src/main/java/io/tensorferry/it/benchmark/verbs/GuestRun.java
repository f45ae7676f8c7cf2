package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.progress.Progress;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Runs a Java program of this class path in the guest, a User-Mode Linux with Soft-RoCE, on its device `rxe0`.
final class GuestRun {
    private static final String TIMEOUT_SECONDS = "7200";

    private final Path command;

    /// @param command `rdma-guest`
    GuestRun(Path command) {
        this.command = command;
    }

    /// Whether the guest can run now. Otherwise the reason is printed on standard output.
    boolean isPossible() throws IOException, InterruptedException {
        return new ProcessBuilder(command.toString(), "--check")
                        .inheritIO()
                        .start()
                        .waitFor()
                == 0;
    }

    /// @param root the directory that the guest may write to, which contains the class path
    /// @return the program's exit status
    int run(Path root, Class<?> main, List<String> arguments) throws IOException, InterruptedException {
        var words = new ArrayList<String>(List.of(
                command.toString(),
                "--",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-Drdma.device=rxe0",
                "-Drdma.gid=1",
                // The guest has two processors and runs one thread of a process at a time.
                "-Dit.pin=0,1",
                "-D" + Progress.TERMINAL + "=" + Progress.onTerminal(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        words.addAll(arguments);
        var guest =
                new ProcessBuilder(words).directory(root.toFile()).inheritIO().redirectInput(Redirect.PIPE);
        guest.environment().put("RDMA_GUEST_TIMEOUT", TIMEOUT_SECONDS);
        Process process = guest.start();
        try {
            return process.waitFor();
        } finally {
            // Destroy lets the process end the guest; a forced kill would leave the guest running.
            process.destroy();
        }
    }
}
