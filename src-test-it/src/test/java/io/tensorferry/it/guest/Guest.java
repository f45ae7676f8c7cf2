package io.tensorferry.it.guest;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/// The guest, as tests on the host use it: one command in a guest of its own.
///
/// Threading: any thread; guests may run beside each other.
public final class Guest {
    /// The device on which a command finds itself alone.
    public static final String DEVICE = "rxe0";

    /// The address of [#DEVICE].
    public static final String ADDRESS = "10.99.0.1";

    static final Path MODULE = Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    static final Path SCRIPT = MODULE.resolve("guest/rdma-guest");
    static final Path LOGS = MODULE.resolve("target/guest");
    private static final Duration CHECK_LIMIT = Duration.ofMinutes(2);
    private static final Duration BUILD_LIMIT = Duration.ofMinutes(45);

    private Guest() {}

    /// Whether the guest can run.
    ///
    /// The first call in a process looks, which takes a second or two; where only the guest's kernel has still to be
    /// built it builds it, in some minutes.
    static boolean isThere() {
        return Obstacle.FOUND == null;
    }

    /// Skips the test that calls it where the guest cannot run, and says why. Looks as [#isThere] does.
    ///
    /// @throws TestAbortedException if the guest cannot run here
    public static void assumeThere() {
        String obstacle = Obstacle.FOUND;
        if (obstacle != null) {
            throw new TestAbortedException(obstacle);
        }
    }

    /// Describes a run of `command`.
    public static GuestCommand command(String name, List<String> command) {
        return new GuestCommand(name, command);
    }

    /// The command line of a Java process with this one's JDK and classes, for a guest.
    ///
    /// The first call in a process packs and caches the classes ([GuestClasses]), which takes some seconds.
    public static List<String> java(Class<?> main, List<String> jvmArguments, List<String> arguments) {
        GuestClasses classes = GuestClasses.here();
        var all = new ArrayList<>(classes.jvmArguments());
        all.addAll(jvmArguments);
        return java(classes.classPath(), main, all, arguments);
    }

    /// The command line of a Java process with this one's JDK, for the host or a guest.
    static List<String> java(String classPath, Class<?> main, List<String> jvmArguments, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        command.add("-XX:ErrorFile=" + LOGS.resolve("hs_err_%p.log"));
        command.addAll(jvmArguments);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(arguments);
        return command;
    }

    /// Why the guest cannot run. Looked for once.
    private static final class Obstacle {
        private static final @Nullable String FOUND = find();

        private static @Nullable String find() {
            if (!Boolean.parseBoolean(System.getProperty("rdma.guest", "true"))) {
                return "the guest is switched off (-Drdma.guest=false)";
            }
            GuestResult check;
            try {
                check = run("check", List.of(SCRIPT.toString(), "--check"), CHECK_LIMIT);
            } catch (UncheckedIOException e) {
                return "the guest cannot run: " + e.getCause().getMessage();
            }
            String line = String.join(" ", check.output());
            if (check.status() != 0) {
                return line.isEmpty() ? "the guest cannot run: rdma-guest --check says nothing" : line;
            }
            return line.startsWith("ready") ? null : build(line);
        }

        private static @Nullable String build(String line) {
            System.out.println("rdma-guest: " + line);
            GuestResult built = run("build", List.of(SCRIPT.toString(), "true"), BUILD_LIMIT);
            return built.status() == 0 ? null : "the guest's kernel could not be built:" + built.logTail();
        }

        private static GuestResult run(String name, List<String> command, Duration limit) {
            return new GuestCommand(name, command).onHost().limit(limit).run();
        }
    }
}
