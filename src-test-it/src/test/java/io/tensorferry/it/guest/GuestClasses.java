package io.tensorferry.it.guest;

import io.tensorferry.it.process.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/// The class path of the JVMs in the guest, and a cache of its classes that is made on the host beforehand, once in a
/// process.
///
/// In the guest each system call and each first touch of a page is dear. A JVM that reads, verifies and links all its
/// classes by itself needs longer for that than most tests with several processes do for the rest.
///
/// @param classPath this process' class path, with a jar in place of each directory: a cache has the classes of jars
/// @param cache the file, as `-XX:AOTCache` takes it. A JVM that cannot use it, or finds none, goes on without
record GuestClasses(String classPath, Path cache) {
    private static final Path FOLDER = Guest.LOGS.resolve("classes");
    private static final Duration LIMIT = Duration.ofMinutes(3);

    /// What they are in this process. The first call makes them, in some seconds.
    static GuestClasses here() {
        return Made.HERE;
    }

    private static final class Made {
        private static final GuestClasses HERE = make();
    }

    private static GuestClasses make() {
        var classes = new GuestClasses(inJars(System.getProperty("java.class.path")), FOLDER.resolve("cache.aot"));
        try {
            Files.deleteIfExists(classes.cache);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        var command = new ArrayList<>(List.of("env", "RDMA_DEVICE=soft0"));
        command.addAll(Guest.java(
                classes.classPath,
                GuestSuite.class,
                // With the collector that a JVM takes where it has one processor. And without profiles of the methods,
                // which have short processes compile, from the beginning, what they soon no longer use.
                List.of("-XX:AOTCacheOutput=" + classes.cache, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                List.of(Rehearsal.class.getName())));
        GuestResult result =
                new GuestCommand("classes", command).onHost().limit(LIMIT).run();
        if (!Files.exists(classes.cache)) {
            System.out.println("rdma-guest: no cache of classes, tests take longer; status " + result.status() + ":\n  "
                    + String.join("\n  ", result.output()) + result.logTail());
        }
        return classes;
    }

    private static String inJars(String classPath) {
        var entries = new ArrayList<String>();
        for (String entry : classPath.split(File.pathSeparator)) {
            entries.add(Files.isDirectory(Path.of(entry)) ? jar(entry, entries.size()) : entry);
        }
        return String.join(File.pathSeparator, entries);
    }

    private static String jar(String directory, int number) {
        String jar = FOLDER.resolve(number + ".jar").toString();
        try {
            Files.createDirectories(FOLDER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int status = ToolProvider.findFirst("jar")
                .orElseThrow()
                .run(System.out, System.err, "--create", "--no-compress", "--file", jar, "-C", directory, ".");
        if (status != 0) {
            throw new IllegalStateException("jar has not packed " + directory + ": status " + status);
        }
        return jar;
    }

    /// What makes a JVM, and those that it starts, use the cache.
    List<String> jvmArguments() {
        return List.of("-XX:AOTCache=" + cache, "-D" + ChildJvm.CLASS_CACHE + "=" + cache);
    }
}
