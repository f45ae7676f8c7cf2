package io.tensorferry.it.benchmark.verbs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/// Runs one of perftest's programs once, with a server process and a client process. For one thread.
final class PerftestRun {
    private static final Duration LISTEN_LIMIT = Duration.ofSeconds(30);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);
    private static final Duration TURN = Duration.ofMillis(5);
    // The state LISTEN in /proc/net/tcp.
    private static final String LISTEN = "0A";
    private static final int ADDRESS_COLUMN = 1;
    private static final int STATE_COLUMN = 3;

    private PerftestRun() {}

    /// @param places the client runs at the source, the server at the target
    /// @param command the program and its options, the same for both
    /// @param port the TCP port over which the two exchange addresses
    /// @return the client's output
    /// @throws IllegalStateException if a process fails, or does not end in time
    static List<String> of(Places places, List<String> command, int port) throws InterruptedException {
        try {
            Path serverOutput = Files.createTempFile("perftest-server", ".txt");
            Path clientOutput = Files.createTempFile("perftest-client", ".txt");
            Process server = start(places.target().prefix(), command, List.of(), serverOutput);
            try {
                awaitListening(server, port, serverOutput);
                Process client = start(
                        places.source().prefix(),
                        command,
                        List.of(places.target().host()),
                        clientOutput);
                try {
                    awaitEnd(client, LIMIT, clientOutput);
                } finally {
                    client.destroyForcibly();
                }
                awaitEnd(server, END_LIMIT, serverOutput);
                return Files.readAllLines(clientOutput);
            } finally {
                server.destroyForcibly();
                Files.delete(serverOutput);
                Files.delete(clientOutput);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + command.getFirst(), e);
        }
    }

    private static Process start(List<String> prefix, List<String> command, List<String> more, Path output)
            throws IOException {
        var words = new ArrayList<>(prefix);
        words.addAll(command);
        words.addAll(more);
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    private static void awaitEnd(Process process, Duration limit, Path output)
            throws InterruptedException, IOException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failed("had not ended within " + limit, output);
        }
        if (process.exitValue() != 0) {
            throw failed("ended with status " + process.exitValue(), output);
        }
    }

    private static void awaitListening(Process server, int port, Path output) throws InterruptedException, IOException {
        long deadlineNs = System.nanoTime() + LISTEN_LIMIT.toNanos();
        while (!isListening(server, port)) {
            if (!server.isAlive() || System.nanoTime() > deadlineNs) {
                throw failed("did not listen on port " + port, output);
            }
            Thread.sleep(TURN);
        }
    }

    /// Checks the sockets of the server's network namespace; connecting instead would consume the only connection that
    /// the server accepts.
    private static boolean isListening(Process server, int port) throws IOException {
        Path sockets = Path.of("/proc", Long.toString(server.pid()), "net", "tcp");
        String end = String.format(Locale.ROOT, ":%04X", port);
        return Files.exists(sockets)
                && Files.readAllLines(sockets).stream()
                        .map(line -> line.strip().split(" +"))
                        .anyMatch(words -> words[ADDRESS_COLUMN].endsWith(end) && words[STATE_COLUMN].equals(LISTEN));
    }

    private static IllegalStateException failed(String what, Path output) throws IOException {
        return new IllegalStateException(
                "perftest " + what + "; it wrote:\n  " + String.join("\n  ", Files.readAllLines(output)));
    }
}
