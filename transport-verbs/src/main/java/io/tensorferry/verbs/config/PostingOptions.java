package io.tensorferry.verbs.config;

/// Options for posting work requests to the device. Immutable. Each end chooses independently; none of them is
/// negotiated.
///
/// @param signalInterval at least every Nth send request on a queue pair requests a completion, 1 to a quarter of the
///     queue depth; 0 selects that quarter
/// @param chunkBytes maximum bytes of a single RDMA WRITE of a content, 4,096 to 2^30; the limits of the device and of
///     the peer also apply
/// @param bytesUnderWay posted content bytes on a lane from which on the next chunk waits; bounds the bytes queued
///     ahead of a small content. At least `chunkBytes`
/// @param inlineBytes messages and contents of up to this many bytes are sent inline, 0 to 65,536; the device may
///     support less. 0 disables inline sends
/// @param ringContentBytes contents of up to this many bytes are copied into messages of the ring, several per RDMA
///     WRITE, and copied again at the peer, 0 to 65,536; bounded by the peer's slot size. A content that the peer has
///     not requested yet travels with its metadata if both fit in one slot, regardless of this size. 0 disables both
public record PostingOptions(
        int signalInterval, int chunkBytes, long bytesUnderWay, int inlineBytes, int ringContentBytes) {
    /// Together with the rest of the request, four blocks of 64 bytes, which a network card fetches in one read.
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

    /// Returns a copy with another [#ringContentBytes].
    public PostingOptions withRingContentBytes(int changed) {
        return new PostingOptions(signalInterval, chunkBytes, bytesUnderWay, inlineBytes, changed);
    }

    /// Returns the number of requests per requested completion on a send queue of `sendDepth`.
    public int signalInterval(int sendDepth) {
        int quarter = Math.max(1, sendDepth / 4);
        return signalInterval == 0 ? quarter : Math.min(signalInterval, quarter);
    }
}
