package io.tensorferry.it.benchmark;

import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Values of the command line that say themselves what is wrong with them.
public final class OptionValue {
    private OptionValue() {}

    /// @param parse refuses a text with an [IllegalArgumentException], whose message is all that the user is told
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
