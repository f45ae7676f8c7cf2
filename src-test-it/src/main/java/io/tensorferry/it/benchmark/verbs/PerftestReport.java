package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Transfer;
import java.util.List;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/// Parses the output of perftest's programs.
final class PerftestReport {
    private static final double MIB = 1 << 20;
    private static final Pattern SPACES = Pattern.compile("\\s+");
    private static final Pattern LATENCY = Pattern.compile("(\\d+), ([0-9.eE+-]+)");
    private static final String COLUMNS = "#bytes";
    private static final int AVERAGE = 3;
    private static final int RATE = 4;
    private static final int BANDWIDTH_COLUMNS = 5;
    private static final int KEPT_LINES = 40;

    private PerftestReport() {}

    /// Parses the line of a bandwidth program: bytes, iterations, peak and average in units of 2^20 bytes (which the
    /// program calls MB), millions of messages.
    ///
    /// @throws IllegalStateException if there is no such line for this size and count
    static Transfer throughput(List<String> output, long bytes, int count) {
        String[] result = output.stream()
                .dropWhile(line -> !line.strip().startsWith(COLUMNS))
                .map(line -> SPACES.split(line.strip()))
                .filter(words -> words.length == BANDWIDTH_COLUMNS
                        && words[0].equals(Long.toString(bytes))
                        && words[1].equals(Integer.toString(count)))
                .findFirst()
                .orElseThrow(() -> unreadable(output));
        double byAverage = Double.parseDouble(result[AVERAGE]) * MIB / bytes;
        double byRate = Double.parseDouble(result[RATE]) * 1e6;
        // Both columns give the same rate; use the column with more significant digits.
        double perSecond = digits(result[AVERAGE]) > digits(result[RATE]) ? byAverage : byRate;
        if (!(perSecond > 0)) {
            throw unreadable(output);
        }
        return Transfer.ofThroughput(count, bytes * count, Math.round(count / perSecond * 1e9));
    }

    /// Parses the unsorted latencies of a latency program, in microseconds, one for each message but one.
    ///
    /// @param part the divisor of the elapsed time that gives one latency: 2 for half round trips
    /// @throws IllegalStateException if there are none
    static Transfer latency(List<String> output, long bytes, int count, int part) {
        Histogram latenciesNs = Transfer.emptyHistogram();
        double totalNs = 0;
        for (String line : output) {
            var matcher = LATENCY.matcher(line);
            if (matcher.matches()) {
                double ns = Double.parseDouble(matcher.group(2)) * 1e3;
                latenciesNs.recordValue(Math.round(ns));
                totalNs += ns;
            }
        }
        int measured = (int) latenciesNs.getTotalCount();
        if (measured != count - 1) {
            throw unreadable(output);
        }
        return new Transfer(measured, bytes * measured, Math.round(totalNs * part), latenciesNs);
    }

    private static long digits(String number) {
        return number.chars()
                .filter(Character::isDigit)
                .dropWhile(digit -> digit == '0')
                .count();
    }

    private static IllegalStateException unreadable(List<String> output) {
        List<String> end = output.subList(Math.max(0, output.size() - KEPT_LINES), output.size());
        return new IllegalStateException("no result of perftest in:\n  " + String.join("\n  ", end));
    }
}
