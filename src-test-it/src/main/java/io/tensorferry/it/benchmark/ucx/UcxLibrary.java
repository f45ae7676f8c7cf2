package io.tensorferry.it.benchmark.ucx;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// UCX itself, which JUCX's native part needs and does not bring along.
public final class UcxLibrary {
    private static final String NAME = "libucp.so.0";
    private static final List<String> FOLDERS =
            List.of("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib");

    private UcxLibrary() {}

    /// Why JUCX cannot be used here; null where it can.
    public static @Nullable String missing() {
        // Looked for as a file: a library that was once loaded stays, and starts threads, in this process.
        boolean there = FOLDERS.stream().anyMatch(folder -> Files.exists(Path.of(folder, NAME)));
        if (!there) {
            return NAME + " is not installed (Debian's libucx0)";
        }
        return System.getProperty("os.arch").equals("amd64") ? null : "JUCX has native code for x86-64 only";
    }
}
