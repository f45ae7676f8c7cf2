package io.tensorferry.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Loads a system library for generated bindings, once for the lifetime of the process.
final class LibraryLoader {
    /// @param name the common name of the library
    /// @param fileName its soname
    /// @param pathProperty the system property with the path of another file
    /// @param functions the functions that it must have, which determine its version
    /// @param version as in "it is not VERSION or newer"
    /// @param source as in "is not installed (SOURCE)"
    /// @param firstUse triggers the initialiser of the generated class
    record Wanted(
            String name,
            String fileName,
            String pathProperty,
            List<String> functions,
            String version,
            String source,
            Runnable firstUse) {}

    /// The reason that the library cannot be used.
    record Failure(String reason, @Nullable Throwable cause) {}

    private final Wanted wanted;
    private final @Nullable String path;
    private @Nullable SymbolLookup symbols;
    private final @Nullable Failure failure;

    LibraryLoader(Wanted wanted) {
        this.wanted = wanted;
        this.path = System.getProperty(wanted.pathProperty());
        this.failure = load();
    }

    /// Null if the library is loaded.
    @Nullable
    Failure failure() {
        return failure;
    }

    boolean has(String function) {
        return address(function) != null;
    }

    /// Returns the address of a function; null if the library is not loaded or does not have the function.
    @Nullable
    MemorySegment address(String function) {
        return symbols == null ? null : symbols.find(function).orElse(null);
    }

    private @Nullable Failure load() {
        String unfit = Platform.obstacle(wanted.name(), System.getProperty("os.name"), System.getProperty("os.arch"));
        if (unfit != null) {
            return new Failure(unfit, null);
        }
        try {
            // Loaded here first: the generated class looks the library up by soname, and the system then uses the
            // loaded library of this soname.
            symbols = path == null
                    ? SymbolLookup.libraryLookup(wanted.fileName(), Arena.global())
                    : SymbolLookup.libraryLookup(Path.of(path), Arena.global());
        } catch (IllegalCallerException e) {
            return new Failure(NativeAccess.denied(), e);
        } catch (IllegalArgumentException e) {
            return new Failure(notFound(), e);
        }
        for (String function : wanted.functions()) {
            if (!has(function)) {
                return new Failure(
                        (path == null ? wanted.fileName() : path) + " has no " + function + ": " + wanted.version()
                                + " or newer is needed",
                        null);
            }
        }
        try {
            wanted.firstUse().run();
        } catch (ExceptionInInitializerError e) {
            return new Failure(
                    path + ", the system property " + wanted.pathProperty() + ", does not have the soname "
                            + wanted.fileName(),
                    e.getCause());
        }
        return null;
    }

    private String notFound() {
        return path == null
                ? wanted.fileName() + " is not installed (" + wanted.source() + "); the system property "
                        + wanted.pathProperty() + " sets another path"
                : "the system property " + wanted.pathProperty() + " is " + path
                        + ", which cannot be loaded; it must be the path of a " + wanted.fileName();
    }
}
