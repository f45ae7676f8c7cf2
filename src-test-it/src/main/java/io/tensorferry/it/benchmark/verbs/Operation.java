package io.tensorferry.it.benchmark.verbs;

/// What is measured. A write's latency is half of a round trip, both ways by writes; a read's is the time from posting
/// it to its completion. Writes differ in how their target notices them.
enum Operation {
    /// By the last byte of the message.
    WRITE,
    /// By the completion of the receive that the immediate takes.
    WRITE_WITH_IMMEDIATE,
    /// By a number that a second write brings, behind the first on the same queue pair.
    WRITE_AND_FLAG,
    READ;

    boolean isWrite() {
        return this != READ;
    }

    /// The program of perftest that does the same, as far as one does.
    String throughputProgram() {
        return isWrite() ? "ib_write_bw" : "ib_read_bw";
    }

    String latencyProgram() {
        return isWrite() ? "ib_write_lat" : "ib_read_lat";
    }
}
