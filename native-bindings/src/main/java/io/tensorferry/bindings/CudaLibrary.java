package io.tensorferry.bindings;

import org.jspecify.annotations.Nullable;

/// The availability of the CUDA driver library in this process; determined once, and loaded only on the first query.
///
/// Use the class [Cuda][io.tensorferry.bindings.cuda.Cuda] only if the library is [Present]: its initialiser loads the
/// library, and a class whose initialiser failed cannot be initialised again.
public sealed interface CudaLibrary {
    /// The system property with the path of the library, to bypass the system's own search. The file's soname must be
    /// `libcuda.so.1`.
    String PATH_PROPERTY = "io.tensorferry.libcuda";

    /// The library is loaded. This does not imply that it finds a GPU.
    record Present() implements CudaLibrary {
        /// Returns whether the library has a function that not all versions have.
        public boolean has(String function) {
            return CudaLoader.has(function);
        }
    }

    /// The library cannot be used.
    ///
    /// @param reason the obstacle and the remedy, for the user
    /// @param cause the exception of the system, if there was one
    record Absent(String reason, @Nullable Throwable cause) implements CudaLibrary {}

    static CudaLibrary find() {
        return CudaLoader.LIBRARY;
    }
}
