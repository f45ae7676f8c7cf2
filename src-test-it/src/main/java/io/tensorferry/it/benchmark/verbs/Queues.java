package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.PathName;
import java.util.List;
import java.util.regex.Pattern;

/// The number of queue pairs and of work requests per post call, the same for the C programs (`--qp`, `--post_list`)
/// and for this library. A path's name contains them, as in `raw-write@q4l16`. A C program's name may also contain the
/// work requests in flight on each queue pair (`--tx-depth`), as in `ib_read@q8l128t2048`.
///
/// @param lanes queue pairs, 1 or more
/// @param list work requests per post call, 1 or more
/// @param depth work requests in flight on each queue pair, `list` or more; 0 to derive it from the message's size
record Queues(int lanes, int list, int depth) {
    static final Queues ONE = new Queues(1, 1);

    private static final Pattern FORM = Pattern.compile("(?:q([1-9]\\d?))?(?:l([1-9]\\d{0,2}))?(?:t([1-9]\\d{0,3}))?");

    /// Derives the depth from the message's size.
    Queues(int lanes, int list) {
        this(lanes, list, 0);
    }

    Queues {
        if (depth > 0 && depth < list) {
            throw new IllegalArgumentException("a list of " + list + " work requests, and " + depth + " under way");
        }
    }

    /// Parses the variations of a path's name.
    ///
    /// @throws IllegalArgumentException if a part of the name without a value is not of the form `q4`, `l16`, `q4l16`
    ///     or `q8l128t2048`, or if there are several such parts
    static Queues of(PathName path) {
        if (path.words().isEmpty()) {
            return ONE;
        }
        String word = String.join(":", path.words());
        var matcher = FORM.matcher(word);
        if (word.isEmpty() || !matcher.matches()) {
            throw new IllegalArgumentException(
                    "'" + word + "' is not of the form q4 (queue pairs), l16 (requests in a list), q4l16 or "
                            + "q8l128t2048 (requests under way)");
        }
        return new Queues(number(matcher.group(1), 1), number(matcher.group(2), 1), number(matcher.group(3), 0));
    }

    private static int number(String text, int usual) {
        return text == null ? usual : Integer.parseInt(text);
    }

    /// The name of a path with these queues and no other variations.
    String on(String plainPath) {
        String word = (lanes == 1 ? "" : "q" + lanes) + (list == 1 ? "" : "l" + list) + (depth == 0 ? "" : "t" + depth);
        return new PathName(plainPath, word.isEmpty() ? List.of() : List.of(word), List.of()).toString();
    }
}
