package io.tensorferry.it.benchmark;

import java.util.List;
import java.util.stream.Stream;

/// A path's name on the command line: a plain name and, after an `@`, its variations, separated by colons, as in
/// `grpc+verbs@busy:chunk=4MiB`. Commas separate paths. Semicolons are avoided because they end a shell command.
///
/// @param plain the part before the `@`
/// @param words the variations without a value, for example `busy`
/// @param settings the variations with a value, for example `chunk=4MiB`
public record PathName(String plain, List<String> words, List<String> settings) {
    private static final String PARTS = "@";
    private static final String SEPARATOR = ":";
    private static final String VALUE = "=";

    /// Splits a name into its parts. Callers check whether the path and the variations exist.
    public static PathName parse(String text) {
        int at = text.indexOf(PARTS);
        if (at < 0) {
            return new PathName(text, List.of(), List.of());
        }
        List<String> parts = List.of(text.substring(at + 1).split(SEPARATOR, -1));
        return new PathName(
                text.substring(0, at),
                parts.stream().filter(part -> !part.contains(VALUE)).toList(),
                parts.stream().filter(part -> part.contains(VALUE)).toList());
    }

    /// Copies the name with other settings.
    public PathName withSettings(List<String> others) {
        return new PathName(plain, words, others);
    }

    /// The text that [#parse] reads.
    @Override
    public String toString() {
        List<String> parts = Stream.of(words, settings).flatMap(List::stream).toList();
        return parts.isEmpty() ? plain : plain + PARTS + String.join(SEPARATOR, parts);
    }
}
