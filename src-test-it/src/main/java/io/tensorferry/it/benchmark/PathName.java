package io.tensorferry.it.benchmark;

import java.util.List;
import java.util.stream.Stream;

/// A path as the command line names it: what it is, and behind an `@` what is particular about it, in parts with a
/// colon between them, as in `grpc+verbs@busy:chunk=4MiB`. A comma separates paths, and a semicolon would end the
/// shell's command.
///
/// @param plain what stands before the `@`
/// @param words the parts without a value, as `busy`
/// @param settings the parts with a value, as `chunk=4MiB`
public record PathName(String plain, List<String> words, List<String> settings) {
    private static final String PARTS = "@";
    private static final String SEPARATOR = ":";
    private static final String VALUE = "=";

    /// Takes a name apart; whether there is such a path, and such parts, is for others to say.
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

    /// The same with other settings.
    public PathName withSettings(List<String> others) {
        return new PathName(plain, words, others);
    }

    /// As [#parse] reads it.
    @Override
    public String toString() {
        List<String> parts = Stream.of(words, settings).flatMap(List::stream).toList();
        return parts.isEmpty() ? plain : plain + PARTS + String.join(SEPARATOR, parts);
    }
}
