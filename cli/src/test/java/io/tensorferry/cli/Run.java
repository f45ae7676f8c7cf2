package io.tensorferry.cli;

import io.tensorferry.api.Accelerator;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import picocli.CommandLine;

/// One run of the command in this process.
final class Run {
    private static final int LIMIT_SECONDS = 40;
    private static final Map<String, String> SOFTWARE = Map.of("RDMA_DEVICE", "soft0");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final Thread thread;
    private final CompletableFuture<Integer> status = new CompletableFuture<>();

    private Run(CommandLine commandLine, String[] arguments) {
        CommandLine command = commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        thread = Thread.ofPlatform().start(() -> status.complete(command.execute(arguments)));
    }

    /// Starts it on the software device.
    static Run start(String... arguments) {
        return start(SOFTWARE, arguments);
    }

    static Run start(Map<String, String> environment, String... arguments) {
        return new Run(TensorFerry.commandLine(environment), arguments);
    }

    /// Starts it on the software device.
    ///
    /// @param gpus opens a GPU by its number
    static Run start(IntFunction<Accelerator> gpus, String... arguments) {
        return new Run(TensorFerry.commandLine(SOFTWARE, gpus), arguments);
    }

    /// Waits for the end; returns the exit status.
    int status() throws Exception {
        try {
            return status.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            interrupt();
            throw new AssertionError("still running; so far: " + out() + err(), e);
        }
    }

    /// Ends the command as a signal does.
    void interrupt() {
        thread.interrupt();
    }

    /// Waits until something is in the output.
    Run awaitOutput(String text) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!out().contains(text)) {
            if (status.isDone() || System.nanoTime() > end) {
                throw new AssertionError("no '" + text + "' in: " + out() + err());
            }
            Thread.sleep(5);
        }
        return this;
    }

    String out() {
        return out.toString();
    }

    String err() {
        return err.toString();
    }
}
