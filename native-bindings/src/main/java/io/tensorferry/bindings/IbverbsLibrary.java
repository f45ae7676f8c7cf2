package io.tensorferry.bindings;

import org.jspecify.annotations.Nullable;

/// Whether this process can use libibverbs; found out once.
///
/// The class [Ibverbs][io.tensorferry.bindings.ibverbs.Ibverbs] may be touched only where this says [Present]: it loads
/// the library when it is initialised, and a class whose initialiser failed cannot be tried again.
public sealed interface IbverbsLibrary {
    /// The system property with the path of the library, where the system's own search is not wanted. The file's own
    /// name for itself (its soname) must be `libibverbs.so.1`.
    String PATH_PROPERTY = "io.tensorferry.libibverbs";

    /// The library is loaded.
    record Present() implements IbverbsLibrary {
        /// Whether the library has a function that not all versions have.
        public boolean has(String function) {
            return IbverbsLoader.has(function);
        }
    }

    /// The library cannot be used.
    ///
    /// @param reason what is in the way and what would help, for the user
    /// @param cause what the system said
    record Absent(String reason, @Nullable Throwable cause) implements IbverbsLibrary {}

    static IbverbsLibrary find() {
        return IbverbsLoader.LIBRARY;
    }
}
