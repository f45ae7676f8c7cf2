package io.tensorferry.verbs.placement;

import java.util.Arrays;
import java.util.List;

/// Divides the positions of a step into up to 64 slices in which about equally many spans begin. Immutable; any thread.
///
/// A span that lies only in earlier slices than another is never in use together with it. [LaidBlock] keeps words of
/// bits per slice for this test.
final class TimeSlices {
    private static final int MOST = 64;

    /// The last position of each slice except the last slice, ascending.
    private final int[] ends;

    private TimeSlices(int[] ends) {
        this.ends = ends;
    }

    /// @param spans at least one
    static TimeSlices of(List<Span> spans) {
        int[] firsts = spans.stream().mapToInt(Span::first).sorted().toArray();
        var ends = new int[MOST - 1];
        int count = 0;
        for (int slice = 1; slice < MOST; slice++) {
            int end = firsts[(int) ((long) slice * firsts.length / MOST)];
            if (count == 0 || end > ends[count - 1]) {
                ends[count++] = end;
            }
        }
        return new TimeSlices(Arrays.copyOf(ends, count));
    }

    int count() {
        return ends.length + 1;
    }

    /// Returns the slice of a position, 0 to `count() - 1`.
    int of(int position) {
        int at = Arrays.binarySearch(ends, position);
        return at < 0 ? -at - 1 : at;
    }
}
