package io.tensorferry.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/// The process that started this one, seen from here: it sends commands as lines of standard input and reads lines
/// of standard output.
///
/// A child does not outlive its launcher: when standard input ends, for whatever reason, this process ends at once.
///
/// Threading: any thread.
public final class Launcher {
    /// The exit status of a child whose launcher is gone.
    public static final int ORPHANED = 71;

    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();

    private Launcher() {}

    /// To be called first, once, by the main method of a child.
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
            // As good as the end.
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

    /// Waits for the next command, which must be this one.
    ///
    /// @throws IllegalStateException if it is another one
    public void awaitCommand(String expected) throws InterruptedException {
        String command = awaitCommand();
        if (!command.equals(expected)) {
            throw new IllegalStateException(
                    "the launcher said '" + command + "' where '" + expected + "' was expected");
        }
    }
}
