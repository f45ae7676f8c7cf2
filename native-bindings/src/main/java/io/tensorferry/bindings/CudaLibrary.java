package io.tensorferry.bindings;

import org.jspecify.annotations.Nullable;

/// Whether this process can use the CUDA driver's library; found out once, and loaded only when somebody asks.
///
/// The class [Cuda][io.tensorferry.bindings.cuda.Cuda] may be touched only where this says [Present]: it loads the
/// library when it is initialised, and a class whose initialiser failed cannot be tried again.
public sealed interface CudaLibrary {
    /// The system property with the path of the library, where the system's own search is not wanted. The file's
    /// own name for itself (its soname) must be `libcuda.so.1`.
    String PATH_PROPERTY = "io.tensorferry.libcuda";

    /// The library is loaded. Whether it finds a GPU is another question.
    record Present() implements CudaLibrary {
        /// Whether the library has a function that not all versions have.
        public boolean has(String function) {
            return CudaLoader.has(function);
        }
    }

    /// The library cannot be used.
    ///
    /// @param reason what is in the way and what would help, for the user
    /// @param cause what the system said
    record Absent(String reason, @Nullable Throwable cause) implements CudaLibrary {}

    static CudaLibrary find() {
        return CudaLoader.LIBRARY;
    }
}
