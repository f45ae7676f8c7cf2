package io.tensorferry.bindings;

import io.tensorferry.bindings.cuda.Cuda;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Loads the CUDA driver's library when it is first asked for, and keeps what came of it.
final class CudaLoader {
    private static final String NAME = "libcuda.so.1";
    // From CUDA 11.3 and 11.4 on, of the year 2021.
    private static final List<String> NEEDED = List.of("cuFlushGPUDirectRDMAWrites", "cuDeviceGetUuid_v2");
    private static @Nullable SymbolLookup symbols;
    static final CudaLibrary LIBRARY = load();

    private CudaLoader() {}

    static boolean has(String function) {
        return symbols != null && symbols.find(function).isPresent();
    }

    private static CudaLibrary load() {
        String unfit = Platform.obstacle("libcuda", System.getProperty("os.name"), System.getProperty("os.arch"));
        if (unfit != null) {
            return new CudaLibrary.Absent(unfit, null);
        }
        String path = System.getProperty(CudaLibrary.PATH_PROPERTY);
        try {
            // Loaded here first, for as long as the process lives: the generated class asks for the name, and the
            // system then takes what is loaded under it.
            symbols = path == null
                    ? SymbolLookup.libraryLookup(NAME, Arena.global())
                    : SymbolLookup.libraryLookup(Path.of(path), Arena.global());
        } catch (IllegalCallerException e) {
            return new CudaLibrary.Absent(NativeAccess.denied(), e);
        } catch (IllegalArgumentException e) {
            return new CudaLibrary.Absent(path == null ? notFound() : notFound(path), e);
        }
        for (String function : NEEDED) {
            if (!has(function)) {
                return new CudaLibrary.Absent(
                        (path == null ? NAME : path) + " has no " + function
                                + ": it is not the CUDA driver of version 470 (CUDA 11.4) or newer, which is needed",
                        null);
            }
        }
        try {
            Cuda.cuInit$address();
        } catch (ExceptionInInitializerError e) {
            return new CudaLibrary.Absent(
                    path + ", of the system property " + CudaLibrary.PATH_PROPERTY + ", is not " + NAME
                            + " by its own name",
                    e.getCause());
        }
        return new CudaLibrary.Present();
    }

    private static String notFound() {
        return NAME + " is not installed (it comes with NVIDIA's driver, and in a container with NVIDIA's container"
                + " runtime); the system property " + CudaLibrary.PATH_PROPERTY + " names another place";
    }

    private static String notFound(String path) {
        return "the system property " + CudaLibrary.PATH_PROPERTY + " is " + path
                + ", which cannot be loaded; it must be the path of a " + NAME;
    }
}
