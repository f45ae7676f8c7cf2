package io.tensorferry.it.benchmark.ucx;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The UCX library, which JUCX's native part requires but does not bundle.
public final class UcxLibrary {
    private static final String NAME = "libucp.so.0";
    private static final List<String> FOLDERS =
            List.of("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib");

    private UcxLibrary() {}

    /// The reason why JUCX cannot be used here; null if it can.
    public static @Nullable String missing() {
        // Check for the file only: once loaded, the library remains in this process and starts threads.
        boolean there = FOLDERS.stream().anyMatch(folder -> Files.exists(Path.of(folder, NAME)));
        if (!there) {
            return NAME + " is not installed (Debian's libucx0)";
        }
        return System.getProperty("os.arch").equals("amd64") ? null : "JUCX has native code for x86-64 only";
    }
}
