package io.tensorferry.bindings;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// One package of jextract's output, and the C header that it was made from.
///
/// @param headerClass the class that has the functions and constants; its initialiser loads the library, so nothing
/// here initialises it
/// @param include the header that C includes
record GeneratedPackage(Class<?> headerClass, String include) {
    /// The classes of this package's structs and unions, those within another class left out, in the order of their
    /// names.
    List<Class<?>> types() {
        return topLevel()
                .filter(type -> LayoutChecks.layoutOf(type).isPresent())
                .toList();
    }

    /// The sizes, alignments and offsets that the classes state.
    List<Check> layouts() {
        return types().stream().flatMap(type -> LayoutChecks.of(type).stream()).toList();
    }

    private Stream<Class<?>> topLevel() {
        try (Stream<Path> files = Files.list(Path.of(headerClass
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolve(headerClass.getPackageName().replace('.', '/')))) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(".class"))
                    .map(file -> file.substring(0, file.length() - ".class".length()))
                    .sorted()
                    .<Class<?>>map(this::load)
                    .filter(type -> !type.isMemberClass())
                    .toList()
                    .stream();
        } catch (IOException | URISyntaxException e) {
            throw new AssertionError("cannot list the classes of " + headerClass.getPackageName(), e);
        }
    }

    private Class<?> load(String name) {
        try {
            return Class.forName(headerClass.getPackageName() + "." + name, false, headerClass.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }
}
