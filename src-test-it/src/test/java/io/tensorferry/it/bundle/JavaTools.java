package io.tensorferry.it.bundle;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor.Requires;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;

/// The tools that make a bundle: those of the JDK that this process runs on, and `tar`.
///
/// @param version what jars say that they are
/// @param time the time that all files get, so that two bundles of one build are the same; as `2026-01-01T00:00:00Z`
record JavaTools(String version, String time) {
    /// Some of them nothing in the jars names, and is needed: elliptic curves for TLS in JDKs where those are a module,
    /// jars as file systems, in which JUnit looks for tests.
    private static final List<String> ALWAYS = List.of(
            "java.base",
            "java.logging",
            "java.management",
            "java.naming",
            "jdk.crypto.ec",
            "jdk.management",
            "jdk.unsupported",
            "jdk.zipfs");

    /// Makes a jar of a folder with classes.
    ///
    /// @param what the part of the folder that it gets, `.` for all
    void jar(Path classes, String what, Path jar) throws IOException {
        Path manifest = Files.createTempFile("manifest", ".mf");
        try {
            Files.writeString(manifest, "Implementation-Version: " + version + "\n");
            run(
                    "jar",
                    "--create",
                    "--file=" + jar,
                    "--manifest=" + manifest,
                    "--date=" + time,
                    "-C",
                    classes.toString(),
                    what);
        } finally {
            Files.delete(manifest);
        }
    }

    /// Makes a Java runtime with the modules that these jars need.
    void runtime(List<Path> jars, Path target) {
        run(
                "jlink",
                "--add-modules=" + String.join(",", modules(jars)),
                "--strip-debug",
                "--no-header-files",
                "--no-man-pages",
                "--compress=zip-9",
                "--output=" + target);
    }

    /// The JDK's modules that jars need. Those that are modules say it themselves, and jdeps refuses those of them
    /// whose others it does not find as modules; the rest are read by jdeps.
    private static Set<String> modules(List<Path> jars) {
        var needed = new TreeSet<>(ALWAYS);
        var others = new ArrayList<String>();
        for (Path jar : jars) {
            ModuleReference module =
                    ModuleFinder.of(jar).findAll().stream().findAny().orElseThrow();
            if (module.descriptor().isAutomatic()) {
                others.add(jar.toString());
            } else {
                module.descriptor().requires().stream()
                        .filter(required -> !required.modifiers().contains(Requires.Modifier.STATIC))
                        .map(Requires::name)
                        .filter(name -> name.startsWith("java.") || name.startsWith("jdk."))
                        .forEach(needed::add);
            }
        }
        var arguments = new ArrayList<>(List.of(
                "--print-module-deps",
                "--ignore-missing-deps",
                "--multi-release=" + Runtime.version().feature(),
                "--class-path=" + String.join(File.pathSeparator, others)));
        arguments.addAll(others);
        needed.addAll(List.of(run("jdeps", arguments.toArray(String[]::new)).split(",")));
        return needed;
    }

    /// Packs a folder into an archive beside it, and returns that. It says nothing of who packed it.
    Path pack(Path folder) throws IOException {
        Path archive = folder.resolveSibling(folder.getFileName() + ".tar.gz");
        Process tar = new ProcessBuilder(
                        "tar",
                        "--create",
                        "--gzip",
                        "--file=" + archive,
                        "--directory=" + folder.getParent(),
                        "--sort=name",
                        "--mtime=@" + OffsetDateTime.parse(time).toEpochSecond(),
                        "--owner=0",
                        "--group=0",
                        "--numeric-owner",
                        folder.getFileName().toString())
                .redirectErrorStream(true)
                .start();
        try {
            String output = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (tar.waitFor() != 0) {
                throw new IOException("tar failed: " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while tar ran", e);
        } finally {
            tar.destroyForcibly();
        }
        return archive;
    }

    private static String run(String name, String... arguments) {
        ToolProvider tool = ToolProvider.findFirst(name)
                .orElseThrow(() -> new IllegalStateException("this Java has no " + name + "; a JDK has"));
        var output = new StringWriter();
        var writer = new PrintWriter(output);
        if (tool.run(writer, writer, arguments) != 0) {
            throw new IllegalStateException(name + " failed: " + output);
        }
        return output.toString().strip();
    }
}
