package io.tensorferry.verbs.device.software.shared;

/// The unanswered READs among the sent requests, oldest first. Owned by the loop.
final class OutstandingReads {
    /// A value that no request number takes.
    static final long NONE = Long.MAX_VALUE;

    private static final int FIRST_SIZE = 4;

    private long[] requests = new long[FIRST_SIZE];
    private long[] lengths = new long[FIRST_SIZE];
    private long added;
    private long removed;

    void add(long request, long length) {
        if (added - removed == requests.length) {
            grow();
        }
        requests[(int) added & requests.length - 1] = request;
        lengths[(int) added & lengths.length - 1] = length;
        added++;
    }

    private void grow() {
        var moreRequests = new long[2 * requests.length];
        var moreLengths = new long[2 * lengths.length];
        for (long i = removed; i < added; i++) {
            moreRequests[(int) i & moreRequests.length - 1] = requests[(int) i & requests.length - 1];
            moreLengths[(int) i & moreLengths.length - 1] = lengths[(int) i & lengths.length - 1];
        }
        requests = moreRequests;
        lengths = moreLengths;
    }

    /// The number of the oldest READ; [#NONE] if there is none.
    long oldest() {
        return added == removed ? NONE : requests[(int) removed & requests.length - 1];
    }

    long oldestLength() {
        return lengths[(int) removed & lengths.length - 1];
    }

    void remove() {
        removed++;
    }
}
