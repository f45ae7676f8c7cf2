package io.tensorferry.it.measures;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The files and lines that count.
@Timeout(value = 20, unit = TimeUnit.SECONDS)
class MainSourcesTest {
    @TempDir
    private Path root;

    private void write(String file, int lines) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.write(path, Collections.nCopies(lines, "// a line"));
    }

    @Test
    void packagesOfSeveralModulesAreAddedUp() throws IOException {
        write("one/src/main/java/a/b/First.java", 3);
        write("two/src/main/java/a/b/Second.java", 4);
        write("two/src/main/java/a/b/c/Third.java", 5);
        assertThat(MainSources.of(root))
                .containsOnly(
                        Map.entry("a.b", new MainSources.Size(2, 7)), Map.entry("a.b.c", new MainSources.Size(1, 5)));
    }

    @Test
    void aModuleDescriptorHasNoPackage() throws IOException {
        write("one/src/main/java/module-info.java", 2);
        assertThat(MainSources.of(root)).containsEntry("", new MainSources.Size(1, 2));
    }

    @Test
    void testsAndOtherFilesAndTheModuleOfTheTestsDoNotCount() throws IOException {
        write("one/src/test/java/a/FirstTest.java", 1);
        write("one/src/main/java/a/notes.txt", 1);
        write("src-test-it/src/main/java/a/Sample.java", 1);
        assertThat(MainSources.of(root)).isEmpty();
    }
}
