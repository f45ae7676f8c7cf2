package io.tensorferry.it.benchmark.verbs;

import java.util.regex.Pattern;

/// How many queue pairs there are, and how many work requests are handed over in one call; the same for the C programs
/// (`--qp`, `--post_list`) and for ours. A path's name says it: `raw-write@q4l16`.
///
/// @param lanes queue pairs, 1 or more
/// @param list work requests in one call, 1 or more
record Queues(int lanes, int list) {
    static final Queues ONE = new Queues(1, 1);

    private static final Pattern SUFFIX = Pattern.compile("(?:q([1-9]\\d?))?(?:l([1-9]\\d?))?");
    private static final String SEPARATOR = "@";

    /// Of a path.
    ///
    /// @throws IllegalArgumentException if what stands behind its `@` is not of the form `q4`, `l16` or `q4l16`
    static Queues of(String path) {
        int at = path.indexOf(SEPARATOR);
        if (at < 0) {
            return ONE;
        }
        var matcher = SUFFIX.matcher(path.substring(at + 1));
        if (at + 1 == path.length() || !matcher.matches()) {
            throw new IllegalArgumentException("path '" + path + "' does not end like @q4, @l16 or @q4l16");
        }
        return new Queues(number(matcher.group(1)), number(matcher.group(2)));
    }

    private static int number(String text) {
        return text == null ? 1 : Integer.parseInt(text);
    }

    /// The path without what says this.
    static String plain(String path) {
        int at = path.indexOf(SEPARATOR);
        return at < 0 ? path : path.substring(0, at);
    }

    /// The same of another path.
    String on(String plainPath) {
        if (equals(ONE)) {
            return plainPath;
        }
        return plainPath + SEPARATOR + (lanes == 1 ? "" : "q" + lanes) + (list == 1 ? "" : "l" + list);
    }
}
