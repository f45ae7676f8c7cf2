package io.tensorferry.verbs.config;

/// How a channel hands its work to the device. Immutable. An end chooses for itself; nothing of it is negotiated.
///
/// @param signalInterval of so many send requests of a queue pair at least one asks for a completion, 1 to a quarter of
///     the queue's depth; 0 for that quarter
/// @param chunkBytes the largest single write of a content, 4,096 to 2^30; the device's limit and the peer's count too
/// @param bytesUnderWay when so many bytes of contents are posted on a lane, the next chunk waits: what a small content
///     may find before it. At least `chunkBytes`
/// @param inlineBytes messages and contents of up to so many bytes are copied into the send request where the device
///     takes that, 0 to 65,536; it may take less. 0 for none
/// @param ringContentBytes contents of up to so many bytes go as messages in the ring, several in one write, and are
///     copied there and at the peer, 0 to 65,536; never more than the peer's slots hold. One that the peer does not
///     expect goes with its metadata, whatever its size, where both have room in one slot. 0 for none of either
public record PostingOptions(
        int signalInterval, int chunkBytes, long bytesUnderWay, int inlineBytes, int ringContentBytes) {
    /// With what else belongs to it, four blocks of 64 bytes: what a network card reads of a request at once.
    private static final int DEFAULT_INLINE_BYTES = 220;

    private static final int DEFAULT_RING_CONTENT_BYTES = 1024;

    /// @throws IllegalArgumentException naming the option that is out of its range
    public PostingOptions {
        ChannelOptions.require(signalInterval >= 0, "signalInterval", signalInterval, "0 or more");
        ChannelOptions.require(
                chunkBytes >= ChannelOptions.MIN_SLOT_BYTES && chunkBytes <= 1 << 30,
                "chunkBytes",
                chunkBytes,
                "4096..1073741824");
        ChannelOptions.require(inlineBytes >= 0 && inlineBytes <= 1 << 16, "inlineBytes", inlineBytes, "0..65536");
        ChannelOptions.require(
                ringContentBytes >= 0 && ringContentBytes <= 1 << 16, "ringContentBytes", ringContentBytes, "0..65536");
        ChannelOptions.require(
                bytesUnderWay >= chunkBytes, "bytesUnderWay", bytesUnderWay, "at least chunkBytes, " + chunkBytes);
    }

    public static PostingOptions defaults() {
        return new PostingOptions(0, 4 << 20, 16L << 20, DEFAULT_INLINE_BYTES, DEFAULT_RING_CONTENT_BYTES);
    }

    /// The same with another size up to which contents go in the ring.
    public PostingOptions withRingContentBytes(int changed) {
        return new PostingOptions(signalInterval, chunkBytes, bytesUnderWay, inlineBytes, changed);
    }

    /// Requests after which one asks for a completion, in a queue of `sendDepth`.
    public int signalInterval(int sendDepth) {
        int quarter = Math.max(1, sendDepth / 4);
        return signalInterval == 0 ? quarter : Math.min(signalInterval, quarter);
    }
}
