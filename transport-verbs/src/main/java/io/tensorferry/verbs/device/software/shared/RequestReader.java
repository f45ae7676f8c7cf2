package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.verbs.device.software.core.Request;

/// Reads a requester's published requests from its [RingFile], each field once. The values are untrusted.
///
/// Threading: on the loop.
final class RequestReader {
    private final RingFile ring;
    /// Count of the requests taken out.
    private long head;

    RequestReader(RingFile ring) {
        this.ring = ring;
    }

    long head() {
        return head;
    }

    /// Returns the number of published requests that were not taken out. Another number than 0 to [RingFile#REQUESTS]
    /// is invalid.
    long waiting() {
        return ring.tail() - head;
    }

    /// The kind of the next request, with its flags.
    int kind() {
        return ring.getInt(RingFile.request(head));
    }

    /// Reads the next request, except its opcode and the location of its payload.
    void read(Request into) {
        long at = RingFile.request(head);
        into.sequence = ring.getInt(at + 4);
        into.remoteKey = ring.getInt(at + 8);
        into.immediate = ring.getInt(at + 12);
        into.remoteAddress = ring.getLong(at + 16);
        into.length = ring.getLong(at + 24);
    }

    /// The counter at which the staged payload of the next request begins, or the payload's offset in its file.
    long place() {
        return ring.getLong(RingFile.request(head) + 32);
    }

    /// The index of the file of the next request's payload.
    int fileIndex() {
        return ring.getInt(RingFile.request(head) + 40);
    }

    long fileNumber() {
        return ring.getLong(RingFile.request(head) + 48);
    }

    void take() {
        head++;
    }
}
