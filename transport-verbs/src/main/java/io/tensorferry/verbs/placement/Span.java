package io.tensorferry.verbs.placement;

/// A rectangle to be laid: bytes over time.
///
/// @param index 0 to the number of spans - 1; distinguishes equal spans
/// @param bytes 1 or more
/// @param first the first position at which the bytes are in use
/// @param last the last position at which the bytes are in use
record Span(int index, long bytes, int first, int last) {
    boolean isInUseAt(int position) {
        return first <= position && position <= last;
    }

    double duration() {
        return last - (double) first + 1;
    }
}
