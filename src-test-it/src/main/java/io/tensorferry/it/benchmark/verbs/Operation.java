package io.tensorferry.it.benchmark.verbs;

/// The measured operations. A write's latency is half of a round trip with writes in both directions; a read's is the
/// time from posting to completion. The writes differ in how the target detects them.
enum Operation {
    /// By the last byte of the message.
    WRITE,
    /// By the completion of the receive that the immediate consumes.
    WRITE_WITH_IMMEDIATE,
    /// By a flag that a second write sets, posted behind the first on the same queue pair.
    WRITE_AND_FLAG,
    READ;

    boolean isWrite() {
        return this != READ;
    }

    /// The equivalent program of perftest, or the closest one.
    String throughputProgram() {
        return isWrite() ? "ib_write_bw" : "ib_read_bw";
    }

    String latencyProgram() {
        return isWrite() ? "ib_write_lat" : "ib_read_lat";
    }
}
