package io.tensorferry.cli.check;

import io.tensorferry.cli.console.ByteSize;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Parses a size on the command line.
final class SizeConverter implements ITypeConverter<ByteSize> {
    @Override
    public ByteSize convert(String value) {
        try {
            return ByteSize.parse(value);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
