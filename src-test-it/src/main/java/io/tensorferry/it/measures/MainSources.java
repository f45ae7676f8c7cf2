package io.tensorferry.it.measures;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/// The files and lines of each package in the main sources of all modules but `src-test-it`. Generated sources do not
/// count. Every line of a file counts, comments and empty lines too.
final class MainSources {
    private static final String SOURCES = "src/main/java";
    private static final String LEFT_OUT = "src-test-it";

    /// @param files the number of `.java` files, `package-info.java` and `module-info.java` included
    record Size(int files, int lines) {
        static final Size NONE = new Size(0, 0);

        Size plus(Size other) {
            return new Size(files + other.files, lines + other.lines);
        }
    }

    private MainSources() {}

    /// The sizes by package, in the order of the packages' names. The empty name stands for the module descriptors.
    ///
    /// @param root the folder of the repository
    static SortedMap<String, Size> of(Path root) throws IOException {
        var packages = new TreeMap<String, Size>();
        try (Stream<Path> modules = Files.list(root)) {
            List<Path> sources = modules.filter(module -> !module.endsWith(LEFT_OUT))
                    .map(module -> module.resolve(SOURCES))
                    .filter(Files::isDirectory)
                    .toList();
            for (Path source : sources) {
                add(source, packages);
            }
        }
        return packages;
    }

    private static void add(Path source, SortedMap<String, Size> packages) throws IOException {
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String name =
                        source.relativize(file.resolveSibling("")).toString().replace('/', '.');
                packages.merge(name, new Size(1, Files.readAllLines(file).size()), Size::plus);
            }
        }
    }
}
