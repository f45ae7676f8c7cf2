package io.tensorferry.cli.console;

import java.util.regex.Pattern;

/// A number of bytes in human-readable form: `4096`, `4KiB`, `1MiB`, `2GiB`.
public record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})(|KiB|MiB|GiB)");
    private static final long UNIT = 1024;

    /// @throws IllegalArgumentException if `text` has another form
    public static ByteSize parse(String text) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a size; write 4096, 4KiB, 1MiB or 2GiB");
        }
        long factor = switch (matcher.group(2)) {
            case "KiB" -> UNIT;
            case "MiB" -> UNIT * UNIT;
            case "GiB" -> UNIT * UNIT * UNIT;
            default -> 1;
        };
        return new ByteSize(Long.parseLong(matcher.group(1)) * factor);
    }

    /// The size in the largest unit that divides it, for example `4 KiB`.
    @Override
    public String toString() {
        String[] names = {"B", "KiB", "MiB", "GiB"};
        long value = bytes;
        int name = 0;
        while (name < names.length - 1 && value >= UNIT && value % UNIT == 0) {
            value /= UNIT;
            name++;
        }
        return value + " " + names[name];
    }
}
