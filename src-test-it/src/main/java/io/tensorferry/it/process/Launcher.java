package io.tensorferry.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// The launching process, as seen by a child: it sends commands as lines of standard input and reads lines of standard
/// output.
///
/// A child does not outlive its launcher: when standard input ends for any reason, this process ends at once.
///
/// Threading: any thread.
public final class Launcher {
    /// The exit status of a child whose launcher is gone.
    public static final int ORPHANED = 71;

    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();

    private Launcher() {}

    /// Connects to the launcher. A child's main method calls this once, first.
    public static Launcher connect() {
        var launcher = new Launcher();
        Thread.ofPlatform().daemon().name("launcher").start(launcher::read);
        return launcher;
    }

    private void read() {
        try (var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                commands.add(line);
            }
        } catch (IOException _) {
            // An input error counts as the end of input.
        }
        Runtime.getRuntime().halt(ORPHANED);
    }

    /// Writes one line to the launcher.
    public void tell(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /// Waits for the next command.
    public String awaitCommand() throws InterruptedException {
        return commands.take();
    }

    /// Waits for the next command, which must equal `expected`.
    ///
    /// @throws IllegalStateException if it is another command
    public void awaitCommand(String expected) throws InterruptedException {
        String command = awaitCommand();
        if (!command.equals(expected)) {
            throw new IllegalStateException(
                    "the launcher said '" + command + "' where '" + expected + "' was expected");
        }
    }
}
