package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.PathName;
import java.util.List;
import java.util.regex.Pattern;

/// How many queue pairs there are, and how many work requests are handed over in one call; the same for the C programs
/// (`--qp`, `--post_list`) and for ours. A path's name says it: `raw-write@q4l16`.
///
/// @param lanes queue pairs, 1 or more
/// @param list work requests in one call, 1 or more
record Queues(int lanes, int list) {
    static final Queues ONE = new Queues(1, 1);

    private static final Pattern FORM = Pattern.compile("(?:q([1-9]\\d?))?(?:l([1-9]\\d?))?");

    /// Of a path.
    ///
    /// @throws IllegalArgumentException if a part of its name that has no value is not of the form `q4`, `l16` or
    ///     `q4l16`, or if there are several
    static Queues of(PathName path) {
        if (path.words().isEmpty()) {
            return ONE;
        }
        String word = String.join(":", path.words());
        var matcher = FORM.matcher(word);
        if (word.isEmpty() || !matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + word + "' is not of the form q4 (queue pairs), l16 (requests in a " + "list) or q4l16");
        }
        return new Queues(number(matcher.group(1)), number(matcher.group(2)));
    }

    private static int number(String text) {
        return text == null ? 1 : Integer.parseInt(text);
    }

    /// The name of a path that has as many, and nothing else that is particular about it.
    String on(String plainPath) {
        String word = (lanes == 1 ? "" : "q" + lanes) + (list == 1 ? "" : "l" + list);
        return new PathName(plainPath, word.isEmpty() ? List.of() : List.of(word), List.of()).toString();
    }
}
