package io.tensorferry.it.benchmark;

import java.util.regex.Pattern;

/// A number of bytes in human-readable form: `4096`, `4KiB`, `1MiB`.
public record ByteSize(long bytes) {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})(|KiB|MiB|GiB)");
    private static final long UNIT = 1024;

    /// @throws IllegalArgumentException if `text` has another form
    public static ByteSize parse(String text) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("size '" + text + "' is not of the form 4096, 4KiB, 1MiB or 2GiB");
        }
        long factor = switch (matcher.group(2)) {
            case "KiB" -> UNIT;
            case "MiB" -> UNIT * UNIT;
            case "GiB" -> UNIT * UNIT * UNIT;
            default -> 1;
        };
        long number = Long.parseLong(matcher.group(1));
        if (number > Long.MAX_VALUE / factor) {
            throw new IllegalArgumentException("size '" + text + "' has 2^63 bytes or more");
        }
        return new ByteSize(number * factor);
    }

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
