package io.tensorferry.it.interop;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/// What the two workers of a [PeerPair] printed, line by line. Immutable.
record PeerReport(List<String> java, List<String> python) {
    /// How often something happened to the requests of the Python worker, in all its lives.
    ///
    /// @param kind as `interop/python/README.md` lists them for `--lose`
    long events(String kind) {
        return sum(python, "^events.* " + Pattern.quote(kind) + "=(\\d+)");
    }

    /// A number of the statistics of the Java worker, by its name there.
    long statistic(String name) {
        return sum(java, "\\b" + Pattern.quote(name) + "=(\\d+)");
    }

    /// Contents that came to the Python worker in messages.
    long carriedByJava() {
        return events("landed-carried") + events("landed-announced");
    }

    /// Contents that the Python worker put into messages.
    long carriedByPython() {
        return events("carrying") + events("carrying-announced");
    }

    /// Contents that came to the Python worker, or went, by writes of their own.
    long written() {
        return events("landed") + events("writing") + events("writing-large");
    }

    private static long sum(List<String> lines, String pattern) {
        Pattern compiled = Pattern.compile(pattern);
        List<MatchResult> found =
                lines.stream().flatMap(line -> compiled.matcher(line).results()).toList();
        if (found.isEmpty()) {
            throw new AssertionError("no line matches " + pattern);
        }
        return found.stream().mapToLong(match -> Long.parseLong(match.group(1))).sum();
    }
}
