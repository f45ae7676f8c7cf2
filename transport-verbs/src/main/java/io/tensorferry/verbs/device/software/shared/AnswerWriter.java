package io.tensorferry.verbs.device.software.shared;

/// Publishes a responder's progress in a peer's [RingFile], and marks the ring's line at the peer's device.
///
/// Threading: on the loop.
final class AnswerWriter {
    private final RingFile ring;
    private final DeviceFile peer;
    private final int peerLine;

    AnswerWriter(RingFile ring, DeviceFile peer, int peerLine) {
        this.ring = ring;
        this.peer = peer;
        this.peerLine = peerLine;
    }

    /// Publishes the counts of taken requests, taken bytes and executed requests.
    ///
    /// @param awaited whether the requester waits for them in any case
    /// @return whether the requester waits for them, or for room
    boolean publish(long head, long stagedHead, long executed, boolean awaited) {
        ring.setHead(head);
        ring.setStagedHead(stagedHead);
        ring.setExecuted(executed);
        peer.mark(peerLine);
        // Read the flag after publishing the room: the requester checks the room again after it set the flag.
        return awaited || ring.wantsRoom();
    }

    /// Refuses the request after the executed ones. Those were published before.
    void refuse(long status) {
        ring.setRefusal(status);
        peer.mark(peerLine);
    }
}
