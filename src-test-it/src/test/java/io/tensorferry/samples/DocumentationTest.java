package io.tensorferry.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// What the documentation names is there.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DocumentationTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", ".")).resolve("..").normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#]+)(#[^)]*)?\\)");
    private static final Pattern PARENT = Pattern.compile("\\bclass \\w+ extends (\\w+)");
    private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```\n");
    private static final Pattern TYPE = Pattern.compile("(?m)^public final class (\\w+)");
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

    /// A block of Java that begins with imports is complete: a class, members of one, or statements.
    @Test
    void everyCompleteExampleCompiles(@TempDir Path output) throws IOException {
        var refused = new TreeMap<String, String>();
        for (Path page : pages()) {
            for (MatchResult block :
                    JAVA.matcher(Files.readString(page)).results().toList()) {
                if (block.group(1).startsWith("import ")) {
                    String errors = compile(block.group(1), output);
                    if (!errors.isEmpty()) {
                        refused.put(ROOT.relativize(page) + ": " + block.group(1), errors);
                    }
                }
            }
        }
        assertThat(refused).isEmpty();
    }

    /// What the compiler reports; empty if one of the three readings compiles.
    private static String compile(String example, Path output) {
        if (TYPE.matcher(example).find()) {
            return errorsOf(example, output);
        }
        var parts = example.lines().collect(Collectors.partitioningBy(line -> line.startsWith("import ")));
        String imports = String.join("\n", parts.get(true));
        String body = String.join("\n", parts.get(false));
        String asMembers = errorsOf(imports + "\nclass Example {\n" + body + "\n}\n", output);
        return asMembers.isEmpty()
                ? ""
                : errorsOf(imports + "\nclass Example {\nvoid run() throws Exception {\n" + body + "\n}\n}\n", output);
    }

    private static String errorsOf(String source, Path output) {
        Matcher type = TYPE.matcher(source);
        URI name = URI.create("string:///" + (type.find() ? type.group(1) : "Example") + ".java");
        var file = new SimpleJavaFileObject(name, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
        var errors = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-d", output.toString(), "-classpath", System.getProperty("java.class.path"));
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(errors, null, null, options, null, List.of(file))
                .call();
        return compiled ? "" : errors.toString();
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
