package io.tensorferry.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the documentation names is there.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DocumentationTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("..").normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)(#[^)]*)?\\)");
    private static final Pattern PARENT = Pattern.compile("\\bclass \\w+ extends (\\w+)");
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT|Contract))#(\\w+)`");

    @Test
    void everyLinkLeadsToAFile() throws IOException {
        var broken = new TreeSet<String>();
        for (Path page : pages()) {
            LINK.matcher(Files.readString(page))
                    .results()
                    .map(link -> link.group(1))
                    .forEach(target -> {
                        if (!target.contains("://") && !Files.exists(page.resolveSibling(target))) {
                            broken.add(ROOT.relativize(page) + " -> " + target);
                        }
                    });
        }
        assertThat(broken).isEmpty();
    }

    @Test
    void everyTestThatIsNamedExists() throws IOException {
        Map<String, String> sources = testSources();
        var missing = new TreeSet<String>();
        for (Path page : pages()) {
            TEST.matcher(Files.readString(page)).results().forEach(test -> {
                if (!hasTest(test.group(1), test.group(2), sources)) {
                    missing.add(test.group());
                }
            });
        }
        assertThat(missing).isEmpty();
    }

    /// Whether the class has the method, or one that it extends.
    private static boolean hasTest(String className, String method, Map<String, String> sources) {
        String source = sources.getOrDefault(className, "");
        if (source.contains(" " + method + "(")) {
            return true;
        }
        Matcher parent = PARENT.matcher(source);
        return parent.find() && hasTest(parent.group(1), method, sources);
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
                    .filter(page -> page.toString().endsWith(".md"))
                    .toList();
        }
    }

    /// Test classes of all modules, by simple name.
    private static Map<String, String> testSources() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .flatMap(DocumentationTest::walk)
                    .filter(file -> file.toString().endsWith(".java"))
                    .collect(Collectors.toMap(
                            file -> file.getFileName().toString().replace(".java", ""),
                            DocumentationTest::read,
                            String::concat));
        }
    }

    private static Stream<Path> walk(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
