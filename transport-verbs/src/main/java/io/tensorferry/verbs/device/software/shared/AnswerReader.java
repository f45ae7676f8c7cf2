package io.tensorferry.verbs.device.software.shared;

/// Reads a responder's answers from the requester's own [RingFile]. The values are untrusted.
///
/// The responder publishes READ data, then the count of executed requests that covers the READ, then a refusal. This
/// end reads them in the opposite order, so that an answer is never seen without the answers before it.
///
/// Threading: on the loop.
final class AnswerReader {
    private final RingFile ring;
    private long refusal;
    private long executed;

    AnswerReader(RingFile ring) {
        this.ring = ring;
    }

    void read() {
        refusal = ring.refusal();
        executed = ring.executed();
    }

    /// The status of the refused request, 0 for none, at the last [#read].
    long refusal() {
        return refusal;
    }

    /// The count of executed requests, at the last [#read].
    long executed() {
        return executed;
    }

    /// The count of READ data, now.
    long readTail() {
        return ring.readTail();
    }
}
