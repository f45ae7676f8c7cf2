package io.tensorferry.bindings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/// Temporary directories below `target`: a build may execute programs there, which is not true of every
/// `/tmp`.
final class TargetDirectory implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context) throws IOException {
        Path target = Path.of(System.getProperty("basedir", "."), "target").toAbsolutePath();
        return Files.createTempDirectory(Files.createDirectories(target), "c-");
    }
}
