package io.tensorferry.bindings;

import org.jspecify.annotations.Nullable;

/// The availability of libibverbs in this process; determined once.
///
/// Use the class [Ibverbs][io.tensorferry.bindings.ibverbs.Ibverbs] only if the library is [Present]: its initialiser
/// loads the library, and a class whose initialiser failed cannot be initialised again.
public sealed interface IbverbsLibrary {
    /// The system property with the path of the library, to bypass the system's own search. The file's soname must be
    /// `libibverbs.so.1`.
    String PATH_PROPERTY = "io.tensorferry.libibverbs";

    /// The library is loaded.
    record Present() implements IbverbsLibrary {
        /// Returns whether the library has a function that not all versions have.
        public boolean has(String function) {
            return IbverbsLoader.has(function);
        }
    }

    /// The library cannot be used.
    ///
    /// @param reason the obstacle and the remedy, for the user
    /// @param cause the exception of the system, if there was one
    record Absent(String reason, @Nullable Throwable cause) implements IbverbsLibrary {}

    static IbverbsLibrary find() {
        return IbverbsLoader.LIBRARY;
    }
}
