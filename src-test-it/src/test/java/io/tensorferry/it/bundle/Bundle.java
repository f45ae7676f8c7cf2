package io.tensorferry.it.bundle;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// Makes `tensorferry-gpu.tar.gz`: a Java runtime, the command line, and the tests with what runs them.
///
/// | in it | is |
/// |---|---|
/// | `bin` | the scripts of this module's `bundle/bin` |
/// | `java` | a runtime of the JDK that makes the bundle, with the modules that the rest needs |
/// | `lib` | what an application with GPUs has: the class path of the command line |
/// | `lib/command-line` | where its log goes |
/// | `lib/tests` | the tests of this module and of transport-cuda, JUnit, and what they need |
/// | `src-test-it`, `transport-cuda` | files that tests read |
///
/// Everything is named from the bundle's own folder, so it may be unpacked anywhere.
final class Bundle {
    private static final String NAME = "tensorferry-gpu";
    private static final Path MODULE =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    private static final Path ROOT = MODULE.resolveSibling("");
    private static final String BACKEND = "slf4j-simple-";

    /// What benchmarks compare with, and what tests of other things need: a third of what the bundle would be.
    private static final List<String> LEFT_OUT = List.of(
            "Java-WebSocket-",
            "archunit-",
            "arrow-",
            "asm-",
            "atomicfu-",
            "byte-buddy-agent-",
            "commons-",
            "flatbuffers-",
            "flight-",
            "grpc-netty-",
            "jackson-",
            "jmh-",
            "jopt-",
            "jucx-",
            "kotlin",
            "lincheck-",
            "netty-",
            "protobuf-java-util-");

    private final Path folder;
    private final JavaTools tools;
    private final Set<String> artifacts = new HashSet<>();

    private Bundle(Path folder, JavaTools tools) {
        this.folder = folder;
        this.tools = tools;
    }

    /// @param arguments the folder for the bundle, the version of this build, and the time that all files get
    public static void main(String[] arguments) throws IOException {
        Path archive = make(Path.of(arguments[0]), new JavaTools(arguments[1], arguments[2]));
        System.out.println(archive + ": " + Files.size(archive) / 1_000_000 + " MB");
    }

    /// Makes it in a folder, and removes what that folder held before.
    static Path make(Path output, JavaTools tools) throws IOException {
        delete(output);
        Path folder = output.resolve(NAME);
        new Bundle(folder, tools).fill();
        return tools.pack(folder);
    }

    private void fill() throws IOException {
        Path cli = ROOT.resolve("cli/target");
        List<Path> commandLine = Stream.concat(
                        Stream.of(cli.resolve("classes")),
                        entries(Files.readString(cli.resolve("runtime-class-path"))).stream())
                .toList();
        List<Path> tests = entries(System.getProperty("java.class.path"));

        Predicate<Path> isBackend = entry -> name(entry).startsWith(BACKEND);
        copy(commandLine.stream().filter(isBackend.negate()), ".", "lib");
        copy(commandLine.stream().filter(isBackend), ".", "lib/command-line");
        copy(tests.stream().filter(entry -> LEFT_OUT.stream().noneMatch(name(entry)::startsWith)), ".", "lib/tests");
        // The settings of JUnit and of the log are those of this module.
        copy(Stream.of(ROOT.resolve("transport-cuda/target/test-classes")), "io", "lib/tests");
        tools.runtime(jars(), folder.resolve("java"));

        for (String script : List.of("gpu-benchmark", "gpu-tests", "tensorferry")) {
            place(MODULE.resolve("bundle/bin").resolve(script), "bin/" + script);
        }
        place(ROOT.resolve("LICENSE"), "LICENSE");
        place(ROOT.resolve("transport-cuda/src/test/c/fakecuda.c"), "transport-cuda/src/test/c/fakecuda.c");
        Files.createDirectories(folder.resolve("src-test-it"));
    }

    private static List<Path> entries(String classPath) {
        return Stream.of(classPath.strip().split(File.pathSeparator))
                .map(Path::of)
                .toList();
    }

    /// Copies jars, and makes some of folders with classes. An artifact that is there already is left out, whatever its
    /// version: the tests run with what applications get.
    ///
    /// @param what the part of a folder that its jar gets
    private void copy(Stream<Path> entries, String what, String where) throws IOException {
        Path target = Files.createDirectories(folder.resolve(where));
        for (Path entry : entries.toList()) {
            if (!artifacts.add(artifact(entry))) {
                continue;
            }
            if (Files.isDirectory(entry)) {
                tools.jar(entry, what, target.resolve(name(entry)));
            } else {
                Files.copy(entry, target.resolve(name(entry)));
            }
        }
    }

    /// As `tensorferry-cli.jar` for `cli/target/classes`, `tensorferry-src-test-it-tests.jar` for its
    /// `target/test-classes`; the file's own name for a jar.
    private static String name(Path entry) {
        if (!Files.isDirectory(entry)) {
            return entry.getFileName().toString();
        }
        Path module = entry.getParent().resolveSibling("").getFileName();
        return "tensorferry-" + module + (entry.endsWith("test-classes") ? "-tests" : "") + ".jar";
    }

    /// The name without the version.
    private static String artifact(Path entry) {
        return name(entry).replaceFirst("(-\\d[^/]*)?\\.jar$", "");
    }

    private List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    private void place(Path file, String where) throws IOException {
        Path target = folder.resolve(where);
        Files.createDirectories(target.getParent());
        Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : new TreeSet<>(files.toList()).descendingSet()) {
                Files.delete(file);
            }
        }
    }
}
