package io.tensorferry.cuda;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.bindings.CudaLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The fake CUDA driver of `src/test/c/fakecuda.c`, compiled by this machine's `cc`. Its devices are host memory:
/// tests with it prove nothing about a GPU.
///
/// A process loads one driver only, so all tests of this module in the build's own JVM use this one.
@SuppressWarnings("restricted")
final class FakeDriver {
    private static final long COMPILER_LIMIT_S = 60;
    private static final Path BASE = Path.of(System.getProperty("basedir", ".")).toAbsolutePath();
    // Named from the folder of all modules, where the bundle has it too.
    private static final Path SOURCE = BASE.resolveSibling("transport-cuda").resolve("src/test/c/fakecuda.c");
    private static @Nullable FakeDriver loaded;
    private static @Nullable Path compiled;

    private final MethodHandle hold;
    private final MethodHandle fail;
    private final MethodHandle breakDevice;
    private final MethodHandle attribute;
    private final MethodHandle map;
    private final MethodHandle flags;
    private final MethodHandle count;
    private final MethodHandle reset;

    /// The counters of the fake, with their numbers.
    enum Count {
        ALLOCATIONS(0),
        REGISTRATIONS(1),
        STREAMS(2),
        EVENTS(3),
        EVENTS_MADE(4),
        CONTEXTS(5),
        FLUSHES(6),
        /// Allocations whose copies wait for each other.
        SYNCHRONOUS(7);

        private final int number;

        Count(int number) {
            this.number = number;
        }
    }

    private FakeDriver(SymbolLookup symbols) {
        hold = function(symbols, "fakecuda_hold", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT));
        fail = function(
                symbols,
                "fakecuda_fail",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        breakDevice = function(
                symbols, "fakecuda_break", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        attribute = function(
                symbols, "fakecuda_attribute", FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        map = function(symbols, "fakecuda_map", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));
        flags = function(
                symbols,
                "fakecuda_flags",
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        count = function(symbols, "fakecuda_count", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        reset = function(symbols, "fakecuda_reset", FunctionDescriptor.ofVoid());
    }

    private static MethodHandle function(SymbolLookup symbols, String name, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), descriptor);
    }

    /// The driver of this process. Without a compiler the test that asks is skipped.
    static synchronized FakeDriver load() {
        FakeDriver driver = loaded;
        if (driver == null) {
            Path library = library();
            System.setProperty(CudaLibrary.PATH_PROPERTY, library.toString());
            driver = new FakeDriver(SymbolLookup.libraryLookup(library, Arena.global()));
            loaded = driver;
        }
        return driver;
    }

    /// The compiled library. Without a compiler the test that asks is skipped.
    static synchronized Path library() {
        Path library = compiled;
        if (library == null) {
            library = compile("libcuda.so.1");
            compiled = library;
        }
        return library;
    }

    /// @param soname the name that the library has for itself
    static Path compile(String soname) {
        try {
            Path folder = Files.createTempDirectory(Files.createDirectories(BASE.resolve("target")), "fakecuda-");
            Path library = folder.resolve("libcuda.so.1");
            Path output = folder.resolve("output");
            Process compiler;
            try {
                compiler = new ProcessBuilder(List.of(
                                "cc",
                                "-std=gnu11",
                                "-O1",
                                "-Wall",
                                "-Wextra",
                                "-shared",
                                "-fPIC",
                                "-pthread",
                                "-Wl,-soname," + soname,
                                "-o",
                                library.toString(),
                                SOURCE.toString()))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
            } catch (IOException e) {
                assumeTrue(false, "the fake CUDA driver needs a C compiler `cc`, which is not installed here");
                throw e;
            }
            try {
                if (!compiler.waitFor(COMPILER_LIMIT_S, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                    throw new AssertionError(
                            "cc did not compile fakecuda.c:\n" + Files.readString(output, StandardCharsets.UTF_8));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while cc ran", e);
            } finally {
                compiler.descendants().forEach(ProcessHandle::destroyForcibly);
                compiler.destroyForcibly();
            }
            return library;
        } catch (IOException e) {
            throw new AssertionError("the fake CUDA driver cannot be written below target", e);
        }
    }

    private interface Call {
        @SuppressWarnings("IllegalThrows")
        void run() throws Throwable;
    }

    private static void call(Call call) {
        try {
            call.run();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// While the streams are held, none begins an operation.
    void holdStreams() {
        call(() -> {
            hold.invokeExact(1);
        });
    }

    void releaseStreams() {
        call(() -> {
            hold.invokeExact(0);
        });
    }

    /// The next call of a function, named without its version, fails.
    void failNext(String function, int code) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(function);
            call(() -> {
                int _ = (int) fail.invokeExact(name, code, 1);
            });
        }
    }

    /// From now on every call for the device fails.
    void breakDevice(int ordinal, int code) {
        call(() -> {
            breakDevice.invokeExact(ordinal, code);
        });
    }

    /// Changes an attribute of all devices.
    ///
    /// @param value less than 0: this driver does not know the attribute
    void setAttribute(int number, int value) {
        call(() -> {
            attribute.invokeExact(number, value);
        });
    }

    /// The allocation at this address is as one of `cuMemCreate`, or of a stream-ordered pool.
    void map(long address) {
        call(() -> {
            map.invokeExact(address);
        });
    }

    /// Changes the flags of a device's context; returns those before.
    int exchangeFlags(int ordinal, int now) {
        try {
            return (int) flags.invokeExact(ordinal, now);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    int count(Count what) {
        try {
            return (int) count.invokeExact(what.number);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /// Ends the effects of the methods above.
    void reset() {
        call(() -> {
            reset.invokeExact();
        });
    }
}
