package io.tensorferry.it.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A Java process with the JDK of this process and, by default, its class path. It ends when it is closed, or when this
/// process ends.
///
/// Its main method calls [Launcher#connect]. Standard error is merged into standard output.
///
/// Threading: any thread.
public final class ChildJvm implements AutoCloseable {
    /// The system property that names a file for `-XX:AOTCache`: a cache of the classes on this process' class path,
    /// for all descendants.
    public static final String CLASS_CACHE = "it.class.cache";

    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final Process process;
    private final ChildOutput output = new ChildOutput();

    private ChildJvm(Builder builder) {
        this.name = builder.name;
        try {
            this.process = builder.process().start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + builder.name, e);
        }
        if (builder.inheritOutput) {
            output.end();
        } else {
            output.readFrom(process.getInputStream(), name);
        }
    }

    /// Describes a process that runs `main`.
    public static Builder of(Class<?> main) {
        return new Builder(main);
    }

    public String name() {
        return name;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /// Sends a command, one line. Has no effect if the child has ended.
    public void send(String command) {
        try {
            process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException _) {
            // The thread that waits for the child reports its end.
        }
    }

    /// Waits for a line of output that starts with `prefix`, and returns it; each line is returned at most once.
    ///
    /// @throws ChildFailedException if the child ends or `limit` passes first
    public String awaitLine(String prefix, Duration limit) throws InterruptedException {
        String line = output.await(prefix, limit);
        if (line == null) {
            throw failed("wrote no line that starts with '" + prefix + "' within " + limit);
        }
        return line;
    }

    /// Waits until the child has ended with status 0.
    ///
    /// @throws ChildFailedException if the child ends with another status, or not within `limit`
    public void awaitSuccess(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
            throw failed("had not ended within " + limit);
        }
        if (process.exitValue() != 0) {
            throw failed("failed");
        }
    }

    /// Suspends the child, with all its threads, until [#resume].
    public void suspend() throws InterruptedException {
        signal("STOP");
    }

    /// Resumes a suspended child.
    public void resume() throws InterruptedException {
        signal("CONT");
    }

    private void signal(String name) throws InterruptedException {
        try {
            var _ = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run kill", e);
        }
    }

    /// Kills the child with SIGKILL, and returns when it is gone.
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
            throw failed("did not end when it was killed");
        }
    }

    /// The last 200 lines of output.
    public List<String> lastLines() {
        return output.lastLines();
    }

    /// Kills the child if it still runs.
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ChildFailedException failed(String what) throws InterruptedException {
        // Gives a child that is about to end the time to print the reason.
        boolean ended = process.waitFor(200, TimeUnit.MILLISECONDS);
        List<String> lines = lastLines();
        return new ChildFailedException(name + " (process " + pid() + ") " + what
                + (ended ? "; it ended with status " + process.exitValue() : "; it is still running")
                + (lines.isEmpty() ? "" : "; its last output:\n  " + String.join("\n  ", lines)));
    }

    /// Configures a child. For one thread.
    public static final class Builder {
        private final String main;
        private String name;
        private boolean inheritOutput;
        private final List<String> jvmArguments =
                new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        private final Map<String, String> environment = new HashMap<>();
        private final List<String> prefix = new ArrayList<>();
        private List<String> arguments = List.of();
        private String classPath = System.getProperty("java.class.path");

        private Builder(Class<?> main) {
            this.main = main.getName();
            this.name = main.getSimpleName();
        }

        /// Sets the name of the child in failure messages.
        public Builder name(String name) {
            this.name = name;
            return this;
        }

        /// Lets the child write to this process' output, instead of keeping its output.
        public Builder inheritOutput() {
            this.inheritOutput = true;
            return this;
        }

        /// Adds JVM arguments.
        public Builder jvmArguments(String... more) {
            this.jvmArguments.addAll(List.of(more));
            return this;
        }

        /// Sets an environment variable; all others are inherited.
        public Builder environment(String variable, String value) {
            this.environment.put(variable, value);
            return this;
        }

        /// Runs the child at another place than this process.
        public Builder place(Place place) {
            this.prefix.addAll(place.prefix());
            this.environment.putAll(place.environment());
            return this;
        }

        /// Replaces the class path of this process.
        public Builder classPath(String classPath) {
            this.classPath = classPath;
            return this;
        }

        /// Sets the arguments of the main method.
        public Builder arguments(String... arguments) {
            this.arguments = List.of(arguments);
            return this;
        }

        public ChildJvm start() {
            return new ChildJvm(this);
        }

        private ProcessBuilder process() {
            var command = new ArrayList<>(prefix);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(jvmArguments);
            command.addAll(Place.jvmArguments());
            String cache = System.getProperty(CLASS_CACHE);
            if (cache != null) {
                command.addAll(List.of("-XX:AOTCache=" + cache, "-D" + CLASS_CACHE + "=" + cache));
            }
            command.addAll(List.of("-cp", classPath, main));
            command.addAll(arguments);
            var process = new ProcessBuilder(command).redirectErrorStream(!inheritOutput);
            process.environment().putAll(environment);
            if (inheritOutput) {
                process.redirectOutput(ProcessBuilder.Redirect.INHERIT).redirectError(ProcessBuilder.Redirect.INHERIT);
            }
            return process;
        }
    }
}
