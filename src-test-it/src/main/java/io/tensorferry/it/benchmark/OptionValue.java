package io.tensorferry.it.benchmark;

import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Converts values of the command line, with their own error messages.
public final class OptionValue {
    private OptionValue() {}

    /// @param parse throws [IllegalArgumentException] for an invalid text; the user sees only its message
    public static <T> ITypeConverter<T> by(Function<String, T> parse) {
        return text -> {
            try {
                return parse.apply(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        };
    }
}
